"""The log of admins' actions."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.people import admin_log
from foreknow.people.admin_log import LogEntry
from foreknow.people.admin_log.tables import admin_log as admin_log_table
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.rows import insert_user


def admin(user_id: int) -> UserCaller:
    return UserCaller(
        user_id=user_id, session_id=1, is_creator=False, is_admin=True, is_stats_viewer=False, is_operator=False
    )


async def test_the_log_tells_who_did_what_newest_first(db: Database) -> None:
    def work(tx: WriteTx) -> None:
        ada = insert_user(tx, email="ada@example.org")
        admin_log.record(tx, admin(ada), action="user.credit", target="user:7", details={"note": "Ё"}, at_ms=5)
        admin_log.record(tx, None, action="partner.add", target="partner:Acme", details={}, at_ms=6)
        newest, oldest = admin_log.newest_entries(tx, before_id=None, limit=5)
        assert (newest.who, newest.action, newest.target, newest.created_at_ms) == (
            "command line",
            "partner.add",
            "partner:Acme",
            6,
        )
        assert (oldest.who, oldest.details) == (f"user:{ada}", {"note": "Ё"})
        assert admin_log.newest_entries(tx, before_id=newest.id, limit=5) == [oldest]

    await db.write(work)


async def test_partners_are_named_and_people_are_ids_in_entries_of_older_releases_too(db: Database) -> None:
    def work(tx: WriteTx) -> list[str]:
        row = {"action": "user.credit", "target": "user:7", "details": {}, "created_at_ms": 4}
        tx.execute(admin_log_table.insert().values(user_id=3, who="ada@example.org", **row))
        acme = PartnerCaller(partner_id=1, name="Acme", key_id=1)
        admin_log.record(tx, acme, action="partner.webhook", target="partner:Acme", details={}, at_ms=5)
        return [entry.who for entry in admin_log.newest_entries(tx, before_id=None, limit=5)]

    assert await db.write(work) == ["partner:Acme", "user:3"]


@pytest.mark.parametrize("harm", [admin_log_table.update().values(who="unknown"), admin_log_table.delete()])
async def test_the_database_itself_refuses_changes_to_the_log(db: Database, harm: sa.Update | sa.Delete) -> None:
    def action(tx: WriteTx) -> None:
        admin_log.record(tx, None, action="partner.add", target="partner:Acme", details={}, at_ms=6)

    await db.write(action)
    with pytest.raises(DBAPIError, match="append-only"):
        await db.write(lambda tx: tx.execute(harm))
    assert len(await db.read(lambda tx: admin_log.newest_entries(tx, before_id=None, limit=5))) == 1


async def test_a_note_and_an_address_go_and_nothing_else_does(db: Database) -> None:
    """What a deletion of an account takes from the log."""

    def work(tx: WriteTx) -> list[LogEntry]:
        row = {"action": "user.credit", "target": "user:7", "created_at_ms": 4}
        details = {"amount_kopecks": 5, "note": "For Ё \u2028 \\", "rate": 0.1}
        tx.execute(admin_log_table.insert().values(user_id=3, who="ada@example.org", details=details, **row))
        admin_log.record(tx, admin(3), action="user.mute", target="user:8", details={"note": "stays"}, at_ms=5)
        admin_log.name_by_id(tx, 3)
        assert admin_log.clear_notes(tx, ["user:7", "user:9"]) == 1
        assert admin_log.clear_notes(tx, ["user:7"]) == 0
        return list(admin_log.newest_entries(tx, before_id=None, limit=5))

    newest, oldest = await db.write(work)
    assert newest.details == {"note": "stays"}
    assert oldest.details == {"amount_kopecks": 5, "note": "", "rate": 0.1}
    whos = await db.read(lambda tx: tx.execute(sa.select(admin_log_table.c.who)).scalars().all())
    assert whos == ["user:3", "user:3"]


@pytest.mark.parametrize(
    "change",
    [
        {"details": {"note": ""}},
        {"details": {"note": "x", "amount_kopecks": 5}},
        {"details": {"note": "", "amount_kopecks": 6}},
        {"details": {"note": None, "amount_kopecks": 5}},
        {"details": {"note": "", "amount_kopecks": 5}, "action": "user.debit"},
        {"who": "user:4"},
        {"who": ""},
        {"user_id": 4},
        {"user_id": None},
        {"created_at_ms": 5},
    ],
)
async def test_the_database_refuses_all_other_changes(db: Database, change: dict[str, Any]) -> None:
    def action(tx: WriteTx) -> None:
        details = {"note": "why", "amount_kopecks": 5}
        admin_log.record(tx, admin(3), action="user.credit", target="user:7", details=details, at_ms=6)

    await db.write(action)
    with pytest.raises(DBAPIError, match="append-only"):
        await db.write(lambda tx: tx.execute(admin_log_table.update().values(change)))


async def test_an_entry_without_a_note_gets_none(db: Database) -> None:
    await db.write(lambda tx: admin_log.record(tx, None, action="partner.add", target="partner:A", details={}, at_ms=6))
    for change in (admin_log_table.update().values(details={"note": ""}), admin_log_table.update().values(who="user:")):
        with pytest.raises(DBAPIError, match="append-only"):
            await db.write(_run(change))


def _run(change: sa.Update) -> Callable[[WriteTx], object]:
    return lambda tx: tx.execute(change)
