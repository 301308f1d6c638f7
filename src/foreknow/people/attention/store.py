"""Rows of entries."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple, get_args

import sqlalchemy as sa

from foreknow.people.attention.tables import OPEN, UNALERTED, attention
from foreknow.platform.db.metadata import Text
from foreknow.platform.db.transactions import ReadTx, WriteTx

AttentionKind = Literal[
    "resolution", "series", "odds", "payment", "webhook", "suggestion", "email", "overdue", "objection"
]
_C = attention.c
_COLUMNS = (_C.id, _C.kind, _C.event_id, _C.pool_id, _C.series_id, _C.partner, _C.reason, _C.since_ms)


@dataclass(frozen=True, slots=True)
class Entry:
    """What waits for a person: the pool, the series, the event or the partner that it names."""

    id: int
    kind: AttentionKind
    event_id: int | None
    pool_id: int | None
    series_id: int | None
    #: A partner's name.
    partner: str | None
    #: A code, such as `no_price`.
    reason: str
    since_ms: int


def open_entry(
    tx: WriteTx,
    kind: AttentionKind,
    *,
    reason: str,
    at_ms: int,
    event_id: int | None = None,
    pool_id: int | None = None,
    series_id: int | None = None,
    partner: str | None = None,
) -> None:
    """Open an entry about a pool, else a series, an event or a partner (its name), else the whole service.

    One that is open keeps its age and gets the reason. The caller holds the lock of what it is about.
    """
    subject = _subject(kind, event_id=event_id, pool_id=pool_id, series_id=series_id, partner=partner)
    changed = tx.execute(attention.update().where(OPEN, _C.subject == subject).values(reason=reason))
    if not changed.rowcount:
        values = {"event_id": event_id, "pool_id": pool_id, "series_id": series_id, "partner": partner}
        tx.execute(attention.insert().values(kind=kind, reason=reason, since_ms=at_ms, subject=subject, **values))


def close_entry(
    tx: WriteTx,
    kind: AttentionKind,
    *,
    at_ms: int,
    reason: str | None = None,
    event_id: int | None = None,
    pool_id: int | None = None,
    series_id: int | None = None,
    partner: str | None = None,
) -> None:
    """Close the entry about the pool, the series, the event, the partner or the service, if one is open.

    Where several workers have reasons of one kind, each gives its own: another's stays open.
    """
    subject = _subject(kind, event_id=event_id, pool_id=pool_id, series_id=series_id, partner=partner)
    query = attention.update().where(OPEN, _C.subject == subject).values(closed_at_ms=at_ms)
    tx.execute(query if reason is None else query.where(_C.reason == reason))


def newest_open(tx: ReadTx, *, before_id: int | None, limit: int) -> Sequence[Entry]:
    """Return open entries, newest first, of those with ids under `before_id` where that is given."""
    query = sa.select(*_COLUMNS).where(OPEN).order_by(_C.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(_C.id < before_id)
    return [Entry(*row) for row in tx.execute(query)]


def pools_waiting(tx: ReadTx, kind: AttentionKind, *, reason: str) -> list[int]:
    """Return the pools with an open entry of a kind and reason."""
    query = sa.select(_C.pool_id).where(OPEN, _C.kind == kind, _C.reason == reason, _C.pool_id.is_not(None))
    return [int(pool_id) for (pool_id,) in tx.execute(query)]


def is_open_of(kind: AttentionKind, pool_id: sa.ColumnElement[int]) -> sa.Exists:
    """Return the condition that an entry of a kind about a pool is open; `pool_id` is a column of the query."""
    subject = sa.literal(f"{kind}:pool:").concat(sa.cast(pool_id, Text))
    return sa.select(_C.id).where(OPEN, _C.subject == subject).exists()


def count_open(tx: ReadTx) -> Mapping[str, int]:
    """Return the number of open entries of each kind, 0 included."""
    query = sa.select(_C.kind, sa.func.count()).where(OPEN).group_by(_C.kind)
    found: dict[str, int] = {kind: count for kind, count in tx.execute(query)}  # noqa: C416 - rows are typed as tuples
    return {kind: found.get(kind, 0) for kind in get_args(AttentionKind)}


class SomeOpen(NamedTuple):
    """Numbers of open entries, each up to a bound."""

    suggestions: int
    objections: int
    #: All but suggestions.
    others: int


def count_some(tx: ReadTx, *, most: int) -> SomeOpen:
    """Return the numbers of open entries, each at most `most`."""
    conditions = (_C.kind == "suggestion", _C.kind == "objection", _C.kind != "suggestion")
    return SomeOpen(*(len(tx.execute(sa.select(_C.id).where(OPEN, one).limit(most)).all()) for one in conditions))


def is_any_unalerted(tx: ReadTx) -> bool:
    """Return whether operators are still to be alerted of an open entry."""
    return tx.execute(sa.select(_C.id).where(UNALERTED).limit(1)).first() is not None


def take_unalerted(tx: WriteTx, *, limit: int, at_ms: int) -> Sequence[Entry]:
    """Return up to `limit` open entries that operators were not alerted of, and mark them as alerted."""
    query = sa.select(*_COLUMNS).where(UNALERTED).order_by(_C.id).limit(limit).with_for_update(skip_locked=True)
    found = [Entry(*row) for row in tx.execute(query)]
    if found:
        taken = attention.update().where(_C.id.in_([entry.id for entry in found]))
        tx.execute(taken.values(alerted_at_ms=at_ms))
    return found


def _subject(
    kind: AttentionKind, *, event_id: int | None, pool_id: int | None, series_id: int | None, partner: str | None
) -> str:
    subjects = {"pool": pool_id, "series": series_id, "event": event_id, "partner": partner}
    found = ((name, subject) for name, subject in subjects.items() if subject is not None)
    name, subject = next(found, ("service", ""))
    return f"{kind}:{name}:{subject}"
