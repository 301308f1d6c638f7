"""The PostgreSQL that other tests stand on."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import asyncpg
import pytest

from tests.support.postgres import Postgres

ROOT = Path(__file__).parents[2]

DIES_WITHOUT_STOPPING_IT = """
import os, signal
from tests.support.postgres import running_postgres
with running_postgres() as server:
    print(server.sql("select pg_backend_pid()") and server.port, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


async def test_a_fresh_database_is_reached_over_tcp_and_is_empty(postgres_url: str) -> None:
    connection = await asyncpg.connect(postgres_url)
    try:
        tables = await connection.fetch("SELECT * FROM pg_tables WHERE schemaname = 'public'")
    finally:
        await connection.close()
    assert tables == []


async def test_databases_prepared_alike_are_copies_and_do_not_see_each_other(postgres: Postgres) -> None:
    prepared: list[str] = []

    def prepare(url: str) -> None:
        prepared.append(url)
        postgres.sql("CREATE TABLE t (n int)", database=url.rsplit("/", 1)[1])

    first, second = (postgres.fresh_database(prepare).rsplit("/", 1)[1] for _ in range(2))
    postgres.sql("INSERT INTO t VALUES (1)", database=first)

    assert len(prepared) == 1
    assert postgres.sql("SELECT count(*) FROM t", database=first) == "1"
    assert postgres.sql("SELECT count(*) FROM t", database=second) == "0"


def test_a_lent_database_has_no_rows_however_often_it_is_lent(postgres: Postgres) -> None:
    def prepare(url: str) -> None:
        name = url.rsplit("/", 1)[1]
        postgres.sql("CREATE TABLE alembic_version (version_num text)", database=name)
        postgres.sql("CREATE TABLE owners (id serial PRIMARY KEY)", database=name)
        postgres.sql("CREATE TABLE things (owner_id int REFERENCES owners)", database=name)

    insert = "INSERT INTO owners DEFAULT VALUES RETURNING id"
    with postgres.lent_database(prepare) as first:
        name = first.rsplit("/", 1)[1]
        assert postgres.sql(insert, database=name) == "1"
        postgres.sql("INSERT INTO things VALUES (1)", database=name)
    with postgres.lent_database(prepare) as second:
        assert second == first
        assert postgres.sql("SELECT count(*) FROM things", database=name) == "0"
        assert postgres.sql(insert, database=name) == "1"


@pytest.mark.parametrize(
    "change",
    [
        "ALTER TABLE things ADD COLUMN more int",
        "ALTER TABLE things ALTER COLUMN n SET DEFAULT 1",
        "ALTER TABLE things RENAME TO lost; ALTER TABLE lost RENAME TO things",
        "CREATE INDEX ON things (n)",
        "INSERT INTO alembic_version VALUES ('next')",
        "ALTER DATABASE {name} SET work_mem = '1MB'",
        "CREATE SCHEMA another",
    ],
)
def test_a_database_whose_definitions_were_changed_is_not_lent_again(postgres: Postgres, change: str) -> None:
    def prepare(url: str) -> None:
        name = url.rsplit("/", 1)[1]
        postgres.sql("CREATE TABLE alembic_version (version_num text)", database=name)
        postgres.sql("CREATE TABLE things (n int)", database=name)

    with postgres.lent_database(prepare) as first:
        name = first.rsplit("/", 1)[1]
        postgres.sql(change.format(name=name), database=name)
    with postgres.lent_database(prepare) as second:
        assert second != first


def test_case_is_known_in_every_script(postgres: Postgres) -> None:
    assert postgres.sql("SELECT lower('ЖÄΣ')") == "жäσ"


def test_the_server_ends_with_its_process_however_that_dies() -> None:
    ended = subprocess.run(
        [sys.executable, "-c", DIES_WITHOUT_STOPPING_IT], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert ended.returncode == -signal.SIGKILL, ended.stderr
    port = int(ended.stdout)
    deadline = time.monotonic() + 60
    while _listens(port) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert not _listens(port)


def _listens(port: int) -> bool:
    # Linux lists a listening socket as state 0A; asking the kernel disturbs no process that has the port by then.
    row = f"0100007F:{port:04X} 00000000:0000 0A"
    return row in Path("/proc", str(os.getpid()), "net/tcp").read_text()
