"""GET /admin/stats: statistics by UTC day and their total (decisions.md, "StatsViewer")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foreknow.kernel.clock import DAY_MS, iso
from foreknow.money.stats import DayStats, daily_stats, newest_day, stats_before
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.admin.schemas import Stats, StatsDay, StatsTotal


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
