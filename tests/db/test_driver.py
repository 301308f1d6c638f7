"""Statements that go to SQLite's driver itself behave as if SQLAlchemy had run them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from foreknow.db.driver import run_on_sqlite
from foreknow.db.engine import sync_engine


@pytest.fixture
def tx(tmp_path: Path) -> Iterator[sa.Connection]:
    """A transaction on a database with one table."""
    engine = sync_engine(f"sqlite:///{tmp_path}/database")
    with engine.begin() as connection:
        connection.exec_driver_sql("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT UNIQUE)")
        yield connection
    engine.dispose()


def test_rows_come_as_they_are(tx: sa.Connection) -> None:
    assert not run_on_sqlite(tx, "INSERT INTO notes VALUES (?, ?)", (1, "one"))
    assert [tuple(row) for row in run_on_sqlite(tx, "SELECT id, text FROM notes")] == [(1, "one")]


@pytest.mark.parametrize("heard", [True, False])
def test_failures_are_those_of_sqlalchemy_and_keep_values_to_themselves(tx: sa.Connection, *, heard: bool) -> None:
    if heard:
        sa.event.listen(tx, "before_cursor_execute", lambda *_given: None)
    insert = "INSERT INTO notes (text) VALUES (?)"
    run_on_sqlite(tx, insert, ("secret",))
    with pytest.raises(IntegrityError) as twice:
        run_on_sqlite(tx, insert, ("secret",))
    with pytest.raises(OperationalError):
        run_on_sqlite(tx, "SELECT nothing FROM nowhere")
    assert isinstance(twice.value, DBAPIError)
    assert insert in str(twice.value)
    assert "secret" not in str(twice.value)


def test_who_listens_hears_of_them(tx: sa.Connection) -> None:
    heard: list[tuple[str, Any]] = []
    sa.event.listen(tx, "before_cursor_execute", lambda _c, _u, text, values, *_rest: heard.append((text, values)))
    run_on_sqlite(tx, "INSERT INTO notes VALUES (?, ?)", [1, "one"])
    rows = run_on_sqlite(tx, "SELECT text FROM notes WHERE id = ?", [1])
    assert [tuple(row) for row in rows] == [("one",)]
    assert heard == [("INSERT INTO notes VALUES (?, ?)", (1, "one")), ("SELECT text FROM notes WHERE id = ?", (1,))]
