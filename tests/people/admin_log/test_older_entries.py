"""Entries of older releases, which name admins by their e-mail addresses: a migration names them by id."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import sqlalchemy as sa
from alembic.operations import Operations
from alembic.runtime.migration import MigrationContext

from foreknow.people.admin_log.tables import admin_log
from foreknow.platform.db.migrate import VERSIONS
from foreknow.platform.db.transactions import ReadTx, WriteTx
from tests.support.transactions import look


def run_again(connection: sa.Connection) -> None:
    """Run the migration on a database that has it."""
    (path,) = (found for folder in VERSIONS for found in Path(folder).glob("*_name_admins_by_id.py"))
    found = importlib.util.spec_from_file_location("name_admins_by_id", path)
    assert found is not None
    assert found.loader is not None
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    setattr(module, "ROWS", 2)  # noqa: B010 - a constant of a file whose name is no module's
    with Operations.context(MigrationContext.configure(connection)):
        module.upgrade()


def test_older_entries_name_admins_by_id(database_url: str) -> None:
    row = {"action": "user.credit", "target": "user:1", "details": {"note": "a@b"}, "created_at_ms": 4}

    def write(tx: WriteTx) -> None:
        for user_id, who in ((3, "ada@example.org"), (None, "partner:Acme"), (4, "bob@example.org"), (3, "user:3")):
            tx.execute(admin_log.insert().values(user_id=user_id, who=who, **row))
        for _ in range(3):
            tx.execute(admin_log.insert().values(user_id=5, who="eve@example.org", **row))

    def read(tx: ReadTx) -> list[tuple[str, object]]:
        return [(who, details) for who, details in tx.execute(sa.select(admin_log.c.who, admin_log.c.details))]

    look(database_url, write)
    look(database_url, run_again)

    entries = look(database_url, read)
    assert sorted(who for who, _ in entries) == ["partner:Acme", *["user:3"] * 2, "user:4", *["user:5"] * 3]
    assert {str(details) for _, details in entries} == {"{'note': 'a@b'}"}
