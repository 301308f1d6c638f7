"""Idempotency keys, stored forever in the transaction that moves the money.

Only executed requests store their key. A repeated request replays the first response; another request under the same
key is rejected (decisions.md, "Idempotency").
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.errors import IdempotencyKeyReused
from foreknow.money.ledger.tables import idempotency_keys
from foreknow.platform.db.bulk import CompiledQuery, Fetch, as_rows, found_by, values_table
from foreknow.platform.db.changes import Sink, insert_rows
from foreknow.platform.db.metadata import Text
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Scope and key. The scope is the caller's (`Caller.scope`): two callers may use the same key.
ScopedKey = tuple[str, str]


@dataclass(frozen=True, slots=True)
class IdempotencyRecord:
    """The stored response to an executed request, with the request's fingerprint."""

    fingerprint: str
    status: int
    body: bytes

    def replay_for(self, fingerprint: str) -> IdempotencyRecord:
        """Return this record for the same request; raise `IdempotencyKeyReused` for another."""
        if self.fingerprint != fingerprint:
            raise IdempotencyKeyReused
        return self


def _find(dialect: str) -> sa.Select[Any]:
    table, keys = idempotency_keys.c, values_table(dialect, "keys", {"scope": Text, "key": Text})
    rows = sa.select(table.scope, table.key, table.fingerprint, table.status, table.body)
    return found_by(dialect, [table.scope, table.key], keys, rows)


_FIND = CompiledQuery(_find)


def find_idempotency_records(tx: ReadTx, keys: Collection[ScopedKey]) -> dict[ScopedKey, IdempotencyRecord]:
    """Return the records that exist for these (scope, key) pairs."""
    return records_fetch(keys).fetch(tx)


def records_fetch(keys: Collection[ScopedKey]) -> Fetch[dict[ScopedKey, IdempotencyRecord]]:
    """Return `find_idempotency_records` as a query to be fetched with others."""
    return Fetch(
        _FIND,
        {"keys": as_rows(keys)},
        lambda rows: {
            (scope, key): IdempotencyRecord(fingerprint, status, bytes(body))
            for scope, key, fingerprint, status, body in rows
        },
        is_empty=not keys,
    )


def lock_idempotency_record(tx: WriteTx, scoped: ScopedKey) -> None:
    """Make this transaction's commit wait until the record is on the synchronous standby.

    On PostgreSQL a commit whose wait for the standby was cancelled is visible before it is safe to replay. A row lock
    follows it in the write-ahead log, so this commit waits for both. On SQLite, what is visible is on the disk.
    """
    table, (scope, key) = idempotency_keys.c, scoped
    tx.execute(sa.select(table.status).where(table.scope == scope, table.key == key).with_for_update(read=True))


def store_idempotency_records(into: Sink, records: Mapping[ScopedKey, IdempotencyRecord], *, at_ms: int) -> None:
    """Store new records; `IntegrityError` if another transaction has stored one of the keys."""
    names = ("scope", "key", "fingerprint", "status", "body", "created_at_ms")
    rows = [(*key, record.fingerprint, record.status, record.body, at_ms) for key, record in records.items()]
    insert_rows(into, idempotency_keys, names, rows)


def delete_idempotency_records(tx: WriteTx, scope: str, *, most: int) -> int:
    """Delete up to `most` records of a caller that will send no more requests; return how many there were."""
    table = idempotency_keys.c
    some = sa.select(table.key).where(table.scope == scope).order_by(table.key).limit(most)
    return tx.execute(idempotency_keys.delete().where(table.scope == scope, table.key.in_(some))).rowcount


@dataclass(frozen=True, slots=True)
class IdempotencyKey:
    """An Idempotency-Key header with its scope and the fingerprint of its request."""

    scope: str
    key: str
    fingerprint: str

    @property
    def scoped(self) -> ScopedKey:
        """The primary key of its record."""
        return (self.scope, self.key)
