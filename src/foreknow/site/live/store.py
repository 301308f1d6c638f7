"""Reads what live messages show: events with their pools, and trades in the feed's order."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.market.events.schemas import EventStatusName
from foreknow.market.events.store import EventStatus, public_status
from foreknow.market.events.tables import events
from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.market.pools.tables import pools
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.store import traders_of_events
from foreknow.site.comments.store import counts
from foreknow.site.feed.store import numbered_trades, seq_column
from foreknow.site.live.messages import LivePool, pool_json
from foreknow.trading.desk.tables import trades
from foreknow.trading.history.schemas import Trade
from foreknow.trading.history.trades import trade_view, trades_by_ids
from foreknow.trading.positions.tables import position_splits

#: The columns of a pool's row that change whenever a message about it does, but for the time.
PoolVersion = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class PoolReading:
    """A pool as messages show it, also encoded."""

    now: LivePool
    json: bytes
    #: End of its dispute window, which may change what is shown; None for none.
    disputable_until_ms: int | None
    #: What its event's page shows and messages do not: b, the moment of its decision, whether it is being paid; how
    #: many outcomes it has, whether positions are being turned, and how many clarifications its rules have.
    beside: tuple[int, int | None, bool, int, bool, int]

    @property
    def state(self) -> tuple[Any, ...]:
        """What is shown of it beside its prices and trades."""
        return self.now.paused, self.now.won_side, self.beside


@dataclass(frozen=True, slots=True)
class EventReading:
    """An event that everyone may see."""

    event_id: int
    status: EventStatusName
    comments: int
    traders: int
    #: Its pools in their order, and those of them whose version is not the one known.
    versions: Mapping[int, PoolVersion]
    changed: Mapping[int, PoolReading]


class TapeTrade(NamedTuple):
    """A trade with its number in the feed."""

    seq: int
    trade: Trade


def read_events(
    tx: ReadTx, event_ids: Collection[int], known: Mapping[int, PoolVersion], *, now_ms: int
) -> list[EventReading]:
    """Return those of the events that everyone may see, as they are at `now_ms`.

    `known` are versions of their pools: what has not changed since is not read.
    """
    rows = [_EventRow(*row) for row in _EVENTS.fetch(tx, {"ids": event_ids})]
    ids = [row.id for row in rows]
    comments, traders = counts(tx, ids), traders_of_events(tx, ids)
    versions: dict[int, dict[int, PoolVersion]] = {row.id: {} for row in rows}
    for pool_id, event_id, *version in _POOLS.fetch(tx, {"ids": list(versions)}):
        versions[event_id][pool_id] = tuple(version)
    changed = [
        pool_id
        for of_event in versions.values()
        for pool_id, version in of_event.items()
        if known.get(pool_id) != version
    ]
    loaded = load_pools(tx, changed) if changed else {}
    return [
        EventReading(
            event_id=row.id,
            status=row.status_at(now_ms),
            comments=comments[row.id],
            traders=traders[row.id],
            versions=versions[row.id],
            changed={pool_id: _pool(loaded[pool_id], now_ms) for pool_id in versions[row.id] if pool_id in loaded},
        )
        for row in rows
    ]


def trades_after(tx: ReadTx, seq: int, *, count: int) -> list[TapeTrade]:
    """Return the next `count` trades after a number of the feed."""
    numbers = {
        trade_id: number for number, trade_id in tx.execute(_after(tx.dialect.name), {"seq": seq, "count": count})
    }
    found = trades_by_ids(tx, list(numbers)) if numbers else []
    return sorted((TapeTrade(numbers[row.id], trade_view(row)) for row in found), key=lambda one: one.seq)


def newest_trades(tx: ReadTx, *, count: int) -> list[Trade]:
    """Return the last trades of all events, oldest first."""
    ids = tx.execute(_NEWEST_IDS, {"count": count}).scalars().all()
    return [trade_view(row) for row in reversed(trades_by_ids(tx, ids))]


class _EventRow(NamedTuple):
    id: int
    status: str
    closes_at_ms: int | None
    resolves_at_ms: int | None

    def status_at(self, now_ms: int) -> EventStatusName:
        return public_status(
            EventStatus(self.status), closes_at_ms=self.closes_at_ms, resolves_at_ms=self.resolves_at_ms, now_ms=now_ms
        ).value


def _pool(row: PoolRow, now_ms: int) -> PoolReading:
    now = LivePool(
        pool_id=row.id,
        paused=row.paused,
        won_side=row.won_side_at(now_ms),
        probabilities=row.lmsr().probabilities(),
        volume_kopecks=row.volume_kopecks,
        trades=row.trade_count,
    )
    decided_at_ms = None if row.decision is None else row.decision.at_ms
    return PoolReading(
        now,
        pool_json(now),
        None if row.is_resolved(now_ms) else row.disputable_until_ms,
        (row.b, decided_at_ms, row.paying, len(row.markets), row.turning, row.clarifications),
    )


_EVENTS = CompiledQuery(
    sa.select(events.c.id, events.c.status, events.c.closes_at_ms, events.c.resolves_at_ms).where(
        in_array(events.c.id), events.c.published_at_ms.is_not(None)
    )
)
_POOLS = CompiledQuery(
    sa.select(
        pools.c.id,
        pools.c.event_id,
        sa.case((pools.c.paused, 1), else_=0),
        pools.c.state,
        pools.c.won_side,
        pools.c.decided_at_ms,
        pools.c.disputable_until_ms,
        sa.case((pools.c.paying, 1), else_=0),
        sa.case((pools.c.turning, 1), else_=0),
        pools.c.b,
        pools.c.clarifications,
        # As text: it is only compared.
        sa.type_coerce(pools.c.weights, sa.Text),
        pools.c.volume_kopecks,
        pools.c.trade_count,
    )
    .where(in_array(pools.c.event_id))
    .order_by(pools.c.event_id, pools.c.position)
)


_NEWEST_IDS = sa.select(trades.c.id).order_by(trades.c.id.desc()).limit(sa.bindparam("count"))


# Cached: a statement takes longer to build than to run.
@cache
def _after(dialect: str) -> sa.Select[Any]:
    seq = seq_column(dialect)
    query = sa.select(seq, trades.c.id).select_from(numbered_trades(dialect))
    return query.where(seq > sa.bindparam("seq")).order_by(seq).limit(sa.bindparam("count"))


class Silent(NamedTuple):
    """What of a person changes with changes of their positions that may leave their money as it is; 0 for none yet."""

    #: Their newest fill of a resting order, or first trade.
    trade_id: int
    #: The row of their newest position that a split turned.
    turned_id: int


def silent_fetch(user_ids: Collection[int]) -> Fetch[dict[int, Silent]]:
    """Return the query of these people's silent changes: the last entry of two indexes for each of them."""
    return Fetch(
        _SILENT,
        {"ids": user_ids},
        lambda rows: {user_id: Silent(trade_id or 0, turned_id or 0) for user_id, trade_id, turned_id in rows},
        is_empty=not user_ids,
    )


def _silent(_dialect: str) -> sa.Select[tuple[int, int | None, int | None]]:
    outside_chain = trades.c.user_id == users.c.id, trades.c.previous_trade_id.is_(None)
    fill = sa.select(sa.func.max(trades.c.id)).where(*outside_chain).correlate(users).scalar_subquery()
    of_user = position_splits.c.user_id == users.c.id
    turned = sa.select(sa.func.max(position_splits.c.id)).where(of_user).correlate(users).scalar_subquery()
    return sa.select(users.c.id, fill.label("trade_id"), turned.label("turned_id")).where(in_array(users.c.id))


_SILENT = CompiledQuery(_silent)
