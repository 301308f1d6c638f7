"""Past trades: of an event, of one of its markets, of a trader."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any, Literal, NamedTuple, cast

import msgspec
import sqlalchemy as sa

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import TokenType
from foreknow.kernel.units import INT64_MAX
from foreknow.market.markets.tables import markets
from foreknow.money.pricing import average_price_bps
from foreknow.people.users.profiles import name_if_hidden
from foreknow.people.users.tables import IS_PERSON, users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.tables import baskets, trade_legs, trades
from foreknow.trading.history.schemas import OwnTrade, Trade, TradeLeg, Trader
from foreknow.trading.history.trader_trades import TradesPlace, trades_from


class TradedLeg(NamedTuple):
    """What a basket's trade did in one market."""

    market_id: int
    outcome_index: int
    name: str
    #: `stake`, `back` or `change` (`trade_legs.kind`).
    kind: str
    shares: int
    amount_kopecks: int


def legs_of(tx: ReadTx, trade_ids: Collection[int]) -> Mapping[int, Sequence[TradedLeg]]:
    """Return the legs of those trades that are baskets', in the order of outcomes."""
    legs: dict[int, list[TradedLeg]] = defaultdict(list)
    for trade_id, *leg in _LEGS.fetch(tx, {"ids": trade_ids}) if trade_ids else ():
        legs[trade_id].append(TradedLeg(*leg))
    return legs


_OF_LEGS = ("market_id", "position_id", "shares", "amount_kopecks", "pnl_kopecks")


def traded_legs(*names: str, where: sa.ColumnElement[bool], source: sa.FromClause = trades) -> sa.Subquery:
    """Return columns of trades, market by market, for those trades of `source` for which a condition holds.

    `source` joins `trades` with what the condition or further columns need.
    """
    of_trades = [_column(name) for name in names]
    of_legs = [trade_legs.c[name] if name in _OF_LEGS else _column(name) for name in names]
    single = sa.select(*of_trades).select_from(source).where(trades.c.basket_id.is_(None), where)
    rows = source.join(trade_legs, trade_legs.c.trade_id == trades.c.id)
    parts = sa.select(*of_legs).select_from(rows).where(trades.c.basket_id.is_not(None), where)
    return single.union_all(parts).subquery("legs")


def _column(name: str) -> sa.ColumnElement[Any]:
    return trades.c[name]


_LEGS = CompiledQuery(
    sa.select(
        trade_legs.c.trade_id,
        trade_legs.c.market_id,
        markets.c.outcome_index,
        markets.c.name,
        trade_legs.c.kind,
        trade_legs.c.shares,
        trade_legs.c.amount_kopecks,
    )
    .join_from(trade_legs, markets, markets.c.id == trade_legs.c.market_id)
    .where(in_array(trade_legs.c.trade_id))
    .order_by(trade_legs.c.trade_id, markets.c.outcome_index)
)


#: Trades of an event that a page of one market's looks at: they have no index by market, which each bet would pay for.
LOOKED_AT_MAX = 5_000
_LOOKED_AT_ONCE = 500


class TradeRow(NamedTuple):
    """A trade with its trader."""

    id: int
    event_id: int
    pool_id: int
    market_id: int
    user_id: int
    name: str
    avatar_url: str
    hidden: bool
    #: False for a sub-account and the house's own trader.
    is_person: bool
    action: str
    side: str
    amount_kopecks: int
    shares: int
    probability_before: float
    probability_after: float
    created_at_ms: int
    #: Of a limit order's, for its owner alone.
    order_id: int | None
    role: str | None
    #: Of a basket's, with what it did in each market.
    basket_id: int | None
    legs: Sequence[TradedLeg] = ()
    #: Of a stake on a condition: the markets of the outcomes that it is about.
    given: Sequence[int] | None = None

    @property
    def avg_price_bps(self) -> int:
        """Basis points a share: of changes those of the leg that it names, else of all of it."""
        money = [leg.amount_kopecks for leg in self.legs if leg.kind == "change" and leg.market_id == self.market_id]
        return average_price_bps(money_kopecks=money[0] if money else self.amount_kopecks, shares=self.shares)


