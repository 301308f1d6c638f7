"""GET /admin/stats: statistics by UTC day and their total (decisions.md, "StatsViewer")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foreknow.admin.schemas import Stats, StatsDay, StatsTotal
from foreknow.kernel.clock import DAY_MS, iso
from foreknow.stats import DayStats


def stats_view(days: Sequence[DayStats], *, now_ms: int, count: int | None = None) -> Stats:
    """Return all days from the first with any activity until today, newest first; with `count`, the last ones."""
    stats_by_day = {stats.day: stats for stats in days}
    last_day = max([now_ms // DAY_MS, *stats_by_day])
    rows: list[StatsDay] = []
    open_interest_kopecks = 0
    for day in range(min(stats_by_day, default=last_day), last_day + 1):
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
            )
        )
    total = StatsTotal(
        users=sum(stats.sign_ups for stats in days),
        active_traders=sum(stats.new_traders for stats in days),
        volume_kopecks=sum(stats.volume_kopecks for stats in days),
        fees_kopecks=sum(stats.fees_kopecks for stats in days),
        open_interest_kopecks=open_interest_kopecks,
        house_result_kopecks=_house_result_kopecks(days),
    )
    return Stats(total, rows[::-1][:count])


def _house_result_kopecks(days: Iterable[DayStats]) -> int:
    return sum(stats.fees_kopecks + stats.settlement_result_kopecks for stats in days)
