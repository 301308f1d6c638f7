"""GET /admin/stats: the figures of every UTC day and their total (decisions.md, "StatsViewer")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from foreknow.admin.schemas import Stats, StatsDay, StatsTotal
from foreknow.kernel.clock import DAY_MS, iso
from foreknow.stats import DayStats


def stats_view(days: Sequence[DayStats], *, now_ms: int) -> Stats:
    """Show the days from the first on which anything happened until today, newest first, none left out."""
    known = {figures.day: figures for figures in days}
    last_day = max([now_ms // DAY_MS, *known])
    shown: list[StatsDay] = []
    open_interest_kopecks = 0
    for day in range(min(known, default=last_day), last_day + 1):
        figures = known.get(day, DayStats(day=day))
        open_interest_kopecks += figures.open_interest_change_kopecks
        shown.append(
            StatsDay(
                date=iso(day * DAY_MS)[:10],
                users=figures.sign_ups,
                active_traders=figures.traders,
                volume_kopecks=figures.volume_kopecks,
                fees_kopecks=figures.fees_kopecks,
                open_interest_kopecks=open_interest_kopecks,
                house_result_kopecks=_house_result_kopecks([figures]),
            )
        )
    total = StatsTotal(
        users=sum(figures.sign_ups for figures in days),
        active_traders=sum(figures.new_traders for figures in days),
        volume_kopecks=sum(figures.volume_kopecks for figures in days),
        fees_kopecks=sum(figures.fees_kopecks for figures in days),
        open_interest_kopecks=open_interest_kopecks,
        house_result_kopecks=_house_result_kopecks(days),
    )
    return Stats(total, shown[::-1])


def _house_result_kopecks(days: Iterable[DayStats]) -> int:
    return sum(figures.fees_kopecks + figures.settlement_result_kopecks for figures in days)
