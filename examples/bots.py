"""What the bots have in common: their command line, and the client of the account that it names."""

from __future__ import annotations

import argparse
import getpass
import logging
import os
import sys
from collections.abc import Callable

from foreknow_client import Client, ForeknowError, models


def command_line(does: str, *, of_market: bool = False, loops: bool = True) -> argparse.ArgumentParser:
    """Return what reads the command line of a bot; `of_market`: of one that trades a single market.

    `loops`: whether it looks again and again.
    """
    parser = argparse.ArgumentParser(description=does)
    parser.add_argument("url", help="where the service is, such as http://127.0.0.1:8000")
    if of_market:
        parser.add_argument("event_id", type=int, help="the event: the number in its page's address")
        parser.add_argument("--outcome", type=int, default=0, help="which outcome of the main question, from 0")
    parser.add_argument("--login", default="", help="e-mail address or nickname; the password is prompted for")
    if loops:
        parser.add_argument("--once", action="store_true", help="look once and end")
    return parser


def run(parser: argparse.ArgumentParser, play: Callable[[Client, argparse.Namespace], None]) -> None:
    """Read what was given and play, by an API key or signed in; what fails ends it with a line."""
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
    except (ForeknowError, OSError, ValueError) as failure:
        sys.exit(str(failure))


def chosen(event: models.Event, outcome: int) -> models.Market:
    """Return the market of an outcome of the main question; `ValueError` where there is none."""
    markets = {market.outcome_index: market for market in event.pools[event.main_pool_index].markets}
    if outcome not in markets:
        names = ", ".join(f"{index} {market.name}" for index, market in sorted(markets.items()))
        raise ValueError(f"{event.name} has no outcome {outcome}; it has {names}")
    return markets[outcome]


class ReadRules:
    """The rules of a pool as the bot's owner has read them, with what made them clearer by then.

    A bot understands no text: once another clarification comes, it stops until its owner has read that and starts it
    again.
    """

    def __init__(self, client: Client, pool: models.Pool) -> None:
        """Print what made the rules clearer, and remember how much that is."""
        found = list(client.iter_clarifications(pool.id)) if pool.clarifications else []
        for one in found:
            print(f"clarified on {one.created_at:%Y-%m-%d}: {one.text}", flush=True)
        self._count = len(found)

    def check(self, pool: models.Pool) -> None:
        """Raise `ValueError` where the rules were made clearer since."""
        if pool.clarifications > self._count:
            raise ValueError(f"the rules of {pool.name} were made clearer: read them, and start the bot again")
