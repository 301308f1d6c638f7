"""Payments under way, and the holders of open positions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.market.pools.tables import pools
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable
from foreknow.platform.jobs.piecewise import LEASE_MS
from foreknow.trading.settlement.tables import payments

#: What the log of admins' actions calls a decision on another user's pool, and a correction.
RESOLVED, CORRECTED = "pool.resolve", "pool.correct"
_C = payments.c

#: One row a pool with a result, due when it is final; `attempts` counts those since the last piece.
PAYMENTS = JobTable(_C.pool_id, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.attempts)


@dataclass(frozen=True, slots=True)
class Payee:
    """The account to be paid. `partner_id` and `external_user_id` are None for a person."""

    account_id: int
    partner_id: int | None
    external_user_id: str | None


def load_holders(tx: ReadTx, user_ids: Collection[int]) -> dict[int, Payee]:
    """Return these users as holders, by id."""
    return {user_id: Payee(*rest) for user_id, *rest in _HOLDERS.fetch(tx, {"ids": user_ids})}


_HOLDERS = CompiledQuery(
    lambda _dialect: sa.select(users.c.id, users.c.account_id, users.c.partner_id, users.c.external_user_id).where(
        in_array(users.c.id)
    )
)


def schedule_payments(tx: WriteTx, pool_ids: Collection[int], *, due_at_ms: int) -> None:
    """Let these locked pools be paid from `due_at_ms` on (Unix milliseconds)."""
    insert_rows(tx, payments, ("pool_id", "due_at_ms"), [(pool_id, due_at_ms) for pool_id in pool_ids])


def are_any_unpaid(tx: ReadTx, pool_ids: Collection[int]) -> bool:
    """Return whether any of these pools is being paid."""
    query = sa.select(pools.c.id).where(pools.c.id.in_(pool_ids), pools.c.paying).limit(1)
    return tx.execute(query).first() is not None
