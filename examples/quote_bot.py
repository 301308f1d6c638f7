"""A bot that quotes both sides of a market: it bids for YES below the price and for NO below what that leaves.

    python examples/quote_bot.py http://127.0.0.1:8000 EVENT_ID --login you@example.org

asks for the password; with an API key of scope `trade` in FOREKNOW_TOKEN, leave out --login. Who sells to both bids
leaves the bot with as many YES as NO, which pay 100 kopecks a lot together and cost less. Its orders are renewed when
the price has moved, end by themselves if the bot dies, and are cancelled when it stops: at the end of the market, or by
Ctrl-C.
"""

from __future__ import annotations

import argparse
import getpass
import logging
import os
import sys
from datetime import UTC, datetime, timedelta

from foreknow_client import Client, ForeknowError, errors, models
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

    def quote(self, probability: float) -> None:
        """Bid around a price of YES, unless it is the one that is quoted."""
        price = round(100 * probability)
        if price == self._price:
            return
        self.stop()
        self._price = price
        sides: tuple[tuple[Side, int], ...] = (("YES", price - self._spread), ("NO", 100 - price - self._spread))
        for side, bid in sides:
            if 1 <= bid <= 99:
                self._bid(side, bid)

    def _bid(self, side: Side, percent: int) -> None:
        try:
            self._client.place_order(
                market_id=self._market_id,
                token_type=side,
                action="buy",
                shares=self._lots * LOT_SHARES,
                price_bps=100 * percent,
                post_only=True,
                expires_at=datetime.now(UTC) + LIFE,
            )
            print(f"bids {percent} for {self._lots} lots of {side}", flush=True)
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
    market = event.pools[event.main_pool_index].markets[given.outcome]
    quoter = Quoter(client, market, spread=given.spread, lots=given.lots)
    try:
        for _ in client.watch_events([event.id]):
            try:
                quoter.quote(client.get_market(market.id).yes_probability)
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


def run() -> None:
    """Read what was given and play."""
    parser = argparse.ArgumentParser(description="Quote both sides of a market.")
    parser.add_argument("url", help="where the service is, such as http://127.0.0.1:8000")
    parser.add_argument("event_id", type=int, help="the event: the number in its page's address")
    parser.add_argument("--outcome", type=int, default=0, help="which outcome of the main question, from 0")
    parser.add_argument("--spread", type=int, default=3, help="percent that a bid is below the price of its side")
    parser.add_argument("--lots", type=int, default=10, help="lots of 100 shares that each bid is for, 10 or more")
    parser.add_argument("--login", default="", help="e-mail address or nickname; the password is prompted for")
    parser.add_argument("--once", action="store_true", help="quote once, leave the orders, and end")
    given = parser.parse_args()
    key = os.environ.get("FOREKNOW_TOKEN", "")
    if not key and not given.login:
        parser.error("give --login, or an API key in FOREKNOW_TOKEN")
    # What the client tries again, and why.
    logging.basicConfig(level=logging.WARNING, format="%(message)s")
    try:
        if given.login:
            password = getpass.getpass() if sys.stdin.isatty() else sys.stdin.readline().rstrip("\n")
            client = Client(given.url, login=given.login, password=password)
        else:
            client = Client(given.url, key=key)
        with client:
            play(client, given)
    except KeyboardInterrupt:
        sys.exit(130)
    except (ForeknowError, OSError) as failure:
        sys.exit(str(failure))


if __name__ == "__main__":
    run()
