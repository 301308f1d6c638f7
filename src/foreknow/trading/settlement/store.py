"""Payments under way, and the verdicts that partners are posted."""

from __future__ import annotations

from collections.abc import Collection
from typing import NamedTuple

import sqlalchemy as sa

from foreknow.market.pools.resolutions import Decision
from foreknow.market.pools.tables import pools
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.metadata import Int64, Json, own_id, table
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable
from foreknow.platform.jobs.piecewise import LEASE_MS

#: One row a pool with a result, until its last position is paid and the rest of its escrow returned.
payments = table(
    "payments",
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), primary_key=True, autoincrement=False),
    #: When the result is final, and a process may pay; while one does, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)

#: One row a verdict with a window, and one at its first hold.
pool_decisions = table(
    "pool_decisions",
    own_id(),
    sa.Column("pool_id", Int64, nullable=False),
    #: As `resolution_view` shows them.
    sa.Column("won_side", Int64, nullable=False),
    sa.Column("payouts", Json),
    sa.Column("disputable_until_ms", Int64, nullable=False),
    #: NULL until an objection holds it.
    sa.Column("held_until_ms", Int64),
    sa.Column("created_at_ms", Int64, nullable=False, index=True),
)


class DecisionRow(NamedTuple):
    """A row of `pool_decisions`."""

    id: int
    pool_id: int
    won_side: int
    payouts: list[float] | None
    disputable_until_ms: int
    held_until_ms: int | None
    created_at_ms: int


_C = payments.c

#: One row a pool with a result, due when it is final; `attempts` counts those since the last piece.
PAYMENTS = JobTable(_C.pool_id, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.attempts)


def schedule_payments(tx: WriteTx, pool_ids: Collection[int], *, due_at_ms: int) -> None:
    """Let these locked pools be paid from `due_at_ms` on (Unix milliseconds)."""
    insert_rows(tx, payments, ("pool_id", "due_at_ms"), [(pool_id, due_at_ms) for pool_id in pool_ids])


def note_decision(
    tx: WriteTx, pool_id: int, decision: Decision, *, at_ms: int, held_until_ms: int | None = None
) -> None:
    """Let partners know of a pool's verdict with a window, or that it is held until then, at `at_ms`."""
    row = {
        "pool_id": pool_id,
        "won_side": decision.resolution.won_side,
        "payouts": decision.resolution.shown_payouts(),
        "disputable_until_ms": decision.disputable_until_ms,
        "held_until_ms": held_until_ms,
        "created_at_ms": at_ms,
    }
    tx.execute(pool_decisions.insert().values(row))


def reschedule_payment(tx: WriteTx, pool_id: int, *, due_at_ms: int) -> None:
    """Let a locked pool, whose result is not final, be paid from another moment on.

    A process that has leased it already finds its lease lost.
    """
    tx.execute(payments.update().where(_C.pool_id == pool_id).values(due_at_ms=due_at_ms, attempts=0))


def all_final_before_ms(tx: ReadTx, *, now_ms: int) -> int:
    """Return the moment before which each result that is final has been made so in its pool's row.

    That row says when it was due, however late the worker that writes it.
    """
    until_ms = pools.c.disputable_until_ms
    late = sa.select(sa.func.min(until_ms)).join_from(payments, pools, pools.c.id == _C.pool_id)
    waiting_ms = tx.execute(late.where(pools.c.state == "open", until_ms <= now_ms)).scalar()
    return now_ms if waiting_ms is None else min(now_ms, int(waiting_ms))


def are_any_unpaid(tx: ReadTx, pool_ids: Collection[int]) -> bool:
    """Return whether any of these pools is being paid."""
    query = sa.select(pools.c.id).where(pools.c.id.in_(pool_ids), pools.c.paying).limit(1)
    return tx.execute(query).first() is not None
