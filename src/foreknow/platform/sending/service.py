"""Whether a database is where it was when it was served last, and what follows where it is not."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import NamedTuple

import sqlalchemy as sa
import structlog
from sqlalchemy.exc import SQLAlchemyError

from foreknow.kernel.clock import iso
from foreknow.kernel.errors import Unavailable
from foreknow.kernel.private_files import FILE_MODE, FOLDER_MODE
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.ids import leap_ids
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Background, Worker
from foreknow.platform.sending.places import Place, place_of
from foreknow.platform.sending.tables import ROW_ID, sending

#: Ids go on at the Unix time in tenths of a millisecond: above every id given out before, unless a table has had ten
#: thousand new rows a second ever since ids leapt last.
IDS_PER_MS = 10

COPIED = "it is a copy, was restored, or was moved to another disk or server"
CLONED = "its server is a copy, was restored from an archive, or is reached at another address"
GONE_BACK = "it lacks what this machine has seen in it: it was put back to an earlier state"
NOT_MARKED = "it was last served before this machine's database was: a backup of an earlier release"
TRIAL = "FOREKNOW_TRIAL is on"
BY_OPERATOR = "an operator said so (foreknow site hold)"

_C = sending.c
#: How often a process looks; what it has seen since is not missed in a database that was put back while all were down.
POLL_S = 5.0
REMEDY = (
    "nothing goes to partners or alert channels; if this is the site: foreknow site confirm (docs/operations/backup.md)"
)


class IdsUsed(NamedTuple):
    """How far a table's ids have come: the newest row, and the last id ever given out."""

    newest_id: int
    last_id: int


@dataclass(frozen=True, slots=True)
class Hold:
    """Sending is held."""

    since_ms: int
    reason: str


@dataclass(frozen=True, slots=True)
class _Row:
    place: str
    way: str
    hold: Hold | None


@dataclass(frozen=True, slots=True)
class Comparison:
    """What was found of a database. `change` has to be written: a reason to hold, or "" for a new place alone."""

    place: Place
    newest_id: int
    hold: Hold | None
    change: str | None


class Guard:
    """Compares the database with what it, and this machine, remember of it."""

    def __init__(
        self,
        url: str,
        folder: Path,
        *,
        ids_used: Callable[[ReadTx], IdsUsed],
        is_served: Callable[[ReadTx], bool],
        is_trial: bool = False,
    ) -> None:
        """Guard the database at `url`; this machine remembers it in `folder`.

        `ids_used` reads the ids of a table whose rows stay: the ledger's. `is_served` returns whether a server runs on
        it at this moment. `is_trial`: it is never the site.
        """
        self.witness = Witness(folder)
        self._url = url
        self._ids_used = ids_used
        self._is_served = is_served
        self._is_trial = is_trial

    def look(self, tx: ReadTx) -> Comparison:
        """Compare."""
        place, row = place_of(tx, self._url), _read(tx)
        ids = self._ids_used(tx)
        hold = None if row is None else row.hold
        return Comparison(place, ids.newest_id, hold, self._change(tx, place, row, ids))

    def apply(self, tx: WriteTx) -> Comparison:
        """Compare, and write what follows: the new place and, where the database is not where it was, the hold.

        Ids leap with it: what was given out after the backup is unknown.
        """
        _lock(tx)
        found = self.look(tx)
        if found.change is None:
            return found
        hold = found.hold
        if found.change:
            hold = Hold(now_ms(tx), found.change)
            self._leap(tx, found)
        _write(tx, found.place, hold)
        return Comparison(found.place, found.newest_id, hold, None)

    def _change(self, tx: ReadTx, place: Place, row: _Row | None, ids: IdsUsed) -> str | None:
        seen_id = self.witness.seen(place)
        reason: str | None = None
        if row is None:
            reason = NOT_MARKED if ids.last_id and self.witness.knows_any() else ""
        elif row.place != place.name:
            reason = COPIED
        elif seen_id is not None and seen_id > ids.last_id:
            reason = GONE_BACK
        elif row.way != place.way:
            # A failover, or a machine with another address for the same server: the database is known.
            reason = "" if seen_id is not None or self._is_served(tx) else CLONED
        if self._is_trial and not reason and (row is None or row.hold is None):
            return TRIAL
        return reason

    def _leap(self, tx: WriteTx, found: Comparison) -> None:
        leap_ids(tx, over=max(now_ms(tx) * IDS_PER_MS, self.witness.seen(found.place) or 0))

    def hold(self, tx: WriteTx) -> Hold:
        """Hold sending, as for a database that was restored."""
        found = self.apply(tx)
        if found.hold is not None:
            return found.hold
        self._leap(tx, found)
        hold = Hold(now_ms(tx), BY_OPERATOR)
        _write(tx, found.place, hold)
        return hold

    def confirm(self, tx: WriteTx) -> Hold | None:
        """Let the database send: it is the site. Return the hold that ends; None for none."""
        found = self.apply(tx)
        if found.hold is not None:
            _write(tx, found.place, None)
        return found.hold


