"""All that a site shows: its events, pool by pool, its results and its feed."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from foreknow.commands.replay.client import ApiClient
from foreknow.commands.replay.concurrency import map_concurrently
from foreknow.commands.replay.errors import ReplayFailed
from foreknow.commands.verify.feed import following
from foreknow.commands.verify.pools import Checked, check_pool
from foreknow.commands.verify.reading import EventRead, PublicTrade, event_ids, read_event

#: Events that are read at once.
_AT_ONCE: Final = 8
#: After which what does not agree is read once more.
_AGAIN_S: Final = 2.0


@dataclass(slots=True)
class Report:
    """What was worked out again, and what does not agree."""

    events: int = 0
    pools: int = 0
    trades: int = 0
    #: Trades of which only a sum of several follows: who took which piece of the curve first is not public.
    summed: int = 0
    results: int = 0
    #: Trades that the feed gave, those that came meanwhile too.
    fed: int = 0
    #: Whether it ended before all events were read: what came then is not known.
    feed_ended: bool = False
    wrong: list[str] = field(default_factory=list)


class _Found(NamedTuple):
    """What was found of a pool; None of one that its event does not show."""

    checked: Checked | None
    has_result: bool
    #: "" where everything agrees.
    wrong: str


async def verify(
    url: str, *, token: str | None, after_each: Callable[[int, int], None] = lambda _done, _all: None
) -> Report:
    """Work a site out again from what it shows everyone, or who has `token` on a site that only members read.

    `after_each` is called with how many of how many events are done. Raises `ReplayFailed` where the site cannot be
    read.
    """
    report = Report()
    async with ApiClient(url) as client, following(url, token) as feed:
        ids = await event_ids(client, token)

        async def check(event_id: int) -> None:
            event, found = await _look(client, token, event_id)
            if any(one.wrong for one in found):
                # A process may answer what it remembers of a second ago.
                await asyncio.sleep(_AGAIN_S)
                event, found = await _look(client, token, event_id)
            if event is not None:
                _add(report, found)
                feed.find((trade.side.value, trade.amount_kopecks) for trade in event.trades)
            after_each(report.events, len(ids))

        await map_concurrently(check, ids, at_once=_AT_ONCE)
        report.fed, report.feed_ended = feed.trades, feed.has_ended
        report.wrong += [*feed.wrong, *feed.missing()]
    return report


async def _look(client: ApiClient, token: str | None, event_id: int) -> tuple[EventRead | None, list[_Found]]:
    event = await read_event(client, token, event_id)
    # In a thread: a large event takes a minute, in which the feed is to be read.
    return event, [] if event is None else await asyncio.to_thread(_check_event, event)


def _check_event(event: EventRead) -> list[_Found]:
    """Work out the pools of an event."""
    by_pool: defaultdict[int, list[PublicTrade]] = defaultdict(list)
    for trade in event.trades:
        by_pool[trade.pool_id].append(trade)
    shown = event.page["event"]
    details = {pool["pool_id"]: pool for pool in event.page["pools"]}
    found: list[_Found] = []
    for pool in shown["pools"]:
        if not pool["liquidity"]:
            continue
        where = f"event {shown['id']}, pool {pool['id']}"
        trades = by_pool.pop(pool["id"], [])
        try:
            checked = check_pool(pool, details[pool["id"]], trades, known_id=event.known_id)
        except (KeyError, TypeError, ValueError, ArithmeticError) as unreadable:
            raise ReplayFailed(f"{where} cannot be read: {unreadable!r}") from unreadable
        wrong = "" if checked.wrong is None else f"{where}: {checked.wrong}"
        found.append(_Found(checked, has_result=pool["resolution"]["payouts"] is not None, wrong=wrong))
    stray = [f"event {shown['id']}: trades of pool {pool_id}, which it does not show" for pool_id in by_pool]
    return [*found, *[_Found(None, has_result=False, wrong=one) for one in stray]]


def _add(report: Report, found: Sequence[_Found]) -> None:
    report.events += 1
    for one in found:
        if one.checked is not None:
            report.pools += 1
            report.trades += one.checked.trades
            report.summed += one.checked.summed
            report.results += one.has_result
        if one.wrong:
            report.wrong.append(one.wrong)
