"""Endpoints of a trader's own portfolio: positions with their costs, sums, and what it was worth day by day."""

from __future__ import annotations

from typing import NamedTuple

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.pagination import LIMIT_DEFAULT, Slice
from foreknow.kernel.units import INT64_MAX
from foreknow.market import charts
from foreknow.market.charts import PnlTotal
from foreknow.money.holds import held_kopecks
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.portfolio import store
from foreknow.site.portfolio.schemas import (
    Portfolio,
    Position,
    PositionPage,
    TransactionPage,
    WorthChart,
    WorthChartPoint,
)
from foreknow.site.portfolio.transactions import transaction_view, transactions_page
from foreknow.site.portfolio.valued_reads import valued
from foreknow.site.portfolio.views import closed_view, open_view
from foreknow.site.worth.points import RANGES, WorthPoint, WorthRange, worth_points
from foreknow.trading.positions.valuation import ValuedPosition, valued_positions
from foreknow.web.context import FeatureRoutes
from foreknow.web.endpoint import PlainRequest, QueryRequest, get
from foreknow.web.params import CURSOR, LIMIT, PageQuery, Param, choice, defaulted, optional, parameters, whole_number

STATE = choice("state", ("open", "closed"), "Open positions, or closed ones.")
WORTH_RANGE: Param[WorthRange] = choice(
    "range", RANGES, "The last 30 days, the last 365, or all since the first movement."
)
EVENT_ID = whole_number("event_id", "Only positions in this event.", most=INT64_MAX)


class _Money(NamedTuple):
    balance_kopecks: int
    held_kopecks: int


@parameters
class PositionsQuery:
    state: str = defaulted(STATE, "open")
    event_id: int | None = optional(EVENT_ID)
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


@parameters
class WorthQuery:
    range: WorthRange = defaulted(WORTH_RANGE, "all")


class OwnPortfolioRoutes(FeatureRoutes):
    """What a trader has."""

    @get("/users/me/positions", AuthLevel.REQUIRED)
    async def list_my_positions(self, request: QueryRequest[PositionsQuery]) -> PositionPage:
        """Your positions with what they cost.

        Open ones newest first, or closed ones by their closing, the last one first: sold, won, lost and void in one
        list.
        """
        page = await (self._open(request) if request.query.state == "open" else self._closed(request))
        return PositionPage(list(page.rows), page.next_cursor, page.has_more)

    @get("/users/me/portfolio", AuthLevel.REQUIRED)
    async def get_my_portfolio(self, request: PlainRequest) -> Portfolio:
        """What you have and have earned, in sums."""
        user_id = request.user.user_id

        def read(tx: ReadTx, markets_max: int | None = None) -> tuple[_Money, list[ValuedPosition], PnlTotal]:
            held = valued_positions(tx, user_id, now_ms=self._context.clock(), markets_max=markets_max)
            return _money(tx, user_id), held, charts.pnl_total(tx, user_id)

        money, held, total = await valued(self._context.db, read)
        closed = total.closed_positions
        if closed is None:
            # Once after an upgrade: from then on it is counted with every sale and settlement.
            await self._context.db.write_private(lambda tx: store.recount_closed(tx, user_id))
            again = await self._context.db.read(lambda tx: (read(tx), store.closed_count(tx, user_id)))
            (money, held, total), closed = again[0], again[1]
        return Portfolio(
            balance_kopecks=money.balance_kopecks,
            held_kopecks=money.held_kopecks,
            value_kopecks=sum(position.value_kopecks for position in held),
            cost_kopecks=sum(position.cost_kopecks for position in held),
            realized_kopecks=total.pnl_kopecks,
            open=len(held),
            closed=closed,
        )

    @get("/users/me/worth", AuthLevel.REQUIRED)
    async def get_my_worth(self, request: QueryRequest[WorthQuery]) -> WorthChart:
        """What you were worth at the end of each day, UTC, and are now.

        Your balance, what your limit orders hold, and the value of your positions at the prices then. A day is kept
        some minutes after its end. At most 1,000 points, evenly spaced: of more days every second one, or fourth.
        """
        user_id, range_ = request.user.user_id, request.query.range

        def read(tx: ReadTx, markets_max: int | None = None) -> list[WorthPoint]:
            now_ms = self._context.clock()
            held = valued_positions(tx, user_id, now_ms=now_ms, markets_max=markets_max)
            worth = sum(_money(tx, user_id)) + sum(position.value_kopecks for position in held)
            return worth_points(tx, user_id, range_, worth_kopecks=worth, now_ms=now_ms)

        points = await valued(self._context.db, read)
        return WorthChart([WorthChartPoint(iso(at_ms), *amounts) for at_ms, *amounts in points])

    @get("/users/me/transactions", AuthLevel.REQUIRED)
    async def list_my_transactions(self, request: QueryRequest[PageQuery]) -> TransactionPage:
        """Every movement of your money.

        Newest first; from the first one on they add up to your balance.
        """
        user_id, limit, cursor = request.user.user_id, request.query.limit, request.query.cursor
        page = await self._context.db.lookup(
            lambda tx: transactions_page(tx, user_id, self._context.cursors, limit=limit, cursor=cursor)
        )
        return TransactionPage([transaction_view(row) for row in page.rows], page.next_cursor, page.has_more)

    async def _open(self, request: QueryRequest[PositionsQuery]) -> Slice[Position]:
        query, user_id, cursors = request.query, request.user.user_id, self._context.cursors

        def read(tx: ReadTx, markets_max: int | None = None) -> Slice[Position]:
            if query.event_id is None:
                page = store.open_positions(tx, user_id, cursors, limit=query.limit, cursor=query.cursor)
            else:
                page = store.open_positions_in(
                    tx, user_id, query.event_id, cursors, limit=query.limit, cursor=query.cursor
                )
            values = store.values_of(tx, page.rows, now_ms=self._context.clock(), markets_max=markets_max)
            rows = [open_view(row, user_id, value) for row, value in zip(page.rows, values, strict=True)]
            return Slice(rows, page.next_cursor)

        return await valued(self._context.db, read)

    async def _closed(self, request: QueryRequest[PositionsQuery]) -> Slice[Position]:
        query, user_id = request.query, request.user.user_id

        def read(tx: ReadTx) -> Slice[Position]:
            page = store.closed_positions(
                tx,
                user_id,
                self._context.cursors,
                limit=query.limit,
                cursor=query.cursor,
                event_id=query.event_id,
            )
            return Slice([closed_view(row, user_id) for row in page.rows], page.next_cursor)

        return await self._context.db.lookup(read)


def _money(tx: ReadTx, user_id: int) -> _Money:
    balance = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=[user_id])[user_id]
    return _Money(balance, held_kopecks(tx, [user_id])[user_id])
