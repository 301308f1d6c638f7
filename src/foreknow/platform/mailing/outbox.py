"""Rows of the outbox."""

from __future__ import annotations

import enum
import hashlib
import hmac
import uuid
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS
from foreknow.kernel.email_addresses import address_key, mailbox_key
from foreknow.platform.db.secrets import shared_secret
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Claim, JobTable
from foreknow.platform.mailing.tables import dead_mailboxes, mail_requests, mail_service, mails, notice_pauses, notices
from foreknow.platform.sending import SENDS

#: How long a mail is tried.
TRIED_MS = 3 * DAY_MS
#: Lease of a mail while a process sends it, three times as long as an attempt.
LEASE_MS = 2 * MINUTE_MS
#: Shortest time between two mails that were requested, to one mailbox.
PAUSE_MS = MINUTE_MS
#: Mails that can be requested in a day: to an address that is verified, and to any other.
PER_DAY_MAX = 10
UNVERIFIED_PER_DAY_MAX = 5
#: How long none is sent, though some wait, before a person should look.
STALLED_AFTER_MS = HOUR_MS
#: Shortest time between the two answers that show that a mailbox is dead.
DEAD_AFTER_MS = DAY_MS
#: Old rows deleted with each request.
_SWEPT_ROWS = 100
_ROW_ID = 1
_C = mails.c


class MailKind(enum.StrEnum):
    """Why a mail is sent."""

    #: A link that verifies the address.
    VERIFY = "verify"
    #: Someone forgot the password of an account with this address, if there is one.
    FORGOT = "forgot"
    #: A link that sets a new password.
    RESET = "reset"
    #: To the old address: the account has another one.
    EMAIL_CHANGED = "email_changed"
    PASSWORD_CHANGED = "password_changed"  # noqa: S105 - no password
    #: Notifications, one or some together (`notices`).
    NOTICES = "notices"
    #: An invitation to who has no account.
    INVITATION = "invitation"


def _jobs(condition: sa.ColumnElement[bool]) -> JobTable:
    return JobTable(_C.id, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.attempts, claimable=sa.and_(condition, SENDS))


#: Requests for new passwords, to be looked up.
REQUESTS = _jobs(_C.kind == MailKind.FORGOT.value)
#: Mails to be sent.
READY = _jobs(sa.and_(_C.kind != MailKind.FORGOT.value, _C.kind != MailKind.INVITATION.value))
#: The same, where no other is ready.
INVITATIONS = _jobs(_C.kind == MailKind.INVITATION.value)


@dataclass(frozen=True, slots=True, kw_only=True)
class NewMail:
    """A mail to be written at `at_ms`; `params` are what its text is made of, None where the user's row has it all."""

    kind: MailKind
    user_id: int | None
    address: str
    at_ms: int
    params: object = None


@dataclass(frozen=True, slots=True, kw_only=True)
class WaitingMail:
    """A row."""

    id: int
    user_id: int | None
    kind: MailKind
    address: str
    params: Any
    message_id: str
    created_at_ms: int
    ends_at_ms: int


def write(
    tx: WriteTx,
    kind: MailKind,
    *,
    address: str,
    user_id: int | None,
    at_ms: int,
    lives_ms: int = TRIED_MS,
) -> None:
    """Write a mail in the transaction of its cause; after `lives_ms` it is not sent any more."""
    write_all(tx, [NewMail(kind=kind, address=address, user_id=user_id, at_ms=at_ms)], lives_ms=lives_ms)


def write_all(tx: WriteTx, new: Iterable[NewMail], *, lives_ms: int = TRIED_MS) -> None:
    """Write mails together."""
    rows = [
        {
            "user_id": one.user_id,
            "kind": one.kind.value,
            "address": one.address,
            "params": one.params,
            "message_id": uuid.uuid4().hex,
            "created_at_ms": one.at_ms,
            "ends_at_ms": one.at_ms + min(lives_ms, TRIED_MS),
            "due_at_ms": one.at_ms,
        }
        for one in new
    ]
    if rows:
        tx.execute(mails.insert(), rows)


def find(tx: ReadTx, mail_id: int) -> WaitingMail | None:
    """Return a mail that waits; None where it is gone."""
    query = sa.select(*(_C[name] for name in WaitingMail.__slots__)).where(_C.id == mail_id)
    row = tx.execute(query).mappings().one_or_none()
    return None if row is None else WaitingMail(**{**row, "kind": MailKind(row["kind"])})


def become(tx: WriteTx, claim: Claim, kind: MailKind, *, user_id: int, address: str, at_ms: int) -> None:
    """Let a claimed row be another kind of mail to a known user, due now."""
    values = {"kind": kind.value, "user_id": user_id, "address": address, "due_at_ms": at_ms, "attempts": 0}
    tx.execute(mails.update().where(_C.id == claim.key, _C.due_at_ms == claim.lease_ends_at_ms).values(values))


def drop(tx: WriteTx, user_id: int, kinds: Collection[MailKind]) -> None:
    """Delete a user's waiting mails of some kinds: their links are dead."""
    tx.execute(mails.delete().where(_C.user_id == user_id, _C.kind.in_([kind.value for kind in kinds])))


def forget(tx: WriteTx, user_id: int, addresses: Collection[str]) -> None:
    """Delete all waiting mails and notices of a user, and mails to one of the addresses, by whichever spelling."""
    keys = {address_key(address) for address in addresses}
    unknown = tx.execute(sa.select(_C.id, _C.address).where(_C.user_id.is_(None)))
    theirs = [mail_id for mail_id, address in unknown if address_key(address) in keys]
    tx.execute(mails.delete().where(sa.or_(_C.user_id == user_id, _C.id.in_(theirs))))
    for table in (notices, notice_pauses, dead_mailboxes):
        tx.execute(table.delete().where(table.c.user_id == user_id))


