"""What notes of invitations say once a person they name has deleted the account."""

from __future__ import annotations

import secrets

import sqlalchemy as sa

from foreknow.people.invitations import store
from foreknow.people.invitations.tables import invitations
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx


def invite(tx: WriteTx, note: str, *, uses: int = 9) -> int:
    row = {"token_hash": secrets.token_hex(8), "uses": uses, "credit_kopecks": 0, "creator": False}
    new = invitations.insert().values(**row, note=note, created_at_ms=1).returning(invitations.c.id)
    return int(tx.execute(new).scalar_one())


async def test_a_name_leaves_notes_and_what_else_they_say_stays(db: Database) -> None:
    notes = {
        "for the team in Berlin": "for the … in Berlin",
        "TEAM, and team@example.org": "…, and …",
        "for the team's friends and Team Lead": "for the …'s friends and …",
        "teamwork, steam": "teamwork, steam",
        "for Bob": "for Bob",
    }

    def work(tx: WriteTx) -> None:
        ids = {invite(tx, note): expected for note, expected in notes.items()}
        own, shared = invite(tx, "for a friend", uses=1), invite(tx, "for friends")
        store.forget(tx, own, ("team@example.org", "Team Lead", "team"))
        store.forget(tx, shared, ("bo@example.org", "", ""))
        left = {row.id: row.note for row in tx.execute(sa.select(invitations.c.id, invitations.c.note))}
        assert left == ids | {own: "", shared: "for friends"}

    await db.write(work)


async def test_a_note_that_names_a_person_in_other_letters_is_cleared(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        one = invite(tx, "for Strasse, and others")
        store.forget(tx, None, ("ann@example.org", "Straße", ""))
        assert tx.execute(sa.select(invitations.c.note).where(invitations.c.id == one)).scalar_one() == ""

    await db.write(work)
