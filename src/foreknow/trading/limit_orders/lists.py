"""Lists of limit orders, newest first, and of an order's fills.

Each state is a list of its own in an index, and the lists are merged: a page takes as long however many orders the
filter leaves out. An end that has passed counts from its moment on, though a worker writes it later.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.units import INT64_MAX
from foreknow.market.markets.tables import markets
from foreknow.market.pools.tables import first_decided_at_ms, pools
from foreknow.money.holds.tables import limit_orders
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, as_rows, in_array, values_table
from foreknow.platform.db.metadata import Int64, Text
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.limit_orders.order import LimitOrderRow, OrderEnd, OrderStatus, PoolEnds, end_of
from foreknow.trading.limit_orders.store import columns_of, order_of

#: Of orders that are written as open: those that are, and those whose end has passed.
_Open = Literal["alive", "expired", "cancelled"]
#: The lists of each state as they are written, and which part of them; "": all.
_LISTS: dict[OrderStatus | None, tuple[tuple[OrderStatus, _Open | Literal[""]], ...]] = {
    None: (("open", ""), ("filled", ""), ("cancelled", ""), ("expired", "")),
    "open": (("open", "alive"),),
    "filled": (("filled", ""),),
    "cancelled": (("cancelled", ""), ("open", "cancelled")),
    "expired": (("expired", ""), ("open", "expired")),
}


class ListedOrder(NamedTuple):
    """An order, its event, its end if that is not written yet, and the account of its owner."""

    order: LimitOrderRow
    event_id: int
    end: OrderEnd | None
    owner: SubAccount

    @property
    def id(self) -> int:
        """The order's id."""
        return self.order.id


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderFilter:
    """Whose orders to list, and which: of a user, or of a partner's users."""

    user_id: int | None = None
    partner_id: int | None = None
    market_id: int | None = None
    pool_id: int | None = None
    status: OrderStatus | None = None


def list_orders(tx: ReadTx, which: OrderFilter, *, before_id: int | None, limit: int, now_ms: int) -> list[ListedOrder]:
    """Return the newest orders of those that `which` shows, with ids under `before_id` if given."""
    market_ids = _market_ids(tx, which)
    keys = [(status, part, market_id) for status, part in _LISTS[which.status] for market_id in market_ids]
    if not keys:
        return []
    bounds = {
        "owner": which.partner_id if which.user_id is None else which.user_id,
        "lists": as_rows(keys),
        "before_id": INT64_MAX if before_id is None else before_id,
        "now_ms": now_ms,
        "limit": limit,
    }
    query = _PAGES[which.user_id is None, market_ids != [0]]
    return sorted(_listed(query.fetch(tx, bounds), now_ms), key=lambda one: one.id, reverse=True)[:limit]


def orders_by_ids(tx: ReadTx, order_ids: Collection[int], *, now_ms: int) -> list[ListedOrder]:
    """Return those of these orders that exist, newest first."""
    found = _listed(_BY_IDS.fetch(tx, {"ids": order_ids}), now_ms) if order_ids else []
    return sorted(found, key=lambda one: one.id, reverse=True)


def _market_ids(tx: ReadTx, which: OrderFilter) -> list[int]:
    """Return the markets whose orders are listed; [0] for all of them."""
    if which.pool_id is None:
        return [0] if which.market_id is None else [which.market_id]
    found = [market_id for (market_id,) in _MARKETS.fetch(tx, {"ids": [which.pool_id]})]
    return found if which.market_id is None else [one for one in found if one == which.market_id]


def _listed(rows: Iterable[Sequence[Any]], now_ms: int) -> list[ListedOrder]:
    found: list[ListedOrder] = []
    for *columns, event_id, account_id, finish_at_ms, decided_at_ms in rows:
        order = order_of(columns)
        end = end_of(order, PoolEnds(finish_at_ms, decided_at_ms), now_ms=now_ms)
        found.append(ListedOrder(order, event_id, end, SubAccount(order.user_id, account_id)))
    return found


_COLUMNS = (
    *columns_of(limit_orders),
    pools.c.event_id,
    users.c.account_id,
    pools.c.finish_at_ms,
    first_decided_at_ms(),
)
_FROM = limit_orders.join(users, users.c.id == limit_orders.c.user_id).join(pools, pools.c.id == limit_orders.c.pool_id)
_NOW = sa.bindparam("now_ms", type_=Int64)


def _has_passed(order: sa.FromClause, pool: sa.FromClause) -> dict[_Open, sa.ColumnElement[bool]]:
    """Return the conditions on orders that are written as open (`status.end_of`)."""
    never: sa.ColumnElement[int] = sa.literal_column(str(INT64_MAX), Int64)
    expires, finish, decided = (
        sa.func.coalesce(column, never)
        for column in (order.c.expires_at_ms, pool.c.finish_at_ms, first_decided_at_ms(pool))
    )
    expired = sa.and_(expires <= _NOW, expires <= finish, expires <= decided)
    cancelled = sa.and_(sa.or_(finish <= _NOW, decided <= _NOW), sa.or_(finish < expires, decided < expires))
    return {"alive": sa.and_(expires > _NOW, finish > _NOW, decided > _NOW), "expired": expired, "cancelled": cancelled}


def _pages(dialect: str, *, of_partner: bool, of_markets: bool) -> sa.Select[Any]:
    lists = values_table(dialect, "lists", {"status": Text, "part": Text, "market_id": Int64})
    listed, pool = limit_orders.alias(), pools.alias()
    owner = listed.c.partner_id if of_partner else listed.c.user_id
    parts = [sa.and_(lists.c.part == part, holds) for part, holds in _has_passed(listed, pool).items()]
    conditions = [
        owner == sa.bindparam("owner", type_=Int64),
        listed.c.status == lists.c.status,
        listed.c.id < sa.bindparam("before_id", type_=Int64),
        sa.or_(lists.c.part == "", *parts),
    ]
    if of_markets:
        conditions.append(listed.c.market_id == lists.c.market_id)
    newest = (
        sa.select(listed.c.id)
        .select_from(listed.join(pool, pool.c.id == listed.c.pool_id))
        .where(*conditions)
        .order_by(listed.c.id.desc())
        .limit(sa.bindparam("limit", type_=Int64))
        .correlate(lists)
    )
    if dialect == "postgresql":
        each = newest.lateral("newest")
        return sa.select(*_COLUMNS).select_from(lists.join(each, sa.true()).join(_FROM, limit_orders.c.id == each.c.id))
    return sa.select(*_COLUMNS).select_from(lists.join(_FROM, limit_orders.c.id.in_(newest)))


_PAGES = {
    (of_partner, of_markets): CompiledQuery(
        lambda dialect, of_partner=of_partner, of_markets=of_markets: _pages(  # type: ignore[misc]
            dialect, of_partner=of_partner, of_markets=of_markets
        )
    )
    for of_partner in (False, True)
    for of_markets in (False, True)
}
_BY_IDS = CompiledQuery(sa.select(*_COLUMNS).select_from(_FROM).where(in_array(limit_orders.c.id)))
_MARKETS = CompiledQuery(sa.select(markets.c.id).where(in_array(markets.c.pool_id)))
