"""Endpoints of what people did: profiles, and the ranking of their profits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.pagination import LIMIT_DEFAULT, RankedPlace
from foreknow.market import charts
from foreknow.people.users.errors import UserNotFound
from foreknow.people.users.profiles import public_user
from foreknow.people.users.store import find_people, person
from foreknow.people.users.visibility import check_shown
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.periods import PERIODS, Period, number_of
from foreknow.site.activity.rankings import RANKS_MAX, Ranked, ranking, sums_of, traders_of
from foreknow.site.activity.schemas import Leader, LeaderPage, Profile
from foreknow.site.activity.verdicts import verdict_counts
from foreknow.trading.history.routes import TraderPath
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, QueryRequest, get
from foreknow.web.params import CURSOR, LIMIT, Param, choice, defaulted, optional, parameters
from foreknow.web.responses import Response

PERIOD: Param[Period] = choice(
    "period", PERIODS, "Profits of this week (from Monday) or month, of UTC, or of all time."
)


@parameters
class LeaderboardQuery:
    period: Period = defaulted(PERIOD, "all")
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


class PeopleRoutes(FeatureRoutes):
    """Profiles, and the ranking of profits."""

    @get("/users/{id}", AuthLevel.OPTIONAL, errors=(UserNotFound,))
    async def get_user(self, request: PathRequest[TraderPath]) -> Profile | Response:
        """A user's profile.

        A hidden one is shown to its owner and to admins only.
        """
        user_id, visitor = request.path.id, request.visitor

        def read(tx: ReadTx) -> Profile:
            check_shown(tx, user_id, visitor)
            row, sums = person(tx, user_id), sums_of(tx, user_id)
            results = verdict_counts(tx, user_id, now_ms=now_ms(tx))
            return Profile(
                user=public_user(row, unhidden=True),
                created_at=iso(row.created_at_ms),
                realized_kopecks=charts.pnl_total(tx, user_id).pnl_kopecks,
                volume_kopecks=sums.volume_kopecks,
                trades=sums.trades,
                events=sums.events,
                settled=sums.settled,
                earned=sums.earned,
                traders=traders_of(tx, user_id),
                resolved_pools=results.resolved,
                corrected_pools=results.corrected,
                overdue_pools=results.overdue,
            )

        profile = await self._context.db.lookup(read)
        return self._context.responses.uncached(profile) if visitor is None else profile

    @get(
        "/leaderboard",
        AuthLevel.NONE,
        description=f"The first {RANKS_MAX:,} by the profits that were realized in the period, without hidden "
        "profiles. It goes on changing while it is read: further pages stay in the period of the first, and go on with "
        "the highest not shown yet.",
    )
    async def list_leaders(self, request: QueryRequest[LeaderboardQuery]) -> LeaderPage | Response:
        """Who earned most."""
        period, limit, cursor = request.query.period, request.query.limit, request.query.cursor
        binding = f"leaderboard {period}"
        number, place = number_of(period, self._context.clock()), RankedPlace()
        if cursor is not None:
            position = self._context.cursors.decode(cursor, binding=binding)
            number, place = cast("int", position[0]), RankedPlace.read(position[1:])

        def read(tx: ReadTx) -> tuple[LeaderPage, list[int]]:
            rows = ranking(tx, period, number, shown=place.shown, limit=limit + 1)
            ids = [row.user_id for row in rows[:limit]]
            after = place.after(ids, ranked=len(ids))
            page = self._context.cursors.slice(
                rows, limit=limit, binding=binding, position=lambda _last: (number, *after.position())
            )
            return LeaderPage(_leaders(tx, page.rows), page.next_cursor, page.has_more), []

        if cursor is not None:
            # It may look at thousands of rows.
            return (await self._context.db.read(read))[0]
        return await self._context.responses.get(("leaderboard", period, limit), read, is_brief=False)


def _leaders(tx: ReadTx, rows: Sequence[Ranked]) -> list[Leader]:
    people = find_people(tx, [row.user_id for row in rows])
    return [
        Leader(
            rank=row.rank,
            user=public_user(people[row.user_id]),
            realized_kopecks=row.realized_kopecks,
            volume_kopecks=row.volume_kopecks,
            trades=row.trades,
        )
        for row in rows
    ]
