"""Endpoints of profiles, and of the rankings of profits and of forecasts."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Literal, NamedTuple, TypeVar, cast, get_args

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.pagination import LIMIT_DEFAULT, PagePosition, RankedPlace, Slice
from foreknow.market import charts
from foreknow.people.users.errors import UserNotFound
from foreknow.people.users.profiles import public_user
from foreknow.people.users.store import find_people, person
from foreknow.people.users.visibility import check_shown
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.periods import PERIODS, Period, number_of
from foreknow.site.activity.rankings import RANKS_MAX, Ranked, ranking, sums_of, traders_of
from foreknow.site.activity.verdicts import verdict_counts
from foreknow.site.forecast_scores import boards
from foreknow.site.forecast_scores.boards import RankedForecaster
from foreknow.site.forecast_scores.tables import POOLS_MIN
from foreknow.site.profiles.forecasting import pools_seen
from foreknow.site.profiles.schemas import Forecaster, ForecasterPage, Leader, LeaderPage, Profile
from foreknow.trading.history.routes import TraderPath
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PathRequest, QueryRequest, get
from foreknow.web.params import CURSOR, LIMIT, Param, choice, defaulted, optional, parameters
from foreknow.web.responses import Response

By = Literal["profit", "forecast"]
BYS: tuple[By, ...] = get_args(By)
_Row = TypeVar("_Row", Leader, Forecaster)

PERIOD: Param[Period] = choice("period", PERIODS, "This week (from Monday) or month, of UTC, or all time.")
BY: Param[By] = choice("by", BYS, "What ranks: realized profits, or what forecasts earned.")


@parameters
class LeaderboardQuery:
    by: By = defaulted(BY, "profit")
    period: Period = defaulted(PERIOD, "all")
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


@parameters
class BoardQuery:
    period: Period = defaulted(PERIOD, "all")
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


class ProfileRoutes(FeatureRoutes):
    """Profiles, and the rankings of profits and of forecasts."""

    @get("/users/{id}", AuthLevel.OPTIONAL, errors=(UserNotFound,))
    async def get_user(self, request: PathRequest[TraderPath]) -> Profile | Response:
        """A user's profile.

        A hidden one is shown to its owner and to admins only.
        """
        user_id, visitor = request.path.id, request.visitor

        def read(tx: ReadTx) -> Profile:
            check_shown(tx, user_id, visitor)
            return _profile(tx, user_id, None if visitor is None else visitor.user_id)

        profile = await self._context.db.lookup(read)
        return self._context.responses.uncached(profile) if visitor is None else profile

    @get(
        "/leaderboard",
        AuthLevel.NONE,
        description=f"The first {RANKS_MAX:,} by the profits that were realized in the period, or by what forecasts "
        "earned in pools that became final in it, without hidden profiles. On the board of forecasts are accounts of "
        f"30 days and {POOLS_MIN} scored pools; equal scores go by more pools, then by the older account. A ranking "
        "goes on changing while it is read: further pages stay in the period of the first, and go on with the highest "
        "not shown yet.",
    )
    async def list_leaders(self, request: QueryRequest[LeaderboardQuery]) -> LeaderPage | Response:
        """Who earned most."""
        by, period, limit, cursor = request.query.by, request.query.period, request.query.limit, request.query.cursor
        place = self._place(f"leaderboard {by} {period}", period, cursor)

        def read(tx: ReadTx) -> tuple[LeaderPage, list[int]]:
            rows: list[Leader] = []
            if by == "profit":
                ranked = ranking(tx, period, place.number, shown=place.shown, limit=limit + 1)
                rows = _leaders(tx, ranked)
            else:
                at_ms = now_ms(tx)
                on_board = boards.board(tx, period, place.number, now_ms=at_ms, shown=place.shown, limit=limit + 1)
                rows = [_as_leader(one) for one in _forecasters(tx, on_board)]
            page = self._slice(rows, place, limit=limit)
            return LeaderPage(list(page.rows), page.next_cursor, page.has_more), []

        if cursor is not None:
            # It may look at thousands of rows.
            return (await self._context.db.read(read))[0]
        return await self._context.responses.get(("leaderboard", by, period, limit), read, is_brief=False)

    @get("/users/me/forecast-board", AuthLevel.REQUIRED)
    async def get_own_board(self, request: QueryRequest[BoardQuery]) -> ForecasterPage:
        """Whose forecasts earned most, among those whom you follow and you.

        You have a place though your profile is hidden.
        """
        period, limit, user_id = request.query.period, request.query.limit, request.user.user_id
        place = self._place(f"forecast-board {user_id} {period}", period, request.query.cursor)

        def read(tx: ReadTx) -> ForecasterPage:
            at_ms = now_ms(tx)
            rows = boards.own_board(tx, user_id, period, place.number, now_ms=at_ms, shown=place.shown, limit=limit + 1)
            page = self._slice(_forecasters(tx, rows), place, limit=limit)
            return ForecasterPage(list(page.rows), page.next_cursor, page.has_more)

        return await self._context.db.read(read)

    def _place(self, binding: str, period: Period, cursor: str | None) -> _BoardPlace:
        if cursor is None:
            return _BoardPlace(binding, number_of(period, self._context.clock()))
        number, *position = self._context.cursors.decode(cursor, binding=binding)
        return _BoardPlace(binding, cast("int", number), RankedPlace.read(tuple(position)).shown)

    def _slice(self, rows: Sequence[_Row], place: _BoardPlace, *, limit: int) -> Slice[_Row]:
        ids = [row.user.id for row in rows[:limit]]
        after: PagePosition = RankedPlace(None, place.shown).after(ids, ranked=len(ids)).position()
        return self._context.cursors.slice(
            rows, limit=limit, binding=place.binding, position=lambda _last: (place.number, *after)
        )


class _BoardPlace(NamedTuple):
    """Where the traversal of a ranking is: its period, and who was shown."""

    binding: str
    number: int
    shown: Collection[int] = ()


def _profile(tx: ReadTx, user_id: int, caller_id: int | None) -> Profile:
    at_ms = now_ms(tx)
    row, sums = person(tx, user_id), sums_of(tx, user_id)
    results, earned = verdict_counts(tx, user_id, now_ms=at_ms), boards.total_of(tx, user_id)
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
        forecasts=pools_seen(tx, user_id, caller_id, now_ms=at_ms),
        forecast_score=earned.score,
        forecast_pools=earned.pools,
    )


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


def _forecasters(tx: ReadTx, rows: Sequence[RankedForecaster]) -> list[Forecaster]:
    people = find_people(tx, [row.user_id for row in rows])
    return [
        Forecaster(
            rank=row.rank,
            user=public_user(people[row.user_id]),
            score=row.score,
            pools=row.pools,
            mean=row.score / row.pools,
        )
        for row in rows
    ]


def _as_leader(one: Forecaster) -> Leader:
    return Leader(rank=one.rank, user=one.user, score=one.score, pools=one.pools, mean=one.mean)
