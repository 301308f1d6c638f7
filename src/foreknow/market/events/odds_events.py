"""Rows of events that follow a source of odds: when their next round is due, and what the last one found."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.market.events.tables import odds_events
from foreknow.market.pools.external_events import external_event
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable

_C = odds_events.c
#: Lease of an event while a process asks its source: longer than a response may take.
LEASE_MS = MINUTE_MS


@dataclass(frozen=True, slots=True)
class OddsRow:
    """What the last round of an event found; see the table."""

    source: str
    external_id: str
    due_at_ms: int | None
    attempts: int
    checked_at_ms: int | None
    status: str | None
    round: dict[str, Any] | None


def rounds_of(source: str) -> JobTable:
    """Return the rounds of all events that follow a source, as jobs."""
    return JobTable(_C.event_id, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.attempts, claimable=_C.source == source)


def schedule(tx: WriteTx, event_id: int, url: str, *, at_ms: int) -> None:
    """Let an event's next round be due at `at_ms`; `url` is its external_event_url.

    Call it when an event is created, published, or has another address. What was found at another address is forgotten.
    """
    external = external_event(url)
    if external is None:
        tx.execute(odds_events.delete().where(_C.event_id == event_id))
        return
    same = sa.and_(_C.event_id == event_id, _C.source == external.source, _C.external_id == external.id)
    if tx.execute(odds_events.update().where(same).values(due_at_ms=at_ms, attempts=0)).rowcount:
        return
    tx.execute(odds_events.delete().where(_C.event_id == event_id))
    row = {"event_id": event_id, "source": external.source, "external_id": external.id, "due_at_ms": at_ms}
    tx.execute(odds_events.insert().values(**row))


def load_odds(tx: ReadTx, event_id: int) -> OddsRow | None:
    """Return what the last round of an event found; None where it follows no source."""
    columns = [_C[name] for name in OddsRow.__slots__]
    row = tx.execute(sa.select(*columns).where(_C.event_id == event_id)).one_or_none()
    return None if row is None else OddsRow(*row)
