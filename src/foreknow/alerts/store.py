"""Rows of the outbox."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.alerts.tables import WAITING, support_alerts, support_channels
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import MINUTE_MS

#: So long whoever claimed alerts has to send them; then others may. Channels answer or give up within seconds.
LEASE_MS = 2 * MINUTE_MS
#: So many alerts are told of one by one in a message; of those beyond, only how many there are.
TOLD_MAX = 20

_C = support_alerts.c
_CHANNEL = support_channels.c


@dataclass(frozen=True, slots=True)
class ClaimedAlert:
    """All alerts that wait for one channel, which this process is to send as one message; `attempt` counts from 1.

    `texts` are the oldest `TOLD_MAX` of `count`. `lease_ends_at_ms` tells them from what others claim later.
    """

    channel: str
    count: int
    title: str
    texts: tuple[str, ...]
    created_at_ms: int
    attempt: int
    lease_ends_at_ms: int


def record(tx: WriteTx, *, channels: Collection[str], title: str, text: str, at_ms: int) -> None:
    """Write an alert to all `channels` (fingerprints) in the transaction of what it tells of."""
    rows = [
        {"channel": channel, "title": title, "text": text, "created_at_ms": at_ms, "due_at_ms": at_ms}
        for channel in channels
    ]
    if rows:
        tx.execute(support_alerts.insert(), rows)


def due_channels(tx: ReadTx, *, channels: Collection[str], now_ms: int) -> list[str]:
    """Return those of `channels` that are free and for which an alert waits."""
    busy = sa.select(_CHANNEL.channel).where(_CHANNEL.free_at_ms > now_ms)
    query = sa.select(_C.channel).distinct()
    query = query.where(WAITING, _C.due_at_ms <= now_ms, _C.channel.in_(channels), _C.channel.not_in(busy))
    return sorted(tx.execute(query).scalars())


def claim(tx: WriteTx, channel: str, *, now_ms: int) -> ClaimedAlert | None:
    """Take all alerts that are due to a channel: until the lease ends nobody else sends to it.

    None where there is none, or the channel is not free: somebody else is sending, or has sent a moment ago.
    """
    if not _take_channel(tx, channel, now_ms=now_ms):
        return None
    lease_ends_at_ms = now_ms + LEASE_MS
    due = sa.and_(WAITING, _C.channel == channel, _C.due_at_ms <= now_ms)
    taken = support_alerts.update().where(due).values(due_at_ms=lease_ends_at_ms, attempts=_C.attempts + 1)
    if not tx.execute(taken).rowcount:
        _free(tx, channel, lease_ends_at_ms, at_ms=now_ms)
        return None
    ours = _ours(channel, lease_ends_at_ms)
    figures = sa.select(sa.func.count(), sa.func.min(_C.created_at_ms), sa.func.max(_C.attempts)).where(ours)
    count, created_at_ms, attempt = tx.execute(figures).one()
    oldest = tx.execute(sa.select(_C.title, _C.text).where(ours).order_by(_C.id).limit(TOLD_MAX)).all()
    return ClaimedAlert(
        channel, count, oldest[0].title, tuple(row.text for row in oldest), created_at_ms, attempt, lease_ends_at_ms
    )


def note_sent(tx: WriteTx, claimed: ClaimedAlert, *, at_ms: int, free_at_ms: int) -> None:
    """Note that alerts have left; the next ones may follow at `free_at_ms`.

    Where the lease was over by then and somebody else has claimed them, they are sent twice, and that one notes it.
    """
    tx.execute(support_alerts.update().where(_still_ours(claimed)).values(sent_at_ms=at_ms))
    _free(tx, claimed.channel, claimed.lease_ends_at_ms, at_ms=free_at_ms)


def put_off(tx: WriteTx, claimed: ClaimedAlert, *, due_at_ms: int, given_up_at_ms: int, give_up_before_ms: int) -> None:
    """Let alerts that could not be sent be tried again, unless somebody else has them by now.

    Those of `give_up_before_ms` and older are tried no more.
    """
    too_old = sa.and_(_still_ours(claimed), _C.created_at_ms <= give_up_before_ms)
    tx.execute(support_alerts.update().where(too_old).values(given_up_at_ms=given_up_at_ms))
    tx.execute(support_alerts.update().where(_still_ours(claimed)).values(due_at_ms=due_at_ms))
    _free(tx, claimed.channel, claimed.lease_ends_at_ms, at_ms=due_at_ms)


def _take_channel(tx: WriteTx, channel: str, *, now_ms: int) -> bool:
    """Lock a channel and hold it for a lease, if it is free."""
    held = {"free_at_ms": now_ms + LEASE_MS}
    free_at_ms = tx.scalar(sa.select(_CHANNEL.free_at_ms).where(_CHANNEL.channel == channel).with_for_update())
    if free_at_ms is None:
        # Who comes second here loses the race for the key, and looks again.
        tx.execute(support_channels.insert().values(channel=channel, **held))
        return True
    if free_at_ms > now_ms:
        return False
    tx.execute(support_channels.update().where(_CHANNEL.channel == channel).values(held))
    return True


def _free(tx: WriteTx, channel: str, lease_ends_at_ms: int, *, at_ms: int) -> None:
    """Let a channel be used again from `at_ms` on, unless somebody else has it by now."""
    ours = sa.and_(_CHANNEL.channel == channel, _CHANNEL.free_at_ms == lease_ends_at_ms)
    tx.execute(support_channels.update().where(ours).values(free_at_ms=at_ms))


def _ours(channel: str, lease_ends_at_ms: int) -> sa.ColumnElement[bool]:
    return sa.and_(WAITING, _C.channel == channel, _C.due_at_ms == lease_ends_at_ms, _C.attempts > 0)


def _still_ours(claimed: ClaimedAlert) -> sa.ColumnElement[bool]:
    return _ours(claimed.channel, claimed.lease_ends_at_ms)
