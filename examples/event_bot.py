"""A bot that takes part in every new event, once, with a strategy of ten lines: write your own in its place.

    python examples/event_bot.py http://127.0.0.1:8000 --login you@example.org

asks for the password; with an API key in FOREKNOW_TOKEN, leave out --login. It runs until Ctrl-C.
"""

from __future__ import annotations

import argparse
import time
from typing import Literal, NamedTuple

from bots import ReadRules, command_line, run
from foreknow_client import ApiError, Client, errors, models


class Wish(NamedTuple):
    """What a strategy wants to bet."""

    market: models.Market
    side: Literal["YES", "NO"]
    stake_kopecks: int
    #: How many the pool has; should a list grow meanwhile, the bet is refused.
    outcomes: int


def strategy(event: models.Event, balance_kopecks: int) -> Wish | None:
    """Back the favourite of the main question with 1 % of the balance, unless it is nearly certain."""
    pool = event.pools[event.main_pool_index]
    favourite = max(pool.markets, key=lambda market: market.yes_probability)
    stake = min(balance_kopecks // 100, favourite.b // 10)
    if favourite.paused or favourite.yes_probability > 0.95 or stake < 100:
        return None
    if favourite.yes_probability < 0.5 and len(pool.markets) == 1:
        return Wish(favourite, "NO", stake, 1)
    return Wish(favourite, "YES", stake, len(pool.markets))


class Outcome(NamedTuple):
    """What came of an event."""

    text: str
    is_new_bet: bool = False


def take_part(client: Client, event: models.Event) -> Outcome:
    """Bet in an event as the strategy says, once and for all: the key is the event's."""
    wish = strategy(event, client.get_me().balance_kopecks)
    if wish is None:
        return Outcome("nothing to bet on")
    # The strategy reads no rules; who looks at what it did sees what had made them clearer.
    ReadRules(client, event.pools[event.main_pool_index])
    try:
        bet = client.place_bet(
            market_id=wish.market.id,
            token_type=wish.side,
            amount_kopecks=wish.stake_kopecks,
            outcomes=wish.outcomes,
            idempotency_key=f"event-bot-{event.id}",
        )
    except errors.IdempotencyKeyReused:
        # The same key with another stake: the balance has changed since.
        return Outcome("took part before")
    except ApiError as error:
        # What the market or the balance does not allow now; anything else is no matter of this event.
        if error.status not in {400, 409}:
            raise
        return Outcome(error.message)
    if bet.is_replayed:
        return Outcome("took part before")
    said = f"{bet.amount_kopecks} kopecks on {wish.side} of {wish.market.name}: {bet.shares} shares"
    return Outcome(said, is_new_bet=True)


def play(client: Client, given: argparse.Namespace) -> None:
    """Look for new events, take part in each, wait, and look again."""
    seen: set[int] = set()
    while True:
        page = client.list_events(status="active", tag=given.tag, limit=20)
        found = [event for event in reversed(page.events) if event.id not in seen]
        new_bets = 0
        for event in found:
            outcome = take_part(client, event)
            print(f"{event.name}: {outcome.text}", flush=True)
            new_bets += outcome.is_new_bet
            seen.add(event.id)
        if found or given.once:
            print(f"new bets: {new_bets}" if new_bets else "bet nothing new", flush=True)
        if given.once:
            return
        time.sleep(given.every)


if __name__ == "__main__":
    parser = command_line("Take part in every new event.")
    parser.add_argument("--tag", help="only events with this tag")
    parser.add_argument("--every", type=float, default=10, help="seconds between looks for new events")
    run(parser, play)
