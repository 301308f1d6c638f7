"""A bot that quotes both sides of a market: it bids for YES below the price and for NO below what that leaves.

    python examples/quote_bot.py http://127.0.0.1:8000 EVENT_ID --login you@example.org

asks for the password; with an API key of scope `trade` in FOREKNOW_TOKEN, leave out --login. Who sells to both bids
leaves the bot with as many YES as NO, which pay 100 kopecks a lot together and cost less. Its orders are renewed when
the price has moved, end by themselves if the bot dies, and are cancelled when it stops: at the end of the market, or by
Ctrl-C.
"""

from __future__ import annotations

import argparse
from datetime import UTC, datetime, timedelta

from bots import ReadRules, chosen, command_line, run
from foreknow_client import Client, errors, models
from foreknow_client.pricing import Side

#: How long an order lives if nothing renews it.
LIFE = timedelta(minutes=10)
#: A lot is 100 shares; an order that rests has ten or more.
LOT_SHARES = 100


class Quoter:
    """Two bids in one market, `spread` percent below the price of their side."""

    def __init__(self, client: Client, market: models.Market, *, spread: int, lots: int) -> None:
        """Quote nothing yet."""
        self._client, self._market_id = client, market.id
        self._spread, self._lots = spread, lots
        self._price = -1
        self._rules = ReadRules(client, client.get_pool(market.pool_id))

    def quote(self, pool: models.Pool) -> None:
        """Bid around the price of YES, unless it is the one that is quoted; under the rules that were read."""
        self._rules.check(pool)
        (market,) = (one for one in pool.markets if one.id == self._market_id)
        price = round(100 * market.yes_probability)
        if price == self._price:
            return
        self.stop()
        self._price = price
        sides: tuple[tuple[Side, int], ...] = (("YES", price - self._spread), ("NO", 100 - price - self._spread))
        for side, bid in sides:
            # NO of a list's Other is not traded.
            if 1 <= bid <= 99 and (side, market.outcome_index) != ("NO", pool.other):
                self._bid(side, bid, outcomes=len(pool.markets))

    def _bid(self, side: Side, percent: int, *, outcomes: int) -> None:
        try:
            self._client.place_order(
                market_id=self._market_id,
                token_type=side,
                action="buy",
                shares=self._lots * LOT_SHARES,
                price_bps=100 * percent,
                post_only=True,
                expires_at=datetime.now(UTC) + LIFE,
                outcomes=outcomes,
            )
            print(f"bids {percent} for {self._lots} lots of {side}", flush=True)
        except errors.Slippage:
            # A list has grown since: the next look bids again.
            self._price = -1
        except (errors.WouldTrade, errors.InsufficientFunds) as rejected:
            # The price has moved since, or the money is in what was bought: the next look bids again.
            print(f"no bid for {side}: {rejected.message}", flush=True)

    def stop(self) -> None:
        """Cancel what rests."""
        self._client.cancel_orders(market_id=self._market_id)
        self._price = -1


def play(client: Client, given: argparse.Namespace) -> None:
    """Quote now and after each change, until the market is over."""
    event = client.get_event(given.event_id)
    market = chosen(event, given.outcome)
    quoter = Quoter(client, market, spread=given.spread, lots=given.lots)
    try:
        for _ in client.watch_events([event.id]):
            try:
                quoter.quote(client.get_pool(market.pool_id))
            except errors.MarketPaused:
                continue
            except (errors.MarketClosed, errors.MarketResolved) as over:
                print(over.message)
                return
            if given.once:
                return
    finally:
        if not given.once:
            quoter.stop()


if __name__ == "__main__":
    parser = command_line("Quote both sides of a market.", of_market=True)
    parser.add_argument("--spread", type=int, default=3, help="percent that a bid is below the price of its side")
    parser.add_argument("--lots", type=int, default=10, help="lots of 100 shares that each bid is for, 10 or more")
    run(parser, play)
