"""The replay: real trades, sent through the public interface of a running service, with a report.

It is an ordinary client and uses no internals of the service: accounts sign up, an admin funds them, a creator opens
the markets, traders bet and sell, the markets are resolved as they were in reality. After every trade the price is
compared with the recorded one.

    history      the trades and findings, read from their files
    client       the HTTP client, with retries
    accounts     the traders and the creator
    replayer     the markets, trade by trade
    texts        names, rules and metadata of the markets
    results      each market against its bounds, and the report
    concurrency  runs one function for many items at a time
    errors       why a replay fails
    data/        the trades of 58 markets on whether a published study would replicate (CC0, see its README)
"""
