"""All that a site shows: its events, pool by pool, its results and its feed."""

from __future__ import annotations

import asyncio
from collections import defaultdict
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from foreknow.commands.replay.client import ApiClient
from foreknow.commands.replay.errors import ReplayFailed
from foreknow.commands.verify.feed import following
from foreknow.commands.verify.pools import check_pool
from foreknow.commands.verify.reading import EventRead, PublicTrade, event_ids, read_event

#: Events that are read at once. Their pools are worked out one after the other.
_AT_ONCE: Final = 8


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
    wrong: list[str] = field(default_factory=list)


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
        slots = asyncio.Semaphore(_AT_ONCE)

        async def check(event_id: int) -> None:
            async with slots:
                event = await read_event(client, token, event_id)
                if event is not None:
                    _check_event(event, report)
                    feed.find((trade.side.value, trade.amount_kopecks) for trade in event.trades)
                after_each(report.events, len(ids))

        async with asyncio.TaskGroup() as group:
            for event_id in ids:
                group.create_task(check(event_id))
        report.fed = feed.trades
        report.wrong += [*feed.wrong, *feed.missing()]
    return report


def _check_event(event: EventRead, report: Report) -> None:
    by_pool: defaultdict[int, list[PublicTrade]] = defaultdict(list)
    for trade in event.trades:
        by_pool[trade.pool_id].append(trade)
    shown = event.page["event"]
    details = {pool["pool_id"]: pool for pool in event.page["pools"]}
    report.events += 1
    for pool in shown["pools"]:
        if not pool["liquidity"]:
            continue
        try:
            found = check_pool(pool, details[pool["id"]], by_pool.pop(pool["id"], []))
        except (KeyError, TypeError, ValueError, ArithmeticError) as unreadable:
            raise ReplayFailed(f"event {shown['id']}, pool {pool['id']} cannot be read: {unreadable!r}") from unreadable
        report.pools += 1
        report.trades += found.trades
        report.summed += found.summed
        report.results += pool["resolution"]["payouts"] is not None
        if found.wrong is not None:
            report.wrong.append(f"event {shown['id']}, pool {pool['id']}: {found.wrong}")
    report.wrong += [f"event {shown['id']}: trades of pool {pool_id}, which it does not show" for pool_id in by_pool]
