"""A trader's trades, newest first: each names the one before it, and the ledger account names the newest."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import sqlalchemy as sa

from foreknow.kernel.units import INT64_MAX
from foreknow.money.ledger import last_trade_ids
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.tables import trades


def trade_ids_of_user(tx: ReadTx, user_id: int, *, before_id: int | None, limit: int) -> list[int]:
    """Return the ids of up to `limit` trades of a trader, newest first.

    `before_id`: only older ones than this trade of theirs, or than the number after one of theirs.
    """
    newest_id = _newest_id(tx, user_id, before_id)
    chain = [] if newest_id is None else _CHAIN.fetch(tx, {"newest_id": newest_id, "limit": limit})
    found = [trade_id for (trade_id,) in chain]
    if len(found) < limit:
        older = {"user_id": user_id, "before_id": INT64_MAX if before_id is None else before_id, "limit": limit}
        found += [trade_id for (trade_id,) in _FIRSTS.fetch(tx, older) if trade_id not in found]
    return sorted(found, reverse=True)[:limit]


def traded_between(tx: ReadTx, user_ids: Collection[int], *, start_ms: int, end_ms: int) -> set[int]:
    """Return who of these traders traded at `start_ms` or later and before `end_ms`, looking back from now."""
    bounds = {"start_ms": start_ms, "end_ms": end_ms}
    found = _traders(_SINCE.fetch(tx, {"ids": last_trade_ids(tx, user_ids).values(), **bounds}))
    rest = set(user_ids) - found
    return found | (_traders(_FIRSTS_BETWEEN.fetch(tx, {"ids": rest, **bounds})) if rest else set())


def _traders(rows: Sequence[Sequence[int]]) -> set[int]:
    return {row[0] for row in rows}


def _newest_id(tx: ReadTx, user_id: int, before_id: int | None) -> int | None:
    """Return the newest trade that is older than `before_id` and names, or is named by, another one."""
    if before_id is None or before_id == INT64_MAX:
        return last_trade_ids(tx, [user_id]).get(user_id)
    found = {row[0]: row[1] for row in _AT.fetch(tx, {"user_id": user_id, "at": before_id, "below": before_id - 1})}
    return found[before_id] if before_id in found else next(iter(found), None)


_AT = CompiledQuery(
    lambda _dialect: sa.select(trades.c.id, trades.c.previous_trade_id).where(
        trades.c.user_id == sa.bindparam("user_id"),
        sa.or_(trades.c.id == sa.bindparam("at"), trades.c.id == sa.bindparam("below")),
    )
)


def _chain(dialect: str) -> sa.Select[tuple[int]]:
    limit = sa.bindparam("limit", type_=Int64)
    newest = sa.select(
        trades.c.id,
        trades.c.previous_trade_id,
        sa.literal_column("1::bigint" if dialect == "postgresql" else "1", Int64).label("place"),
    )
    chain = newest.where(trades.c.id == sa.bindparam("newest_id", type_=Int64)).cte("chain", recursive=True)
    chain = chain.union_all(
        sa.select(trades.c.id, trades.c.previous_trade_id, chain.c.place + sa.literal_column("1"))
        .join_from(chain, trades, trades.c.id == chain.c.previous_trade_id)
        .where(chain.c.place < limit)
    )
    return sa.select(chain.c.id)


_CHAIN = CompiledQuery(_chain)
#: Each trader's first one, and what was traded before the trades named one another.
_FIRSTS = CompiledQuery(
    lambda _dialect: (
        sa.select(trades.c.id)
        .where(
            trades.c.user_id == sa.bindparam("user_id"),
            trades.c.previous_trade_id.is_(None),
            trades.c.id < sa.bindparam("before_id"),
        )
        .order_by(trades.c.id.desc())
        .limit(sa.bindparam("limit"))
    )
)

_START, _END = sa.bindparam("start_ms", type_=Int64), sa.bindparam("end_ms", type_=Int64)


def _since(_dialect: str) -> sa.Select[tuple[int]]:
    columns = (trades.c.user_id, trades.c.created_at_ms, trades.c.previous_trade_id)
    back = sa.select(*columns).where(in_array(trades.c.id)).cte("back", recursive=True)
    # A trader's trades are never older than the ones before them, but for a clock that was set back.
    before = sa.select(*columns).join_from(back, trades, trades.c.id == back.c.previous_trade_id)
    back = back.union_all(before.where(back.c.created_at_ms >= _END))
    return sa.select(back.c.user_id).where(back.c.created_at_ms >= _START, back.c.created_at_ms < _END)


_SINCE = CompiledQuery(_since)
_FIRSTS_BETWEEN = CompiledQuery(
    lambda _dialect: (
        sa.select(trades.c.user_id)
        .distinct()
        .where(
            in_array(trades.c.user_id),
            trades.c.previous_trade_id.is_(None),
            trades.c.created_at_ms >= _START,
            trades.c.created_at_ms < _END,
        )
    )
)