def mark_copy(tx: WriteTx) -> None:
    """Let an unserved database know that it is a copy: its place is none."""
    _write(tx, Place(""), None)


def _lock(tx: WriteTx) -> None:
    tx.execute(sa.select(_C.id).where(_C.id == ROW_ID).with_for_update())


def _read(tx: ReadTx) -> _Row | None:
    """Read the row; where another transaction wrote it than it says, as in a restored one, its place is none."""
    is_sqlite = tx.dialect.name == "sqlite"
    written_by = sa.literal("") if is_sqlite else sa.literal_column("'/' || xmin::text")
    query = sa.select(_C.place, _C.way, _C.held_since_ms, _C.reason, written_by).where(_C.id == ROW_ID)
    row = tx.execute(query).one_or_none()
    if row is None:
        return None
    place, way, since_ms, reason, writer = row
    known = place.removesuffix(writer) if place.endswith(writer) else ""
    return _Row(known, way, None if since_ms is None else Hold(since_ms, reason))


def _write(tx: WriteTx, place: Place, hold: Hold | None) -> None:
    name: str | sa.ColumnElement[str] = place.name
    if tx.dialect.name != "sqlite":
        name = sa.literal(place.name) + sa.literal_column("'/' || pg_current_xact_id()::xid::text", sa.Text)
    values = {
        "place": name,
        "way": place.way,
        "held_since_ms": None if hold is None else hold.since_ms,
        "reason": "" if hold is None else hold.reason,
    }
    if not tx.execute(sending.update().where(_C.id == ROW_ID).values(values)).rowcount:
        tx.execute(sending.insert().values(id=ROW_ID, **values))


log = structlog.get_logger("foreknow.sending")

_NAME = "seen-{}.txt"


class Witness:
    """Remembers the highest id that each database has had."""

    def __init__(self, folder: Path) -> None:
        """Keep the files in `folder`. One that cannot be written is remembered by this process alone."""
        self._folder = folder
        self._seen: dict[str, int] = {}

    def seen(self, place: Place) -> int | None:
        """Return the highest id seen of a database; None if it was never seen here."""
        if place.seen_as not in self._seen:
            try:
                self._seen[place.seen_as] = int(self._file(place).read_text())
            except (OSError, ValueError):
                return None
        return self._seen[place.seen_as]

    def knows_any(self) -> bool:
        """Return whether any database was seen here."""
        return any(self._folder.glob(_NAME.format("*")))

    def note(self, place: Place, newest_id: int) -> None:
        """Remember how far a database has come."""
        if self.seen(place) == newest_id:
            return
        self._seen[place.seen_as] = newest_id
        file = self._file(place)
        partial = file.with_suffix(f".{os.getpid()}")
        try:
            self._folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            partial.touch(mode=FILE_MODE)
            partial.write_text(str(newest_id))
            partial.replace(file)
        except OSError as failure:
            log.debug("not remembered", file=str(file), reason=str(failure))

    def _file(self, place: Place) -> Path:
        return self._folder / _NAME.format(hashlib.sha256(place.seen_as.encode()).hexdigest()[:16])


class SendingWatch(Background):
    """Knows whether sending is held, before the service serves and every few seconds, and logs when that changes."""

    def __init__(self, db: Database, guard: Guard) -> None:
        """Watch `db`."""
        super().__init__(Worker("sending", self.look, poll_s=POLL_S))
        self._db = db
        self._guard = guard
        self._hold: Hold | None = None

    async def look(self) -> None:
        """Compare the database with what is remembered of it, and remember how far it has come."""
        found = await self._db.read(self._guard.look)
        if found.change is not None:
            found = await self._db.write_private(self._guard.apply)
        await asyncio.to_thread(self._guard.witness.note, found.place, found.newest_id)
        before, self._hold = self._hold, found.hold
        if before is None and found.hold is not None:
            log.warning(
                "sending held",
                since=iso(found.hold.since_ms),
                reason=found.hold.reason,
                remedy=REMEDY,
            )
        elif before is not None and found.hold is None:
            log.info("sending goes on")

    async def stop(self) -> None:
        """Look a last time: what was written until the end counts."""
        await super().stop()
        with contextlib.suppress(Unavailable, SQLAlchemyError):
            await self.look()
