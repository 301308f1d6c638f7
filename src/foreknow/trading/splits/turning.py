"""Turning positions: from a split on, a YES share of Other is one of Other and one of the new outcome.

Of one position, the new position, the part of the cost that goes to it, the row of its statement and the notice commit
together, under the lock of the pool. No money moves. The database itself refuses to turn a position twice for one
market (`position_splits`).
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.market.events.store import load_events
from foreknow.market.pools.store import PoolRow, mark_turned
from foreknow.money import statements, stats
from foreknow.money.ledger import LedgerTransaction
from foreknow.money.statements import StatementLine
from foreknow.people import notifications
from foreknow.people.notifications import NewNotifications
from foreknow.people.users.store import deleted_among
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.positions import store as positions
from foreknow.trading.positions.store import OpenPosition
from foreknow.trading.positions.tables import position_splits


class _Holder(NamedTuple):
    account_id: int
    partner_id: int | None
    external_user_id: str | None


def turn_piece(tx: WriteTx, pool: PoolRow, *, size: int, after_id: int = 0) -> int | None:
    """Turn up to `size` positions of a locked list, with ids over `after_id`; return the id of the last of them.

    None where none was left: then the list is marked as turned.
    """
    held = positions.unturned(tx, **_which(pool), after_id=after_id, limit=size)
    if not held:
        mark_turned(tx, pool.id)
        return None
    _turn(tx, pool, held)
    return held[-1].id


def turn_of(tx: WriteTx, pool: PoolRow, user_ids: Collection[int]) -> None:
    """Turn what some users hold of Other in a locked list."""
    held = positions.unturned_of(tx, user_ids, **_which(pool)) if pool.turning else []
    if held:
        _turn(tx, pool, sorted(held, key=lambda position: position.id))


def unturned_among(tx: ReadTx, pool: PoolRow, user_ids: Collection[int]) -> set[int]:
    """Return which of some users hold a position of Other that is to be turned, in a locked list."""
    if not pool.turning:
        return set()
    return {position.user_id for position in positions.unturned_of(tx, user_ids, **_which(pool))}


def _which(pool: PoolRow) -> dict[str, int]:
    assert pool.other_index is not None
    split = pool.splits[-1]
    return {
        "market_id": pool.markets[pool.other_index].id,
        "new_market_id": split.market_id,
        "last_id": split.last_position_id,
    }


def _turn(tx: WriteTx, pool: PoolRow, held: Sequence[OpenPosition]) -> None:
    split = pool.splits[-1]
    holders = _holders(tx, {position.user_id for position in held})
    with LedgerTransaction(tx) as ledger_tx:
        # As payments do: a deletion locks the account first, and from then on no one is notified.
        ledger_tx.lock({holder.account_id for holder in holders.values()})
        deleted_ids = deleted_among(tx, holders)
        at_ms = max(now_ms(tx), pool.last_trade_at_ms or 0, split.at_ms)
        before = [position.cost_kopecks for position in held]
        new = [
            position.split(market_id=split.market_id, share_percent=split.share_percent, at_ms=split.at_ms)
            for position in held
        ]
        assert before == [old.cost_kopecks + one.cost_kopecks for old, one in zip(held, new, strict=True)]
        positions.write(tx, [*held, *new])
        rows = [
            (
                *(old.user_id, old.id, split.market_id, one.id, pool.id, pool.event_id),
                *(one.shares, one.cost_kopecks, split.share_percent, split.last_trade_id, at_ms),
            )
            for old, one in zip(held, new, strict=True)
        ]
        insert_rows(tx, position_splits, _ROW, rows)
    event = load_events(tx, [pool.event_id])[pool.event_id]
    notices = NewNotifications(event, at_ms=at_ms)
    lines: list[StatementLine] = []
    for one in new:
        holder = holders[one.user_id]
        if one.user_id in deleted_ids:
            continue
        if holder.partner_id is None:
            notices.add(
                "outcome_added",
                one.user_id,
                pool_name=pool.name,
                pool_name_ru=pool.name_ru,
                market_name=split.name,
                market_name_ru=split.name_ru,
                token_type=one.side,
                shares=one.shares,
            )
            continue
        lines.append(
            StatementLine(
                partner_id=holder.partner_id,
                type="split",
                user_id=one.user_id,
                external_user_id=holder.external_user_id,
                market_id=one.market_id,
                float_change_kopecks=0,
                balance_change_kopecks=0,
                created_at_ms=at_ms,
            )
        )
    notifications.record(tx, notices)
    statements.record(tx, lines)
    # More shares are outstanding: those of both.
    added = sum(one.shares for one in new)
    stats.record_settlement(tx, at_ms=at_ms, settled_shares=-added, house_result_kopecks=0)


def _holders(tx: ReadTx, user_ids: Collection[int]) -> dict[int, _Holder]:
    return {user_id: _Holder(*rest) for user_id, *rest in _HOLDERS.fetch(tx, {"ids": user_ids})}


_ROW = (
    "user_id",
    "position_id",
    "market_id",
    "new_position_id",
    "pool_id",
    "event_id",
    "shares",
    "cost_kopecks",
    "share_percent",
    "last_trade_id",
    "created_at_ms",
)
_HOLDERS = CompiledQuery(
    lambda _dialect: sa.select(users.c.id, users.c.account_id, users.c.partner_id, users.c.external_user_id).where(
        in_array(users.c.id)
    )
)