def take_request(tx: WriteTx, address: str, *, is_verified: bool, at_ms: int) -> int:
    """Count a mail that was requested; return the seconds to wait, without counting it, where there were too many.

    The row stays locked until the transaction ends, so that concurrent requests are counted one by one.
    """
    key = hmac.digest(shared_secret(tx, "mail-addresses"), mailbox_key(address).encode(), hashlib.sha256).hex()
    columns = mail_requests.c
    found = tx.execute(sa.select(columns.asked_at_ms).where(columns.address_hash == key).with_for_update()).scalar()
    asked = [asked_ms for asked_ms in found or [] if asked_ms > at_ms - DAY_MS]
    wait_ms = _wait_ms(asked, PER_DAY_MAX if is_verified else UNVERIFIED_PER_DAY_MAX, at_ms)
    if wait_ms > 0:
        return -(-wait_ms // SECOND_MS)
    values = {"asked_at_ms": [*asked, at_ms], "last_asked_at_ms": at_ms}
    if found is None:
        # Of two first requests at the same time, the later transaction runs again.
        tx.execute(mail_requests.insert().values(address_hash=key, **values))
    else:
        tx.execute(mail_requests.update().where(columns.address_hash == key).values(values))
    _sweep(tx, at_ms)
    return 0


def _wait_ms(asked: list[int], per_day_max: int, at_ms: int) -> int:
    if len(asked) >= per_day_max:
        return asked[-per_day_max] + DAY_MS - at_ms
    return asked[-1] + PAUSE_MS - at_ms if asked else 0


def _sweep(tx: WriteTx, at_ms: int) -> None:
    # Skips rows that another transaction holds: waiting for them could deadlock.
    columns = mail_requests.c
    old = (
        sa.select(columns.address_hash)
        .where(columns.last_asked_at_ms <= at_ms - DAY_MS)
        .order_by(columns.last_asked_at_ms)
        .limit(_SWEPT_ROWS)
        .with_for_update(skip_locked=True)
    )
    tx.execute(mail_requests.delete().where(columns.address_hash.in_(old)))


def set_on(tx: WriteTx, *, is_on: bool) -> None:
    """Note for all processes whether the settings name a server."""
    current = tx.execute(sa.select(mail_service.c.is_on).where(mail_service.c.id == _ROW_ID)).scalar()
    if current is None:
        tx.execute(mail_service.insert().values(id=_ROW_ID, is_on=is_on))
    elif current != is_on:
        tx.execute(mail_service.update().where(mail_service.c.id == _ROW_ID).values(is_on=is_on))


def is_on(tx: ReadTx) -> bool:
    """Return whether the settings name a server."""
    return bool(tx.execute(sa.select(mail_service.c.is_on).where(mail_service.c.id == _ROW_ID)).scalar())


def note_sent(tx: WriteTx, jobs: JobTable, claim: Claim, *, at_ms: int) -> None:
    """Delete the row of a mail that a server has taken.

    Where another process has claimed it meanwhile, the lease being over, it is deleted all the same: it was sent.
    """
    if not jobs.delete(tx, claim):
        tx.execute(mails.delete().where(_C.id == claim.key))
    tx.execute(mail_service.update().where(mail_service.c.id == _ROW_ID).values(last_sent_at_ms=at_ms))


def is_stalled(tx: ReadTx, *, now_ms: int) -> bool:
    """Return whether mails wait for long and none was sent meanwhile."""
    since_ms = now_ms - STALLED_AFTER_MS
    waits = sa.exists().where(_C.created_at_ms <= since_ms, _C.attempts > 0)
    sent = sa.exists().where(mail_service.c.id == _ROW_ID, mail_service.c.last_sent_at_ms > since_ms)
    return bool(tx.execute(sa.select(sa.and_(waits, sa.not_(sent)))).scalar_one())


def note_dead(tx: WriteTx, user_id: int, address: str, *, own: Collection[str], at_ms: int) -> bool:
    """Note that a server calls the mailbox of a locked user dead; return whether it has for `DEAD_AFTER_MS`.

    A server that takes no one's mails meanwhile says nothing of a mailbox. Of addresses that are not the user's `own`
    any more, nothing stays noted.
    """
    columns = dead_mailboxes.c
    tx.execute(dead_mailboxes.delete().where(columns.user_id == user_id, columns.address.not_in(own)))
    known = (columns.user_id == user_id, columns.address == address)
    since_ms = tx.execute(sa.select(columns.since_ms).where(*known)).scalar()
    if since_ms is None:
        tx.execute(dead_mailboxes.insert().values(user_id=user_id, address=address, since_ms=at_ms))
        return False
    last_sent_at_ms = tx.execute(sa.select(mail_service.c.last_sent_at_ms)).scalar()
    return at_ms >= since_ms + DEAD_AFTER_MS and last_sent_at_ms is not None and last_sent_at_ms > since_ms


def note_alive(tx: WriteTx, user_id: int, address: str) -> bool:
    """Forget that a mailbox was called dead; return whether it was."""
    columns = dead_mailboxes.c
    known = (columns.user_id == user_id, columns.address == address)
    return bool(tx.execute(dead_mailboxes.delete().where(*known)).rowcount)
