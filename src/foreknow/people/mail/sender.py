"""The workers that send the mails of the outbox: at once, and failed ones again after growing pauses."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from functools import partial
from typing import Literal

import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import HOUR_MS, SECOND_MS
from foreknow.kernel.startup import WrongSetting
from foreknow.people import attention
from foreknow.people.invitations.mailed import note_unsent
from foreknow.people.mail.composer import Composer
from foreknow.people.mail.gathering import gather
from foreknow.people.mail.messages import CannotAddress, recipient_of
from foreknow.people.users import store
from foreknow.people.users.store import UserRow
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs import Background, Claim, JobFailed, JobRunner, JobTable, Worker, persist
from foreknow.platform.mailing import MailKind, SmtpConnections, notices, outbox
from foreknow.platform.mailing.outbox import WaitingMail
from foreknow.platform.mailing.smtp import DeadMailbox, MailNotTaken

log = structlog.get_logger("foreknow.mail")

#: How often a process looks for mails that are due.
POLL_S = 1.0
#: How often a process looks whether none is sent.
STALL_POLL_S = 60.0
#: Mails that a process hands over at the same time.
AT_ONCE = 4
#: Requests for new passwords that are looked up in one transaction.
LOOKED_UP_MAX = 20
#: Seconds of rest after each second of gathering, so that orders find the database and the processor free.
REST_SHARE = 1.0
BACK_OFF = BackOff(first_ms=15 * SECOND_MS, most_ms=4 * HOUR_MS)
#: Longest wait of a stopping process for mails under way.
STOP_S = 15.0
ATTENTION_KIND: Literal["email"] = "email"
ATTENTION_REASON = "not_sent"


class MailSender(Background):
    """Sends mails while the service runs, if the settings name a server."""

    def __init__(
        self,
        db: Database,
        composer: Composer | None,
        connections: SmtpConnections | None,
        *,
        poll_s: float = POLL_S,
        jitter: Callable[[], float] = random.random,
    ) -> None:
        """`jitter` (0 … 1) spreads the attempts of several processes."""
        super().__init__(
            Worker("mails", self.send_due, poll_s=poll_s, stop_s=STOP_S),
            Worker("mails-requested", self.look_up, poll_s=poll_s),
            Worker("notices", self.gather, poll_s=poll_s),
            Worker("mails-stalled", self.watch, poll_s=STALL_POLL_S),
        )
        self._db = db
        self._composer = composer
        self._connections = connections
        # In this order: a list of a thousand invitations keeps no one waiting who has requested a mail.
        self._runners = [
            JobRunner("mails", db, jobs, partial(self._send, jobs), back_off=BACK_OFF, batch_max=AT_ONCE, jitter=jitter)
            for jobs in (outbox.READY, outbox.INVITATIONS)
        ]

    def start(self) -> None:
        """Begin to send, mails of earlier processes included."""
        if self._connections is not None:
            super().start()

    async def stop(self) -> None:
        """Send nothing more; wait for mails under way."""
        await super().stop()
        if self._connections is not None:
            await self._connections.close()

    async def note_settings(self) -> None:
        """Let all that writes mails know whether there is a server; `WrongSetting` where it cannot have the sender."""
        if self._connections is not None:
            try:
                await self._connections.check_sender()
            except ValueError as failure:
                raise WrongSetting("FOREKNOW_EMAIL_FROM", str(failure)) from None
        is_on = self._connections is not None
        await self._db.write_private(lambda tx: outbox.set_on(tx, is_on=is_on))

    async def send_due(self) -> bool:
        """Hand over some mails; return whether there may be more."""
        assert self._connections is not None
        for runner in self._runners:
            if await runner.run_due():
                return True
        await self._connections.close()
        return False

    async def look_up(self) -> bool:
        """Turn requests for new passwords into mails, or into nothing; return whether there may be more."""
        jobs = outbox.REQUESTS
        # A read first: on SQLite a write transaction holds up every order.
        if not await self._db.read(lambda tx: jobs.is_any_due(tx, now_ms=now_ms(tx))):
            return False
        await self._db.write_private(_look_up)
        self.wake()
        return True

    async def gather(self) -> bool:
        """Turn notices that are due into mails; return whether there may be more."""
        # A read first: on SQLite a write transaction holds up every order.
        if not await self._db.read(lambda tx: notices.due_users(tx, now_ms=now_ms(tx), limit=1)):
            return False
        began_s = time.perf_counter()
        found = await self._db.write_private(gather)
        self.wake()
        await asyncio.sleep(REST_SHARE * (time.perf_counter() - began_s))
        return found

    async def watch(self) -> None:
        """Tell operators where mails wait for long and none is sent."""
        if await self._db.read(lambda tx: outbox.is_stalled(tx, now_ms=now_ms(tx))):
            await self._db.write_private(_open_entry)

    async def _send(self, jobs: JobTable, claim: Claim) -> bool:
        assert self._composer is not None
        assert self._connections is not None
        composer = self._composer
        row = await self._db.read(lambda tx: outbox.find(tx, claim.key))
        if row is None:
            return False
        try:
            message = await self._db.read(lambda tx: composer.compose(tx, row) if now_ms(tx) < row.ends_at_ms else None)
            if message is None:
                log.info("mail dropped", mail=row.id, kind=row.kind.value, user_id=row.user_id, attempt=claim.attempt)
                return await self._db.write_private(lambda tx: _drop(tx, jobs, claim, row))
            await self._connections.send(recipient_of(row.address).addr_spec, message)
        except CannotAddress:
            log.warning("address cannot be mailed", mail=row.id, kind=row.kind.value, user_id=row.user_id)
            await persist(self._db, lambda tx: _give_up(tx, jobs, claim, row))
            return True
        except DeadMailbox as failure:
            log.warning("mailbox dead", mail=row.id, kind=row.kind.value, user_id=row.user_id, reason=str(failure))
            await persist(self._db, lambda tx: _note_dead(tx, row))
            raise JobFailed(str(failure)) from failure
        except MailNotTaken as failure:
            raise JobFailed(str(failure)) from failure
        log.info("mail sent", mail=row.id, kind=row.kind.value, user_id=row.user_id, attempt=claim.attempt)
        # Not cut off by a stop: the server has the mail.
        await asyncio.shield(persist(self._db, lambda tx: _note_sent(tx, jobs, claim, row)))
        return True


def _note_sent(tx: WriteTx, jobs: JobTable, claim: Claim, row: WaitingMail) -> None:
    at_ms = now_ms(tx)
    outbox.note_sent(tx, jobs, claim, at_ms=at_ms)
    attention.close_entry(tx, ATTENTION_KIND, at_ms=at_ms)
    if row.user_id is not None and outbox.note_alive(tx, row.user_id, row.address):
        person = store.lock_person(tx, row.user_id)
        if person.refused_email == row.address:
            store.update_person(tx, person.id, {"refused_email": None})


def _drop(tx: WriteTx, jobs: JobTable, claim: Claim, row: WaitingMail) -> bool:
    is_ours = jobs.delete(tx, claim)
    if is_ours and row.kind is MailKind.INVITATION:
        note_unsent(tx, row.params["invitation_id"], at_ms=now_ms(tx))
    return is_ours


def _give_up(tx: WriteTx, jobs: JobTable, claim: Claim, row: WaitingMail) -> None:
    if _drop(tx, jobs, claim, row) and row.user_id is not None:
        _refuse(tx, store.lock_person(tx, row.user_id), row.address)


def _note_dead(tx: WriteTx, row: WaitingMail) -> None:
    if row.user_id is None:
        return
    person = store.lock_person(tx, row.user_id)
    own = {person.email, person.email_pending or person.email}
    if row.address in own and outbox.note_dead(tx, person.id, row.address, own=own, at_ms=now_ms(tx)):
        _refuse(tx, person, row.address)


def _refuse(tx: WriteTx, person: UserRow, address: str) -> None:
    # That their own is refused stays known where a new one is, too.
    if not (person.refused_email == person.email != address):
        store.update_person(tx, person.id, {"refused_email": address})


def _open_entry(tx: WriteTx) -> None:
    attention.open_entry(tx, ATTENTION_KIND, reason=ATTENTION_REASON, at_ms=now_ms(tx))


def _look_up(tx: WriteTx) -> None:
    at_ms = now_ms(tx)
    for claim in outbox.REQUESTS.claim(tx, now_ms=at_ms, limit=LOOKED_UP_MAX):
        row = outbox.find(tx, claim.key)
        person = None if row is None else store.find_person_by_email(tx, row.address)
        if (
            person is None
            or not person.is_active
            or outbox.take_request(tx, person.email, is_verified=person.email_verified, at_ms=at_ms)
        ):
            outbox.REQUESTS.delete(tx, claim)
        else:
            outbox.become(tx, claim, MailKind.RESET, user_id=person.id, address=person.email, at_ms=at_ms)
