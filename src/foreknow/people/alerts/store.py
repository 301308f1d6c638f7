"""Rows of the outbox."""

from __future__ import annotations

import enum
from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.people.alerts.tables import WAITING, support_alerts, support_channels
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Claim, JobTable
from foreknow.platform.sending import SENDS

#: Lease of a channel while a process sends to it; channels respond or time out within seconds.
LEASE_MS = 2 * MINUTE_MS
#: Alerts whose texts a message lists; of the others it gives the number.
LISTED_MAX = 20

_C = support_alerts.c
_CHANNEL = support_channels.c

#: Sending to channels: a job per channel, due when the channel is free, unless sending is held.
CHANNELS = JobTable(_CHANNEL.channel, _CHANNEL.free_at_ms, lease_ms=LEASE_MS, claimable=SENDS)


class AlertKind(enum.StrEnum):
    """Whom an alert is for."""

    #: The support team: a visitor waits. Given up after a day.
    SUPPORT = "support"
    #: The operators: something waits for a person. Tried until it is sent.
    OPERATOR = "operator"


@dataclass(frozen=True, slots=True)
class ClaimedAlert:
    """All alerts that wait for one channel, to be sent as one message; `attempt` counts from 1.

    `held` is the claim of the channel; the end of its lease marks the alerts, too. `texts` are the oldest
    `LISTED_MAX` of `count`.
    """

    held: Claim
    count: int
    title: str
    texts: tuple[str, ...]
    created_at_ms: int
    attempt: int
    kinds: frozenset[AlertKind]

    @property
    def channel(self) -> str:
        """Fingerprint of the channel."""
        return str(self.held.key)


def record(tx: WriteTx, *, kind: AlertKind, channels: Collection[str], title: str, text: str, at_ms: int) -> None:
    """Write an alert to all `channels` (fingerprints) in the transaction of its cause."""
    rows = [(channel, title, text, at_ms, at_ms, kind.value) for channel in channels]
    insert_rows(tx, support_alerts, ("channel", "title", "text", "created_at_ms", "due_at_ms", "kind"), rows)


def due_channels(tx: ReadTx, *, channels: Collection[str], now_ms: int) -> list[str]:
    """Return those of `channels` that are free and for which an alert waits; none while sending is held."""
    busy = sa.select(_CHANNEL.channel).where(_CHANNEL.free_at_ms > now_ms)
    query = sa.select(_C.channel).distinct()
    query = query.where(WAITING, _C.due_at_ms <= now_ms, _C.channel.in_(channels), _C.channel.not_in(busy), SENDS)
    return sorted(tx.execute(query).scalars())


def claim(tx: WriteTx, channel: str, *, now_ms: int) -> ClaimedAlert | None:
    """Lease a channel and all alerts that are due to it.

    None where no alert is due, or the channel is not free: another process sends to it, or has sent a moment ago.
    """
    held = CHANNELS.claim_named(tx, channel, now_ms=now_ms)
    if held is None:
        return None
    due = sa.and_(WAITING, _C.channel == channel, _C.due_at_ms <= now_ms)
    taken = support_alerts.update().where(due).values(due_at_ms=held.lease_ends_at_ms, attempts=_C.attempts + 1)
    if not tx.execute(taken).rowcount:
        CHANNELS.put_off(tx, held, due_at_ms=now_ms)
        return None
    ours = _ours(held)
    figures = sa.select(
        sa.func.count(),
        sa.func.min(_C.created_at_ms),
        sa.func.max(_C.attempts),
        sa.func.min(_C.kind),
        sa.func.max(_C.kind),
    ).where(ours)
    count, created_at_ms, attempt, *kinds = tx.execute(figures).one()
    oldest = tx.execute(sa.select(_C.title, _C.text).where(ours).order_by(_C.id).limit(LISTED_MAX)).all()
    return ClaimedAlert(
        held,
        count,
        oldest[0].title,
        tuple(row.text for row in oldest),
        created_at_ms,
        attempt,
        frozenset(map(AlertKind, kinds)),
    )


def note_sent(tx: WriteTx, claimed: ClaimedAlert, *, at_ms: int, free_at_ms: int) -> None:
    """Note that alerts have left; the next ones may follow at `free_at_ms`.

    Where another process has claimed them meanwhile, the lease being over, they are sent twice, and it notes them.
    """
    tx.execute(support_alerts.update().where(_ours(claimed.held)).values(sent_at_ms=at_ms))
    CHANNELS.reschedule(tx, claimed.held, due_at_ms=free_at_ms)


def put_off(tx: WriteTx, claimed: ClaimedAlert, *, due_at_ms: int, given_up_at_ms: int, give_up_before_ms: int) -> None:
    """Let alerts that could not be sent be tried again, unless another process has claimed them.

    The support team's of `give_up_before_ms` and older are given up.
    """
    too_old = sa.and_(_ours(claimed.held), _C.created_at_ms <= give_up_before_ms, _C.kind == AlertKind.SUPPORT.value)
    tx.execute(support_alerts.update().where(too_old).values(given_up_at_ms=given_up_at_ms))
    tx.execute(support_alerts.update().where(_ours(claimed.held)).values(due_at_ms=due_at_ms))
    CHANNELS.put_off(tx, claimed.held, due_at_ms=due_at_ms)


def _ours(held: Claim) -> sa.ColumnElement[bool]:
    return sa.and_(WAITING, _C.channel == held.key, _C.due_at_ms == held.lease_ends_at_ms, _C.attempts > 0)
