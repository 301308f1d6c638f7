"""What is not copied, and into what nothing is copied."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest
import sqlalchemy as sa
from sqlalchemy.engine import make_url

from foreknow.commands.copying import CannotCopy, copy, databases
from foreknow.platform.db.migrate import migrate
from foreknow.platform.db.transactions import WriteTx
from tests.commands.copying.conftest import EmptyDatabase
from tests.commands.copying.stages import Stages
from tests.support.rows import insert_user
from tests.support.transactions import look

# One of the two sides is always on it.
pytestmark = pytest.mark.postgres
#: What does not depend on the kind is shown once: from SQLite to PostgreSQL.
one_kind = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)


def refused(source_url: str, target_url: str, *, because: str) -> None:
    """Make sure that nothing is copied, for this reason."""
    with pytest.raises(CannotCopy, match=because):
        copy(source_url=source_url, target_url=target_url, watcher=Stages())


def _users(tx: WriteTx) -> int:
    return int(tx.scalar(sa.text("SELECT count(*) FROM users")) or 0)


def _make_too_new(tx: WriteTx) -> None:
    tx.execute(sa.text("UPDATE alembic_version SET version_num = '9999'"))


@one_kind
def test_a_target_with_a_row_is_refused(database_url: str, target_url: str) -> None:
    migrate(target_url)
    look(target_url, insert_user)
    refused(database_url, target_url, because="not empty: it has rows in users;")
    assert look(target_url, _users) == 1


def test_a_target_with_tables_of_something_else_is_refused_and_left_alone(database_url: str, bare_url: str) -> None:
    target_url = bare_url
    if target_url.startswith("sqlite:"):
        Path(str(make_url(target_url).database)).parent.mkdir()
    look(target_url, lambda tx: tx.execute(sa.text("CREATE TABLE letters (id INTEGER)")))
    refused(database_url, target_url, because="something else")
    assert look(target_url, lambda tx: sa.inspect(tx).get_table_names()) == ["letters"]


@one_kind
def test_a_side_of_a_newer_release_is_refused(database_url: str, target_url: str) -> None:
    migrate(target_url)
    look(target_url, _make_too_new)
    refused(database_url, target_url, because="newer release has migrated the target")
    look(database_url, _make_too_new)
    refused(database_url, target_url, because="newer release has migrated the source")


def test_a_database_is_not_copied_onto_itself(database_url: str, database_kind: str, tmp_path: Path) -> None:
    """However it is spelled."""
    if database_kind == "sqlite":
        link = tmp_path / "link.sqlite3"
        link.symlink_to(str(make_url(database_url).database))
        other = f"sqlite:///{link}"
    else:
        other = database_url.replace("127.0.0.1", "localhost")
    for target in (database_url, other):
        refused(database_url, target, because="the target is the database")


def test_a_source_that_is_not_there_is_not_made(
    database_kind: str, empty_database: EmptyDatabase, target_url: str
) -> None:
    source_url = empty_database(database_kind)
    refused(source_url, target_url, because="nothing to copy")
    if database_kind == "sqlite":
        assert not Path(str(make_url(source_url).database)).parent.exists()
    else:
        assert look(source_url, lambda tx: sa.inspect(tx).get_table_names()) == []


@one_kind
def test_wrong_books_are_not_copied(database_url: str, target_url: str) -> None:
    look(database_url, insert_user)  # without an account
    refused(database_url, target_url, because="books of the source are wrong")
    assert look(target_url, _users) == 0


def test_a_target_in_use_is_refused(database_url: str, target_url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("foreknow.commands.copying.targets.WAIT_MS", 50)
    monkeypatch.setattr(databases, "WAIT_MS", 50)
    migrate(target_url)

    async def work_there() -> None:
        async with databases.transaction(target_url) as side:
            await side.run(insert_user)
            await asyncio.to_thread(refused, database_url, target_url, because="in use")

    asyncio.run(work_there())
