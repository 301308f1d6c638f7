"""The replay: real trades, driven through the public interface of a running service, and what came of them.

It is a client like any other and knows nothing of the service's inside: accounts sign up, an admin gives them money, a
creator opens the markets, traders bet and sell, the markets are resolved as history resolved them. After every trade
the price is compared with the one that the market maker of the time recorded.

    history   the trades and findings, read from their files
    site      the HTTP client: retries, refusals
    cast      the accounts that play
    play      the markets, trade by trade
    results   what came of it, judged and shown
    data/     the trades of 58 markets on whether a published study would replicate (CC0, see its README)
"""
