"""Endpoints of what people did: profiles, and the ranking of their profits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import cast

from foreknow import charts
from foreknow.access.levels import AuthLevel
from foreknow.activity.people import RANKS_MAX, Place, Ranked, ranking, start_of, sums_of
from foreknow.activity.periods import PERIODS, Period, number_of
from foreknow.activity.schemas import Leader, Leaderboard, Profile
from foreknow.db.transactions import ReadTx
from foreknow.kernel.clock import iso
from foreknow.kernel.pagination import LIMIT_DEFAULT
from foreknow.trading.history_routes import TraderPath
from foreknow.users.errors import UserNotFound
from foreknow.users.profiles import public_user
from foreknow.users.store import find_people, person
from foreknow.users.visibility import check_shown
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, PathRequest, QueryRequest, get
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


class PeopleRoutes:
    """Profiles, and the ranking of profits."""

    def __init__(self, context: RouteContext) -> None:
        """Answer from `context`."""
        self._context = context

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            get(
                "/users/{id}",
                self.profile,
                AuthLevel.OPTIONAL,
                Profile,
                "A user's profile",
                operation_id="get_user",
                errors=(UserNotFound,),
                description="A hidden one is shown to its owner and to admins only.",
            ),
            get(
                "/leaderboard",
                self.leaderboard,
                AuthLevel.NONE,
                Leaderboard,
                "Who earned most",
                operation_id="list_leaders",
                description=f"The first {RANKS_MAX:,} by the profits that were realized in the period, without hidden "
                "profiles. It goes on changing while it is read; further pages stay in the period of the first.",
            ),
        ]

    async def profile(self, request: PathRequest[TraderPath]) -> Profile | Response:
        """Return a user's profile, if the caller may see it."""
        user_id, visitor = request.path.id, request.visitor

        def read(tx: ReadTx) -> Profile:
            check_shown(tx, user_id, visitor)
            row, sums = person(tx, user_id), sums_of(tx, user_id)
            return Profile(
                user=public_user(row, unhidden=True),
                created_at=iso(row.created_at_ms),
                realized_kopecks=charts.pnl_total(tx, user_id).pnl_kopecks,
                volume_kopecks=sums.volume_kopecks,
                trades=sums.trades,
                events=sums.events,
            )

        profile = await self._context.db.lookup(read)
        return self._context.responses.uncached(profile) if visitor is None else profile

    async def leaderboard(self, request: QueryRequest[LeaderboardQuery]) -> Leaderboard | Response:
        """Return a page of the ranking of a period."""
        period, limit, cursor = request.query.period, request.query.limit, request.query.cursor
        binding = f"leaderboard {period}"
        after = start_of(number_of(period, self._context.clock()))
        if cursor is not None:
            after = Place._make(cast("tuple[int, ...]", self._context.cursors.decode(cursor, binding=binding)))

        def read(tx: ReadTx) -> tuple[Leaderboard, list[int]]:
            rows = ranking(tx, period, after, limit=limit + 1)
            page = self._context.cursors.slice(rows, limit=limit, binding=binding, position=lambda row: row.place)
            return Leaderboard(_leaders(tx, page.rows), page.next_cursor, page.has_more), []

        if cursor is not None:
            # It may look at thousands of rows.
            return (await self._context.db.read(read))[0]
        return await self._context.responses.get(("leaderboard", period, limit), read, is_brief=False)


def _leaders(tx: ReadTx, rows: Sequence[Ranked]) -> list[Leader]:
    people = find_people(tx, [row.place.user_id for row in rows])
    return [
        Leader(
            rank=row.place.rank,
            user=public_user(people[row.place.user_id]),
            realized_kopecks=row.place.realized_kopecks,
            volume_kopecks=row.volume_kopecks,
            trades=row.trades,
        )
        for row in rows
    ]
