"""A bot that forecasts every open question, without a stake, with a strategy of ten lines: write your own in its place.

    python examples/forecast_bot.py http://127.0.0.1:8000 --login you@example.org

asks for the password; with an API key in FOREKNOW_TOKEN, leave out --login. It looks again every hour until Ctrl-C.
Who says what the price says scores nothing: a strategy has to know better.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence

from bots import command_line, run
from foreknow_client import ApiError, Client, forecasts, models

#: A forecast that has moved by less is said again as it was: it still holds.
SAME = 0.02


def strategy(prices: Sequence[float], crowd: Sequence[float] | None) -> list[float] | None:
    """Go half of the way from the prices to the crowd; without a crowd make the favourite a little more so."""
    if crowd is not None:
        return [(price + thought) / 2 for price, thought in zip(prices, crowd, strict=True)]
    sides = [*prices, 1 - prices[0]] if len(prices) == 1 else prices
    sharper = [price**1.15 for price in sides]
    return [one / sum(sharper) for one in sharper][: len(prices)]


def take_part(client: Client, pool: models.Pool) -> str:
    """Forecast a pool as the strategy says, or say that what was said still holds; return what was done."""
    if pool.won_side is not None or pool.resolution.decided_at is not None:
        return "is decided"
    found = client.list_pool_forecasts(pool.id, limit=1)
    prices = [market.yes_probability for market in pool.markets]
    wanted = strategy(prices, found.crowd)
    if wanted is None:
        return "no opinion"
    mine = found.mine
    still_so = mine is not None and len(mine.probabilities) == len(prices) and _is_near(mine.probabilities, wanted)
    if mine is not None and still_so:
        wanted = list(mine.probabilities)
    try:
        said = client.set_forecast(pool.id, probabilities=wanted, outcomes=len(prices))
    except ApiError as error:
        # What the question does not allow now, or said too often; anything else is no matter of this question.
        if error.status not in {400, 409, 429}:
            raise
        return error.message
    shown = " · ".join(f"{one:.0%}" for one in said.probabilities)
    return f"{shown}, still so" if still_so else shown


def _is_near(said: Sequence[float], wanted: Sequence[float]) -> bool:
    kept = forecasts.kept(wanted)
    return all(abs(one - other) < SAME for one, other in zip(said, kept, strict=True))


def play(client: Client, given: argparse.Namespace) -> None:
    """Forecast the main question of each open event, wait, and do it again."""
    while True:
        for event in client.iter_events(status="active", tag=given.tag, limit=100):
            print(f"{event.name}: {take_part(client, event.pools[event.main_pool_index])}", flush=True)
        if given.once:
            return
        time.sleep(given.every)


if __name__ == "__main__":
    parser = command_line("Forecast every open question.")
    parser.add_argument("--tag", help="only events with this tag")
    parser.add_argument("--every", type=float, default=3_600, help="seconds between two rounds")
    run(parser, play)
