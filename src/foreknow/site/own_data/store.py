"""Rows of deletions under way."""

from __future__ import annotations

import enum

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.people.users.tables import users
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable
from foreknow.site.own_data.tables import deletions, exports

LEASE_MS = MINUTE_MS
_C = deletions.c

#: Deletions as jobs, by the user's id.
DELETIONS = JobTable(_C.user_id, _C.due_at_ms, lease_ms=LEASE_MS, claims=_C.attempts)


class DeletionPhase(enum.StrEnum):
    """What is done next of a deletion."""

    #: Erase what the person wrote.
    TEXTS = "texts"
    #: Erase what a request wrote that was under way.
    LATE_TEXTS = "late_texts"
    #: On SQLite: write the file again, whose unused bytes may hold what was erased.
    FILE = "file"


def begin(tx: WriteTx, user_id: int, *, at_ms: int) -> None:
    """Let the texts of a deleted account be erased from now on; forget when it exported its data."""
    tx.execute(exports.delete().where(exports.c.user_id == user_id))
    tx.execute(deletions.insert().values(user_id=user_id, phase=DeletionPhase.TEXTS.value, due_at_ms=at_ms))


def phase_of(tx: ReadTx, user_id: int) -> DeletionPhase | None:
    """Return the phase of a deletion; None where nothing is left to do."""
    found = tx.execute(sa.select(_C.phase).where(_C.user_id == user_id)).scalar()
    return None if found is None else DeletionPhase(found)


def deleted_at_ms(tx: ReadTx, user_id: int) -> int:
    """Return when an account ended whose deletion is under way."""
    return int(tx.execute(sa.select(users.c.deleted_at_ms).where(users.c.id == user_id)).scalar_one())


def waiting_for_the_file(tx: ReadTx) -> list[int]:
    """Return whose texts are erased but for unused bytes of SQLite's file."""
    return list(tx.execute(sa.select(_C.user_id).where(_C.phase == DeletionPhase.FILE.value)).scalars())


def end(tx: WriteTx, user_ids: list[int]) -> None:
    """Nothing is left to do for these."""
    tx.execute(deletions.delete().where(_C.user_id.in_(user_ids)))