class MarketTrades(NamedTuple):
    """Trades of one market, newest first, and where a further page goes on; None at the end."""

    rows: list[TradeRow]
    before_id: int | None


def trades_of_event(tx: ReadTx, event_id: int, *, before_id: int | None, limit: int) -> list[TradeRow]:
    """Return an event's newest trades, with ids under `before_id` if given."""
    return _rows(_OF_EVENT, tx, {"event_id": event_id, **_before(before_id), "limit": limit})


def trades_of_user(
    tx: ReadTx, user_id: int, *, place: TradesPlace | None, limit: int
) -> list[tuple[TradeRow, TradesPlace]]:
    """Return a trader's newest trades from a place on, each with the place after it."""
    placed = trades_from(tx, user_id, place=place, limit=limit)
    rows = trades_by_ids(tx, [trade.id for trade in placed])
    return [(row, trade.place) for row, trade in zip(rows, placed, strict=True)]


def trades_of_market(tx: ReadTx, event_id: int, market_id: int, *, before_id: int | None, limit: int) -> MarketTrades:
    """Return up to `limit` trades of a market among the next `LOOKED_AT_MAX` of its event.

    None for a market of another event, or without trades. So `before_id` may be set although fewer were found.
    """
    if not _IS_TRADED.fetch(tx, {"market_id": market_id, "event_id": event_id}):
        return MarketTrades([], None)
    found: list[int] = []
    before = _before(before_id)
    for _ in range(LOOKED_AT_MAX // _LOOKED_AT_ONCE):
        bounds = {"event_id": event_id, "market_id": market_id, **before, "limit": _LOOKED_AT_ONCE}
        looked_at = _OF_MARKET_IN_EVENT.fetch(tx, bounds)
        found += [trade_id for trade_id, is_of_market in looked_at if is_of_market]
        if len(found) > limit:
            return MarketTrades(trades_by_ids(tx, found[:limit]), found[limit - 1])
        if len(looked_at) < _LOOKED_AT_ONCE:
            return MarketTrades(trades_by_ids(tx, found), None)
        before = _before(looked_at[-1][0])
    return MarketTrades(trades_by_ids(tx, found), before["before_id"])


def trades_by_ids(tx: ReadTx, ids: Sequence[int]) -> list[TradeRow]:
    """Return these trades, newest first."""
    return sorted(_rows(_BY_IDS, tx, {"ids": ids}), key=lambda row: row.id, reverse=True) if ids else []


def trade_view(row: TradeRow) -> Trade:
    """Show a trade to everyone, its trader as the feed names them."""
    return Trade(
        id=row.id,
        event_id=row.event_id,
        pool_id=row.pool_id,
        market_id=row.market_id,
        user=trader_view(row.user_id, row.name, row.avatar_url, hidden=row.hidden, is_person=row.is_person),
        action=cast("Literal['buy', 'sell']", row.action),
        token_type=cast("TokenType", row.side),
        amount_kopecks=row.amount_kopecks,
        shares=row.shares,
        avg_price=row.avg_price_bps,
        probability_before=row.probability_before,
        probability_after=row.probability_after,
        basket_id=row.basket_id,
        legs=None
        if row.basket_id is None
        else [TradeLeg(leg.market_id, leg.shares, leg.amount_kopecks) for leg in row.legs],
        given=None if row.given is None else list(row.given),
        created_at=iso(row.created_at_ms),
    )


def own_trade_view(row: TradeRow) -> OwnTrade:
    """Show a trade to its trader."""
    shown = trade_view(row)
    fields = {name: getattr(shown, name) for name in Trade.__struct_fields__}
    return OwnTrade(**fields, order_id=row.order_id, role=cast("Literal['taker', 'maker'] | None", row.role))


def trader_view(user_id: int, name: str, avatar_url: str, *, hidden: bool, is_person: bool) -> Trader:
    """Show a trader as the feed names them."""
    return Trader(
        user_id if is_person and not hidden else None,
        name_if_hidden(name) if hidden else name,
        "" if hidden else avatar_url,
    )


def _before(trade_id: int | None) -> dict[str, int]:
    return {"before_id": INT64_MAX if trade_id is None else trade_id}


def _rows(query: CompiledQuery, tx: ReadTx, parameters: dict[str, Any]) -> list[TradeRow]:
    rows = [TradeRow(*row) for row in query.fetch(tx, parameters)]
    of_baskets = [row.id for row in rows if row.basket_id is not None]
    if not of_baskets:
        return rows
    legs = legs_of(tx, of_baskets)
    rows = [row if row.basket_id is None else row._replace(legs=legs[row.id]) for row in rows]
    given = _given(tx, [row for row in rows if any(leg.kind == "back" for leg in row.legs)])
    return [row._replace(given=given.get(row.id)) for row in rows]


class _PricedOutcomes(msgspec.Struct):
    """Of a basket's answer, how many outcomes its pool had: a list has more since."""

    probabilities_before: list[float]


_priced_outcomes = msgspec.json.Decoder(_PricedOutcomes).decode


def _given(tx: ReadTx, rows: Sequence[TradeRow]) -> dict[int, list[int]]:
    """Return, by trade, the markets outside of which stakes came back."""
    if not rows:
        return {}
    bodies = dict(map(tuple, _BODIES.fetch(tx, {"ids": {row.basket_id for row in rows}})))
    in_pool: dict[int, list[int]] = defaultdict(list)
    for pool_id, market_id in _MARKETS.fetch(tx, {"ids": {row.pool_id for row in rows}}):
        in_pool[pool_id].append(market_id)
    found: dict[int, list[int]] = {}
    for row in rows:
        back = {leg.market_id for leg in row.legs if leg.kind == "back"}
        outcomes = len(_priced_outcomes(bodies[row.basket_id]).probabilities_before)
        found[row.id] = [one for one in in_pool[row.pool_id][:outcomes] if one not in back]
    return found


_BODIES = CompiledQuery(sa.select(baskets.c.id, baskets.c.body).where(in_array(baskets.c.id)))
_MARKETS = CompiledQuery(
    sa.select(markets.c.pool_id, markets.c.id)
    .where(in_array(markets.c.pool_id))
    .order_by(markets.c.pool_id, markets.c.outcome_index)
)


_table = trades.c
_OLDER = _table.id < sa.bindparam("before_id")


def _select() -> sa.Select[Any]:
    return sa.select(
        _table.id,
        _table.event_id,
        _table.pool_id,
        _table.market_id,
        _table.user_id,
        users.c.name,
        users.c.avatar_url,
        users.c.profile_hidden,
        sa.case((IS_PERSON, 1), else_=0),
        _table.action,
        _table.side,
        _table.amount_kopecks,
        _table.shares,
        _table.probability_before,
        _table.probability_after,
        _table.created_at_ms,
        _table.order_id,
        _table.role,
        _table.basket_id,
    ).join_from(trades, users, users.c.id == _table.user_id)


def _newest(condition: sa.ColumnElement[bool]) -> CompiledQuery:
    return CompiledQuery(_select().where(condition, _OLDER).order_by(_table.id.desc()).limit(sa.bindparam("limit")))


_OF_EVENT = _newest(_table.event_id == sa.bindparam("event_id"))
_BY_IDS = CompiledQuery(_select().where(in_array(_table.id)))
_OF_MARKET = sa.case(
    (_table.market_id == sa.bindparam("market_id"), 1),
    (_table.basket_id.is_(None), 0),
    # Any leg of a basket, not only the one that its trade names.
    (
        sa.exists().where(trade_legs.c.trade_id == _table.id, trade_legs.c.market_id == sa.bindparam("market_id")),
        1,
    ),
    else_=0,
)
_OF_MARKET_IN_EVENT = CompiledQuery(
    sa.select(_table.id, _OF_MARKET)
    .where(_table.event_id == sa.bindparam("event_id"), _OLDER)
    .order_by(_table.id.desc())
    .limit(sa.bindparam("limit"))
)
_HAS_BASKETS = sa.exists().where(_table.event_id == sa.bindparam("event_id"), _table.basket_id.is_not(None))
_IS_TRADED = CompiledQuery(
    sa.select(markets.c.id).where(
        markets.c.id == sa.bindparam("market_id"),
        markets.c.event_id == sa.bindparam("event_id"),
        # A leg of a basket may cost nothing.
        sa.or_(markets.c.volume_kopecks > 0, _HAS_BASKETS),
    )
)
