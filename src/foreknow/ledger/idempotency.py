"""Idempotency keys: spent in the transaction that moves the money, and never forgotten.

Only an accepted request spends its key. The same key with the same request gives the first answer again; with another
request it is refused (decisions.md, "Idempotency").
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.db.bulk import CompiledQuery, as_rows, insert_rows, values_table
from foreknow.db.metadata import Text
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.errors import (
    IdempotencyKeyReused,
)
from foreknow.ledger.tables import idempotency_keys

ScopedKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """A spent key: which request it stood for and what was answered."""

    fingerprint: str
    status: int
    body: bytes

    def replay_for(self, fingerprint: str) -> IdempotencyRecord:
        """Return itself for the same request; `IdempotencyKeyReused` for another."""
        if self.fingerprint != fingerprint:
            raise IdempotencyKeyReused
        return self


def _find(dialect: str) -> sa.Select[Any]:
    table, wanted = idempotency_keys.c, values_table(dialect, "keys", {"scope": Text, "key": Text})
    matches = sa.and_(table.scope == wanted.c.scope, table.key == wanted.c.key)
    return sa.select(table.scope, table.key, table.fingerprint, table.status, table.body).join(wanted, matches)


_FIND = CompiledQuery(_find)


def find_idempotency_records(tx: ReadTx, wanted: Collection[ScopedKey]) -> dict[ScopedKey, IdempotencyRecord]:
    """Return those of the `wanted` (scope, key) that are spent."""
    if not wanted:
        return {}
    return {
        (scope, key): IdempotencyRecord(fingerprint, status, bytes(body))
        for scope, key, fingerprint, status, body in _FIND.fetch(tx, {"keys": as_rows(wanted)})
    }


def lock_idempotency_record(tx: WriteTx, scoped: ScopedKey) -> None:
    """Make this transaction's commit wait for the one that spent the key.

    On PostgreSQL a commit whose wait for the synchronous standby was cancelled can be seen, and so replayed, before it
    is safe. A lock on its row is written to the log behind it, and the commit that ends this transaction waits until
    the standby has both. (SQLite locks no rows: what can be seen there is on the disk.)
    """
    table, (scope, key) = idempotency_keys.c, scoped
    tx.execute(sa.select(table.status).where(table.scope == scope, table.key == key).with_for_update(read=True))


def store_idempotency_records(tx: WriteTx, keys: Mapping[ScopedKey, IdempotencyRecord], *, at_ms: int) -> None:
    """Store keys with their answers; a key spent meanwhile by another transaction raises `IntegrityError`."""
    names = ("scope", "key", "fingerprint", "status", "body", "created_at_ms")
    rows = [(*scoped, spent.fingerprint, spent.status, spent.body, at_ms) for scoped, spent in keys.items()]
    insert_rows(tx, idempotency_keys, names, rows)


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """An Idempotency-Key with its scope and the fingerprint of the request it stands for."""

    scope: str
    key: str
    fingerprint: str

    @property
    def scoped(self) -> tuple[str, str]:
        """The key under which the ledger keeps it."""
        return (self.scope, self.key)
