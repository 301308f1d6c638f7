"""Rows of the outbox."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.alerts.tables import WAITING, support_alerts
from foreknow.kernel.clock import MINUTE_MS

#: So long whoever claimed an alert has to send it; then others may. Channels answer or give up within seconds.
LEASE_MS = 2 * MINUTE_MS

_C = support_alerts.c


@dataclass(frozen=True, slots=True)
class Claim:
    """An alert that this process is to send; `attempt` counts from 1."""

    id: int
    channel: str
    title: str
    text: str
    created_at_ms: int
    attempt: int


def record(tx: sa.Connection, *, channels: Collection[str], title: str, text: str, at_ms: int) -> None:
    """Write an alert to all `channels` (fingerprints) in the transaction of what it tells of."""
    rows = [
        {"channel": channel, "title": title, "text": text, "created_at_ms": at_ms, "due_at_ms": at_ms}
        for channel in channels
    ]
    if rows:
        tx.execute(support_alerts.insert(), rows)


def is_any_due(tx: sa.Connection, *, channels: Collection[str], now_ms: int) -> bool:
    """Tell whether an alert to one of `channels` may be tried now."""
    return tx.execute(sa.select(_C.id).where(_due(channels, now_ms)).limit(1)).first() is not None


def claim(tx: sa.Connection, *, channels: Collection[str], now_ms: int, limit: int) -> list[Claim]:
    """Take up to `limit` alerts that are due, the oldest first: until the lease ends nobody else gets them.

    Rows that another process is claiming at this moment are passed over.
    """
    query = (
        sa.select(_C.id, _C.channel, _C.title, _C.text, _C.created_at_ms, _C.attempts + 1)
        .where(_due(channels, now_ms))
        .order_by(_C.due_at_ms, _C.id)
        .limit(limit)
        .with_for_update(skip_locked=True)
    )
    claims = [Claim(*row) for row in tx.execute(query)]
    if claims:
        taken = support_alerts.update().where(_C.id.in_([one.id for one in claims]))
        tx.execute(taken.values(due_at_ms=now_ms + LEASE_MS, attempts=_C.attempts + 1))
    return claims


def note_sent(tx: sa.Connection, claimed: Claim, *, at_ms: int) -> None:
    """Note that an alert has left, also where the lease was over by then."""
    tx.execute(support_alerts.update().where(_C.id == claimed.id, WAITING).values(sent_at_ms=at_ms))


def put_off(tx: sa.Connection, claimed: Claim, *, due_at_ms: int) -> None:
    """Let an alert that could not be sent be tried again, unless somebody else has it by now."""
    tx.execute(_if_still_ours(claimed).values(due_at_ms=due_at_ms))


def give_up(tx: sa.Connection, claimed: Claim, *, at_ms: int) -> None:
    """Let an alert be tried no more, unless somebody else has it by now."""
    tx.execute(_if_still_ours(claimed).values(given_up_at_ms=at_ms))


def _due(channels: Collection[str], now_ms: int) -> sa.ColumnElement[bool]:
    return sa.and_(WAITING, _C.due_at_ms <= now_ms, _C.channel.in_(channels))


def _if_still_ours(claimed: Claim) -> sa.Update:
    return support_alerts.update().where(_C.id == claimed.id, _C.attempts == claimed.attempt, WAITING)
