"""A wave of notices, sent once each by processes that are killed in between."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import sqlalchemy as sa

from foreknow.kernel.clock import system_clock
from foreknow.people.mail.sender import AT_ONCE
from foreknow.people.notifications import NewNotifications, record
from foreknow.people.notifications.kinds.own import OperatorAnswer
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.mailing import outbox
from foreknow.platform.mailing.outbox import LEASE_MS
from foreknow.platform.mailing.tables import mails
from foreknow.platform.mailing.tables import notices as waiting
from tests.support.forks import FOREKNOW
from tests.support.lengths import LONG, length
from tests.support.mailbox import Mailbox, mail_server
from tests.support.proofs import proves
from tests.support.waiting import WAIT_S, wait_until

#: Notifications of a person, all in one mail.
NOTICES_EACH = 3
#: People who are mailed.
WAVE = length(short=120, long=10_000)
KILLS = length(short=1, long=4)


def _people(tx: WriteTx, count: int) -> None:
    """Make people with verified addresses and some notifications each."""
    at_ms = system_clock()
    rows = [
        {"name": f"Person {n}", "email": f"p{n}@example.org", "email_key": f"p{n}@example.org", "email_verified": True}
        for n in range(count)
    ]
    tx.execute(users.insert(), [row | {"created_at_ms": at_ms} for row in rows])
    ids = tx.execute(sa.select(users.c.id).where(users.c.name.like("Person %"))).scalars().all()
    new = NewNotifications(None, at_ms=at_ms)
    for user_id in ids:
        for _ in range(NOTICES_EACH):
            new.add(user_id, OperatorAnswer())
    outbox.set_on(tx, is_on=True)
    record(tx, new)


def _left(tx: ReadTx, *, beside: Collection[int] = ()) -> int:
    """Count mails and notices that wait, but for some mails."""
    of_mails = sa.select(sa.func.count()).select_from(mails).where(mails.c.id.not_in(beside))
    of_notices = sa.select(sa.func.count()).select_from(waiting)
    return int(tx.execute(of_mails).scalar_one() + tx.execute(of_notices).scalar_one())


def _under_way(tx: ReadTx) -> set[int]:
    """Return the mails that a process has claimed."""
    return set(tx.execute(sa.select(mails.c.id).where(mails.c.due_at_ms > system_clock())).scalars())


def _end_leases(tx: WriteTx) -> None:
    """Let the time of a lease pass."""
    tx.execute(mails.update().values(due_at_ms=mails.c.due_at_ms - LEASE_MS))


async def _gone(db: Database, count: Callable[[ReadTx], int]) -> None:
    """Wait until nothing is left to count."""
    until_s = time.monotonic() + WAIT_S
    while await db.read(count):
        assert time.monotonic() < until_s, "not all are sent"
        await asyncio.sleep(0.1)


class Senders:
    """Processes of one installation that send mails."""

    def __init__(self, database_url: str, folder: Path, mailbox: Mailbox) -> None:
        """Start none."""
        self._folder = folder
        self._environment = {
            **os.environ,
            "FOREKNOW_DATABASE_URL": database_url,
            "FOREKNOW_DATA_DIR": str(folder),
            "FOREKNOW_SMTP_URL": f"smtp://127.0.0.1:{mailbox.port}",
            "FOREKNOW_EMAIL_FROM": "site@foreknow.test",
            "FOREKNOW_PUBLIC_URL": "https://foreknow.test",
            "FOREKNOW_WEB": "off",
        }
        self._running: list[subprocess.Popen[bytes]] = []

    def start(self) -> None:
        """Start one more."""
        command = [str(FOREKNOW), "serve", "--port", "0"]
        with (self._folder / "serve.log").open("ab") as log:
            self._running.append(subprocess.Popen(command, env=self._environment, stdout=log, stderr=log))

    def kill(self) -> None:
        """Kill the one that has run for longest, whatever it is doing."""
        process = self._running.pop(0)
        assert process.poll() is None, (self._folder / "serve.log").read_text()
        process.send_signal(signal.SIGKILL)
        process.wait()

    def kill_all(self) -> None:
        """Kill all."""
        while self._running:
            self.kill()


@contextmanager
def senders(database_url: str, folder: Path, mailbox: Mailbox) -> Iterator[Senders]:
    """Kill what is left in the end."""
    running = Senders(database_url, folder, mailbox)
    try:
        yield running
    finally:
        running.kill_all()


@LONG
@proves(
    "site: - A mail is a row written with what causes it, sent by whatever process lives,",
    "site: again only after a kill between the server's yes and its note, Message-ID the same.",
)
async def test_each_is_sent_once_but_for_mails_under_way_at_a_kill(
    db: Database, database_url: str, database_kind: str, tmp_path: Path
) -> None:
    await db.write(lambda tx: _people(tx, WAVE))
    with mail_server() as mailbox, senders(database_url, tmp_path, mailbox) as running:
        # SQLite has one process at a time.
        for _ in range(2 if database_kind == "postgres" else 1):
            running.start()
        claimed: set[int] = set()
        for kill in range(1, KILLS + 1):
            enough = WAVE * kill // (KILLS + 1)
            wait_until(partial(lambda count: len(mailbox.taken) >= count, enough))
            running.kill()
            claimed |= await db.read(_under_way)
            running.start()
        # What is left then was under way at a kill: its lease is to end.
        await _gone(db, lambda tx: _left(tx, beside=claimed))
        await db.write(_end_leases)
        await _gone(db, _left)

    ids: dict[str, set[str]] = {}
    for address, mail in mailbox.taken:
        ids.setdefault(address, set()).add(mail["Message-ID"])
        assert mail["Subject"].endswith(f"{NOTICES_EACH} notifications")
    assert len(ids) == WAVE
    assert {len(of_address) for of_address in ids.values()} == {1}
    taken = Counter(address for address, _ in mailbox.taken)
    assert sum(count - 1 for count in taken.values()) <= KILLS * AT_ONCE
    assert max(taken.values()) <= 1 + KILLS
