"""Turning positions: from a split on, a YES share of Other is one of Other and one of the new outcome.

Of one position, the new position, the part of the cost that goes to it, the row of its statement and the notice commit
together, under the lock of the pool. No money moves. The database itself refuses to turn a position twice for one
market (`position_splits`).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.market.events.store import EventRow, events_fetch
from foreknow.market.pools.splits import SplitStep, last_splits
from foreknow.market.pools.store import PoolRow, PricedPool, mark_turned
from foreknow.money import statements, stats
from foreknow.money.pricing import Side
from foreknow.money.statements import StatementLine
from foreknow.people import notifications
from foreknow.people.notifications import Choices, NewNotifications, choices_fetch
from foreknow.people.notifications.kinds.own import OutcomeAdded
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, Fetch, fetch_together, in_array
from foreknow.platform.db.changes import Writes, insert_rows
from foreknow.platform.db.clock import now_fetch
from foreknow.platform.db.statements.driver import Rows
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.effects.paying import line_of
from foreknow.trading.positions import store as positions
from foreknow.trading.positions.store import OpenPosition
from foreknow.trading.positions.tables import position_splits


class _Holder(NamedTuple):
    user_id: int
    partner_id: int | None
    external_user_id: str | None
    deleted_at_ms: int | None


@dataclass(frozen=True, slots=True)
class _Piece:
    """Positions of Other of a locked list, whose holders are locked, too, and what they become."""

    pool: PoolRow
    event: EventRow
    holders: Mapping[int, _Holder]
    choices: Choices
    #: Ids for the new positions.
    new_ids: Sequence[int]
    at_ms: int


def turn_piece(tx: WriteTx, pool: PoolRow, *, size: int, after_id: int = 0) -> int | None:
    """Turn up to `size` positions of a locked list, with ids over `after_id`; return the id of the last of them.

    None where none was left: then the list is marked as turned.
    """
    held = positions.unturned(tx, **_which(pool, pool.splits[-1]), after_id=after_id, limit=size)
    if not held:
        mark_turned(tx, pool.id)
        return None
    _turn(tx, pool, held)
    return held[-1].id


def turn_of(tx: WriteTx, pool: PoolRow, user_ids: Collection[int]) -> None:
    """Turn what some users hold of Other in a locked list."""
    if not pool.turning:
        return
    held = positions.unturned_of(tx, user_ids, **_which(pool, pool.splits[-1]))
    if held:
        _turn(tx, pool, sorted(held, key=lambda position: position.id))


def unturned_among(tx: ReadTx, pools: Collection[PricedPool], user_ids: Collection[int]) -> set[tuple[int, int]]:
    """Return which of some users hold a position of Other that is to be turned in which of some locked pools."""
    turning = {pool.id: pool for pool in pools if pool.turning}
    if not turning:
        return set()
    return {
        (position.user_id, pool_id)
        for pool_id, split in last_splits(tx, turning).items()
        for position in positions.unturned_of(tx, user_ids, **_which(turning[pool_id], split))
    }


def unturned_shares(tx: ReadTx, pool: PoolRow, user_ids: Collection[int]) -> dict[int, int]:
    """Return how many shares of Other that are to be turned some users hold in a locked list."""
    if not pool.turning:
        return {}
    held = positions.unturned_of(tx, user_ids, **_which(pool, pool.splits[-1]))
    return {position.user_id: position.shares for position in held}


def _which(pool: PricedPool, split: SplitStep) -> dict[str, int]:
    assert pool.other_index is not None
    return {
        "market_id": pool.markets[pool.other_index].id,
        "new_market_id": split.market_id,
        "last_id": split.last_position_id,
    }


def _turn(tx: WriteTx, pool: PoolRow, held: Sequence[OpenPosition]) -> None:
    piece = _read(tx, pool, [position.user_id for position in held])
    split = pool.splits[-1]
    before = [position.cost_kopecks for position in held]
    new = [
        position.split(market_id=split.market_id, share_percent=split.share_percent, at_ms=split.at_ms)
        for position in held
    ]
    assert before == [old.cost_kopecks + one.cost_kopecks for old, one in zip(held, new, strict=True)]
    lines = _lines(piece, new)
    begun = statements.begun_fetch({line.partner_id for line in lines}).fetch(tx)
    # All at once: each exchange with PostgreSQL makes the orders that wait for the pool wait longer.
    with Writes(tx) as writes:
        positions.write_turned(writes, held, new, piece.new_ids)
        insert_rows(writes, position_splits, _ROW, _rows(piece, held, new))
        notifications.record(tx, _notices(piece, new), choices=piece.choices, into=writes)
        statements.write(writes, lines, begun)
        # More shares are outstanding: those of both.
        added = sum(one.shares for one in new)
        stats.record_settlement(writes, at_ms=piece.at_ms, settled_shares=-added, house_result_kopecks=0)


def _read(tx: WriteTx, pool: PoolRow, user_ids: Sequence[int]) -> _Piece:
    """Lock holders, and read what turning their positions needs."""
    holders, choices = Fetch(_HOLDERS, {"ids": user_ids}, _by_id), choices_fetch(user_ids)
    events, new_ids, now = events_fetch([pool.event_id]), positions.ids_of_new(len(user_ids)), now_fetch(tx)
    fetch_together(tx, [holders, choices, events, new_ids, now])
    at_ms = max(now.result, pool.last_trade_at_ms or 0, pool.splits[-1].at_ms)
    event = events.result[pool.event_id]
    return _Piece(pool, event, holders.result, choices.result, new_ids.result, at_ms)


def _rows(piece: _Piece, held: Sequence[OpenPosition], new: Sequence[OpenPosition]) -> Rows:
    pool, split = piece.pool, piece.pool.splits[-1]
    return [
        (
            *(old.user_id, old.id, split.market_id, one.id, pool.id, pool.event_id),
            *(one.shares, one.cost_kopecks, split.share_percent, split.last_trade_id, piece.at_ms),
        )
        for old, one in zip(held, new, strict=True)
    ]


def _notices(piece: _Piece, new: Sequence[OpenPosition]) -> NewNotifications:
    """Return those of people; no one is notified once their account is deleted."""
    split = piece.pool.splits[-1]
    notices = NewNotifications(piece.event, at_ms=piece.at_ms)
    for one in new:
        holder = piece.holders[one.user_id]
        if holder.partner_id is None and holder.deleted_at_ms is None:
            added = OutcomeAdded(
                pool_name=piece.pool.name,
                pool_name_ru=piece.pool.name_ru,
                market_name=split.name,
                market_name_ru=split.name_ru,
                token_type=Side(one.side),
                shares=one.shares,
            )
            notices.add(one.user_id, added)
    return notices


def _lines(piece: _Piece, new: Sequence[OpenPosition]) -> list[StatementLine]:
    """Return those of sub-accounts."""
    return [
        line_of(holder, "split", at_ms=piece.at_ms, market_id=one.market_id)
        for one in new
        if (holder := piece.holders[one.user_id]).partner_id is not None and holder.deleted_at_ms is None
    ]


def _by_id(rows: Rows) -> dict[int, _Holder]:
    return {row[0]: _Holder(*row) for row in rows}


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
#: A deletion changes the row: it comes before, and no one is notified, or after. No money moves, so that no account is
#: locked: an order of a holder's elsewhere does not wait.
_HOLDERS = CompiledQuery(
    sa.select(users.c.id, users.c.partner_id, users.c.external_user_id, users.c.deleted_at_ms)
    .where(in_array(users.c.id))
    .order_by(users.c.id)
    .with_for_update(read=True)
)
