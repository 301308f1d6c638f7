"""Who holds most of each side of a pool's markets, and how many hold any."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.money.pricing import Side
from foreknow.people.users.tables import IS_PERSON, users
from foreknow.platform.db.bulk import CompiledQuery, as_rows, in_array, values_table
from foreknow.platform.db.metadata import Int64, Text
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.tables import holdings, is_held, market_holders

#: Holders shown of each side.
SHOWN = 20


class Holder(NamedTuple):
    """Who holds shares of one side of a market."""

    market_id: int
    side: str
    shares: int
    position_id: int
    user_id: int
    name: str
    avatar_url: str
    hidden: bool
    #: False for a sub-account and the house's own trader.
    is_person: bool


class SideHolders(NamedTuple):
    """The largest holders of one side of a market, these first, and how many there are."""

    largest: Sequence[Holder]
    holders: int


def holders_of(tx: ReadTx, market_ids: Sequence[int]) -> dict[tuple[int, str], SideHolders]:
    """Return the holders by market and side; of equal ones the newest position first."""
    keys = [(market_id, side.value) for market_id in market_ids for side in Side]
    largest: dict[tuple[int, str], list[Holder]] = {key: [] for key in keys}
    for row in map(Holder._make, _LARGEST.fetch(tx, {"rows": as_rows(keys), "shown": SHOWN})):
        largest[row.market_id, row.side].append(row)
    counts = {(market_id, side): count for market_id, side, count in _COUNTS.fetch(tx, {"ids": market_ids})}
    return {
        key: SideHolders(sorted(rows, key=lambda row: (-row.shares, -row.position_id)), counts.get(key, 0))
        for key, rows in largest.items()
    }


_H = holdings.c


def _largest(dialect: str) -> sa.Select[Any]:
    keys = values_table(dialect, "rows", {"market_id": Int64, "side": Text})
    top = holdings.alias("top")
    ids = (
        sa.select(top.c.position_id)
        .where(top.c.market_id == keys.c.market_id, top.c.side == keys.c.side, is_held(top))
        .order_by(top.c.shares.desc(), top.c.position_id.desc())
        .limit(sa.bindparam("shown"))
        .correlate(keys)
    )
    if dialect == "sqlite":
        # It has no LATERAL, and follows the subquery to the rows.
        rows = keys.join(holdings, _H.position_id.in_(ids.scalar_subquery()))
    else:
        found = ids.lateral("found")
        rows = keys.join(found, sa.true()).join(holdings, _H.position_id == found.c.position_id)
    return sa.select(
        _H.market_id,
        _H.side,
        _H.shares,
        _H.position_id,
        _H.user_id,
        users.c.name,
        users.c.avatar_url,
        users.c.profile_hidden,
        sa.case((IS_PERSON, 1), else_=0),
    ).select_from(rows.join(users, users.c.id == _H.user_id))


_LARGEST = CompiledQuery(_largest)
_M = market_holders.c
_COUNTS = CompiledQuery(sa.select(_M.market_id, _M.side, _M.holders).where(in_array(_M.market_id)))
