"""Claiming due rows of a table, so that one process at a time works on each."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, replace
from typing import Any

import sqlalchemy as sa

from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx, WriteTx

_ONE: sa.ColumnElement[int] = sa.literal(1)


@dataclass(frozen=True, slots=True)
class Claim:
    """A row that this process is to handle until its lease ends; `attempt` counts from 1.

    The end of the lease identifies the claim: each later claim of the row has a later one.
    """

    key: Any
    attempt: int
    lease_ends_at_ms: int


class JobTable:
    """The columns that make a table's rows jobs.

    One column holds both the time when a row is due and, while a process works on it, the end of the lease: a row
    whose process died falls due by itself.
    """

    def __init__(
        self,
        key: sa.Column[Any],
        due_at_ms: sa.Column[Any],
        *,
        lease_ms: int,
        claims: sa.Column[int] | None = None,
        failures: sa.Column[int] | None = None,
        claimed_at_ms: sa.Column[Any] | None = None,
        claimable: sa.ColumnElement[bool] | None = None,
    ) -> None:
        """`key` identifies a row. `claims` counts a row's claims, `failures` those put off.

        A claim's `attempt` is one more than the failures before it, or than the claims where no failures are counted.
        `claimed_at_ms` gets the time of each claim. Rows that are not `claimable` are never claimed, whatever their due
        time says.
        """
        self._key = key
        self._due_at_ms = due_at_ms
        self._table = key.table
        self._lease_ms = lease_ms
        before = claims if failures is None else failures
        self._attempt = _ONE if before is None else before + 1
        self._on_claim = {} if claims is None else {claims: claims + 1}
        self._no_claims = {} if claims is None else {claims.name: 0}
        self._on_failure = {} if failures is None else {failures: failures + 1}
        self._claimed_at_ms = claimed_at_ms
        self._claimable = sa.true() if claimable is None else claimable
        #: Compiled once: idle workers ask it several times a second.
        self._first_due = CompiledQuery(
            sa.select(self._due_at_ms)
            .where(self._due_at_ms <= sa.bindparam("now_ms", type_=Int64), self._claimable)
            .limit(sa.literal_column("1"))
        )

    def is_any_due(self, tx: ReadTx, *, now_ms: int) -> bool:
        """Return whether any row can be claimed."""
        return bool(self._first_due.fetch(tx, {"now_ms": now_ms}))

    def is_due(self, tx: ReadTx, key: Any, *, now_ms: int) -> bool:
        """Return whether the row of `key` is due; a missing one is."""
        due_at_ms = tx.execute(sa.select(self._due_at_ms).where(self._key == key)).scalar()
        return due_at_ms is None or bool(due_at_ms <= now_ms)

    def claim(self, tx: WriteTx, *, now_ms: int, limit: int, only: Collection[Any] | None = None) -> list[Claim]:
        """Lease up to `limit` due rows, those due for longest first; of the keys `only` where given.

        Rows that another process is claiming at this moment are skipped, not waited for.
        """
        query = (
            sa.select(self._key, self._attempt)
            .where(self._is_due(now_ms))
            .order_by(self._due_at_ms)
            .limit(limit)
            .with_for_update(skip_locked=True, of=self._table)
        )
        if only is not None:
            query = query.where(self._key.in_(only))
        lease_ends_at_ms = now_ms + self._lease_ms
        claims = [Claim(key, attempt, lease_ends_at_ms) for key, attempt in tx.execute(query)]
        if claims:
            leased = self._table.update().where(self._key.in_([one.key for one in claims]))
            claimed_at = {} if self._claimed_at_ms is None else {self._claimed_at_ms: now_ms}
            tx.execute(leased.values({self._due_at_ms: lease_ends_at_ms, **self._on_claim, **claimed_at}))
        return claims

    def claim_named(self, tx: WriteTx, key: Any, *, now_ms: int, **new: Any) -> Claim | None:
        """Lease the row of `key` if it is due, inserting it with `new` where it is missing; None if it is not due."""
        if tx.execute(sa.select(self._key).where(self._key == key)).first() is None:
            # A process that loses the race for the key runs its transaction again.
            tx.execute(self._table.insert().values({self._key: key, self._due_at_ms: now_ms}).values(**new))
        claims = self.claim(tx, now_ms=now_ms, limit=1, only=[key])
        return claims[0] if claims else None

    def renew(
        self, tx: WriteTx, claim: Claim, *, now_ms: int, resets_claims: bool = False, **values: Any
    ) -> Claim | None:
        """Prolong a lease, for long work, and lock the row; None, and no change, where the lease was lost.

        `resets_claims`: the work gets on, so the row's claims count from 0 again.
        """
        # Later than before, even where the clock stands still: the end of the lease identifies the claim.
        ends_at_ms = max(now_ms + self._lease_ms, claim.lease_ends_at_ms + 1)
        if resets_claims:
            values |= self._no_claims
        if not self.reschedule(tx, claim, due_at_ms=ends_at_ms, **values):
            return None
        return replace(claim, lease_ends_at_ms=ends_at_ms)

    def put_off(self, tx: WriteTx, claim: Claim, *, due_at_ms: int) -> bool:
        """Let a failed row be due again at `due_at_ms`; False, and no change, where the lease was lost."""
        return self._move(tx, claim, {self._due_at_ms: due_at_ms, **self._on_failure})

    def reschedule(self, tx: WriteTx, claim: Claim, *, due_at_ms: int | None, **values: Any) -> bool:
        """Settle a recurring row, which is due again at `due_at_ms`, or never where that is None.

        False, and no change, where the lease was lost.
        """
        return self._move(
            tx, claim, {self._due_at_ms: due_at_ms, **{self._table.c[name]: values[name] for name in values}}
        )

    def delete(self, tx: WriteTx, claim: Claim) -> bool:
        """Settle a row by deleting it; False, and no change, where the lease was lost."""
        return tx.execute(self._table.delete().where(self._is_ours(claim))).rowcount == 1

    def is_held(self, tx: ReadTx, claim: Claim) -> bool:
        """Return whether the lease is still that of the claim."""
        return tx.execute(sa.select(_ONE).select_from(self._table).where(self._is_ours(claim))).first() is not None

    def _move(self, tx: WriteTx, claim: Claim, values: Mapping[Any, Any]) -> bool:
        return tx.execute(self._table.update().where(self._is_ours(claim)).values(dict(values))).rowcount == 1

    def _is_due(self, now_ms: int) -> sa.ColumnElement[bool]:
        return sa.and_(self._due_at_ms <= now_ms, self._claimable)

    def _is_ours(self, claim: Claim) -> sa.ColumnElement[bool]:
        return sa.and_(self._key == claim.key, self._due_at_ms == claim.lease_ends_at_ms)
