"""What is noted of the tables that a connection to the SQLite file writes."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import sqlalchemy as sa

from foreknow.platform.db.sqlite.file_version import FileVersion, file_version
from foreknow.platform.db.statements.driver import execute_raw
from foreknow.platform.db.statements.written_tables import ANY, written_table
from foreknow.platform.db.transactions import WriteTx
from tests.support.kinds import ON_SQLITE
from tests.support.service import Service


@pytest.mark.parametrize(
    ("statement", "table"),
    [
        ("SELECT 1", None),
        ("\n  select a FROM pools", None),
        ("INSERT INTO pool_activity (pool_id) VALUES (?)", "pool_activity"),
        ("insert or ignore into holdings VALUES (1)", "holdings"),
        ("REPLACE INTO holdings VALUES (1)", "holdings"),
        ('UPDATE "pools" SET b = 1', "pools"),
        ("UPDATE accounts SET balance_kopecks = 1", "accounts"),
        ("DELETE FROM sqlite_sequence WHERE name = ?", "sqlite_sequence"),
        ("WITH given AS (SELECT 1) UPDATE pools SET b = 1", ANY),
        ("PRAGMA writable_schema = 1", ANY),
        ("DROP TABLE pools", ANY),
        ("UPDATE main.pools SET b = 1", ANY),
        ('INSERT INTO "main"."pools" (b) VALUES (1)', ANY),
    ],
)
def test_a_statement_is_known_by_the_table_it_writes(statement: str, table: str | None) -> None:
    assert written_table(statement) == table


def by_sqlalchemy(tx: WriteTx, statement: str) -> None:
    """Run a statement as most code does."""
    tx.execute(sa.text(statement))


@ON_SQLITE
@pytest.mark.parametrize("run", [by_sqlalchemy, execute_raw])
def test_only_what_may_have_written_a_table_changes_its_version(
    service: Service, run: Callable[[WriteTx, str], object]
) -> None:
    def version(tx: WriteTx) -> FileVersion | None:
        return file_version(tx, ("pools", "accounts"))

    def is_same_after(*statements: str) -> bool:
        """Return whether the version is the same after a private transaction with these statements."""

        async def between() -> bool:
            db = service.app.db
            before = await db.write_orders(version, limit_s=5)
            await db.write_private(lambda tx: [run(tx, statement) for statement in statements])
            return before == await db.write_orders(version, limit_s=5)

        return bool(service.server.run(between()))

    others = "UPDATE activity_cursor SET seq = seq"
    # A worker may write meanwhile: not each time.
    assert any(is_same_after(others, "SELECT count(*) FROM pools") for _ in range(5))
    assert not any(is_same_after(others, "UPDATE pools SET paused = paused WHERE id = 0") for _ in range(5))
    assert not any(is_same_after("UPDATE accounts SET last_trade_id = last_trade_id", others) for _ in range(5))
    assert not any(is_same_after("WITH one AS (SELECT 1) UPDATE pools SET paused = paused") for _ in range(5))
