"""Migrations while four processes of the release before serve: no request is refused, nothing is lost."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg
import pytest
import sqlalchemy as sa

from foreknow.platform.db import migrate as migrations
from foreknow.platform.db.migrate import DatabaseTooNew, migrate
from tests.support import forks
from tests.support.books import audit_database
from tests.support.cluster import CLUSTER_MARKS, Cluster
from tests.support.lengths import LONG, length
from tests.support.load import Load
from tests.support.next_release import ADD_COLUMN, ADD_INDEX, add_migrations
from tests.support.service import Service, expect
from tests.support.waiting import WAIT_S, wait_until

RICH_KOPECKS = 100_000_000
#: Bets that are answered at each stage.
BETS = length(short=10, long=30)


@pytest.fixture
def next_release(tmp_path: Path) -> tuple[Path, ...]:
    """Folders of migrations: ours, and two more as a release to come might have them."""
    return add_migrations(tmp_path, ADD_COLUMN, ADD_INDEX)


def starters(url: str, versions: tuple[Path, ...], count: int) -> list[subprocess.Popen[str]]:
    """Begin to start `count` processes of the next release."""
    program = (
        "import pathlib, foreknow.platform.db.migrate as m\n"
        f"m.VERSIONS = tuple(map(pathlib.Path, {[str(path) for path in versions]!r}))\n"
        f"print(m.migrate({url!r}))"
    )
    command = [sys.executable, "-c", program]
    return [forks.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE) for _ in range(count)]


@contextmanager
def long_reading(url: str, table: str) -> Iterator[None]:
    """Read a table in a transaction that stays open while the block runs, as a backup does."""
    begun, ending = threading.Event(), threading.Event()

    async def read() -> None:
        connection = await asyncpg.connect(url)
        async with connection.transaction():
            await connection.fetchval(f"SELECT count(*) FROM {table}")
            begun.set()
            await asyncio.to_thread(ending.wait)
        await connection.close()

    thread = threading.Thread(target=asyncio.run, args=(read(),))
    thread.start()
    assert begun.wait(WAIT_S)
    try:
        yield
    finally:
        ending.set()
        thread.join()


@LONG
@pytest.mark.postgres
@CLUSTER_MARKS[1]
def test_bets_go_on_while_two_starters_of_the_next_release_migrate_beside_a_long_reading(
    cluster_service: Cluster, next_release: tuple[Path, ...]
) -> None:
    cluster = cluster_service
    url = cluster.database_url
    trader = cluster.user(balance_kopecks=RICH_KOPECKS)
    market_ids = [cluster.event()["pools"][0]["markets"][0]["id"] for _ in range(2)]
    load = Load(trader, market_ids, lambda: cluster.api_url, traders=length(short=2, long=4))
    with load.running():
        load.go_on(BETS)
        with long_reading(url, "trades"):
            begun = starters(url, next_release, 2)
            # It waits for the table, and bets wait behind it for a moment; then they get past it.
            wait_until(lambda: waiting_for_a_lock(cluster, "ALTER TABLE trades%"))
            load.go_on(BETS)
            wait_until(lambda: waiting_for_a_lock(cluster, "ALTER TABLE trades%"))
            load.go_on(BETS)
        answers = [process.communicate(timeout=WAIT_S) for process in begun]
        load.go_on(BETS)
    assert sorted(out.strip() for out, _ in answers) == ["False", "True"], answers
    assert load.unanswered == 0
    load.check(trader, before_kopecks=RICH_KOPECKS)
    is_valid = "SELECT indisvalid FROM pg_index WHERE indexrelid = 'ix_trades_mood'::regclass"
    assert cluster.look(lambda tx: tx.execute(sa.text(is_valid)).scalar_one()) is True
    # A process of the release before starts on what the next one has made of the database.
    assert migrate(url) is False
    late = Service(url)
    assert expect(late.client(token=trader.token).get("/users/me"), 200)["id"] == trader.id
    late.stop()
    audit_database(url)


def waiting_for_a_lock(cluster: Cluster, statement: str) -> bool:
    """Tell whether a statement waits for a lock."""
    query = sa.text("SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' AND query LIKE :statement")
    return bool(cluster.look(lambda tx: tx.execute(query, {"statement": statement}).scalar_one()))


def test_a_release_that_a_database_has_left_behind_says_so_and_does_not_start(
    database_url: str, next_release: tuple[Path, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    newest = next_release[-1] / "9002_next.py"
    newest.write_text(newest.read_text() + '\noldest_code = "9001"\n')
    with monkeypatch.context() as later:
        later.setattr(migrations, "VERSIONS", next_release)
        assert migrate(database_url) is True
        assert migrate(database_url) is False
    with pytest.raises(DatabaseTooNew, match="start one that has migration 9001"):
        migrate(database_url)
