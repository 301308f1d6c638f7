"""GET /admin/stats: statistics by UTC day and their total (decisions.md, "StatsViewer")."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import msgspec

from foreknow.kernel.clock import DAY_MS, iso
from foreknow.money.stats import DayStats, daily_stats, newest_day, stats_before
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.admin.schemas import Stats, StatsDay, StatsTotal

#: Days before yesterday no longer change, but where past trades are brought in (`foreknow replay`): how long what is
#: kept of them is trusted, before the database's sums of them are compared again.
TRUSTED_S = 1.0
_encode = msgspec.json.Encoder().encode


@dataclass(frozen=True, slots=True)
class _PastDays:
    """Days that are over: their sums, and their rows as the body has them, newest first."""

    until_day: int
    sums: DayStats
    encoded: bytes


class StatsHistory:
    """The body of all days. The past ones are encoded once: there are more each day, and nothing changes them."""

    def __init__(self, *, timer: Callable[[], float] = time.monotonic) -> None:
        """Keep nothing yet."""
        self._timer = timer
        self._past: _PastDays | None = None
        self._trusted_until_s = 0.0

    def encoded(self, tx: ReadTx, *, now_ms: int) -> bytes:
        """Return the JSON of what `read_stats` returns of all days."""
        past = self._past_days(tx, until_day=now_ms // DAY_MS - 1)
        if past is None:
            return _encode(read_stats(tx, now_ms=now_ms, count=None))
        days = daily_stats(tx, since_day=past.until_day)
        body = _encode(stats_view(days, now_ms=now_ms, before=past.sums, since_day=past.until_day))
        return b"%b,%b]}" % (body.removesuffix(b"]}"), past.encoded)

    def _past_days(self, tx: ReadTx, *, until_day: int) -> _PastDays | None:
        """Return the days before `until_day`; None where there are none."""
        past, began_s = self._past, self._timer()
        if past is not None and past.until_day == until_day and began_s < self._trusted_until_s:
            return past
        sums = stats_before(tx, until_day)
        if sums is None:
            return None
        if past is None or past.until_day != until_day or past.sums != sums:
            days = [stats for stats in daily_stats(tx) if stats.day < until_day]
            rows = stats_view(days, now_ms=(until_day - 1) * DAY_MS).days
            self._past = past = _PastDays(until_day, sums, _encode(rows)[1:-1])
        self._trusted_until_s = began_s + TRUSTED_S
        return past


def read_stats(tx: ReadTx, *, now_ms: int, count: int | None) -> Stats:
    """Return the view of all days, or of the last `count`, whose earlier days are added up by the database."""
    if count is None:
        return stats_view(daily_stats(tx), now_ms=now_ms)
    since_day = max(now_ms // DAY_MS, newest_day(tx) or 0) - count + 1
    days = daily_stats(tx, since_day=since_day)
    before = stats_before(tx, since_day)
    return stats_view(days, now_ms=now_ms, before=before, since_day=None if before is None else since_day)


def stats_view(
    days: Sequence[DayStats], *, now_ms: int, before: DayStats | None = None, since_day: int | None = None
) -> Stats:
    """Return all days from the first with any activity, or from `since_day`, until today, newest first.

    `before` are the sums of earlier days, which the total counts.
    """
    stats_by_day = {stats.day: stats for stats in days}
    last_day = max([now_ms // DAY_MS, *stats_by_day])
    counted = days if before is None else [before, *days]
    rows: list[StatsDay] = []
    open_interest_kopecks = 0 if before is None else before.open_interest_change_kopecks
    for day in range(min(stats_by_day, default=last_day) if since_day is None else since_day, last_day + 1):
        stats = stats_by_day.get(day, DayStats(day=day))
        open_interest_kopecks += stats.open_interest_change_kopecks
        rows.append(
            StatsDay(
                date=iso(day * DAY_MS)[:10],
                users=stats.sign_ups,
                active_traders=stats.traders,
                volume_kopecks=stats.volume_kopecks,
                fees_kopecks=stats.fees_kopecks,
                open_interest_kopecks=open_interest_kopecks,
                house_result_kopecks=_house_result_kopecks([stats]),
                grants_kopecks=stats.grants_kopecks,
            )
        )
    total = StatsTotal(
        users=sum(stats.sign_ups for stats in counted),
        active_traders=sum(stats.new_traders for stats in counted),
        volume_kopecks=sum(stats.volume_kopecks for stats in counted),
        fees_kopecks=sum(stats.fees_kopecks for stats in counted),
        open_interest_kopecks=open_interest_kopecks,
        house_result_kopecks=_house_result_kopecks(counted),
        grants_kopecks=sum(stats.grants_kopecks for stats in counted),
    )
    return Stats(total, rows[::-1])


def _house_result_kopecks(days: Iterable[DayStats]) -> int:
    return sum(stats.fees_kopecks + stats.settlement_result_kopecks for stats in days)
