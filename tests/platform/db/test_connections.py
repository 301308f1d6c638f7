"""A PostgreSQL that says nothing any more, and does not close its connections either."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable
from dataclasses import replace
from typing import Any
from urllib.parse import urlsplit

import asyncpg
import pytest
import sqlalchemy as sa

from foreknow.kernel.errors import Unavailable
from foreknow.platform.db.engine import name_of
from foreknow.platform.db.postgres.connections import ServerTimeouts, connect
from foreknow.platform.db.postgres.database import CONNECTIONS, PostgresDatabase
from foreknow.platform.db.postgres.pulse import PulseTimes
from foreknow.platform.db.statements.driver import execute_raw
from foreknow.platform.db.statements.row_locks import lock_rows
from foreknow.platform.db.transactions import WriteTx
from tests.support.silence import SilentProxy
from tests.support.waiting import happens

pytestmark = pytest.mark.postgres
#: A statement that would wait for ever fails the test instead.
HANGS_S = 60
#: Longer than any pause of this machine: it ends no connection of a test that is about another limit.
PATIENT = ServerTimeouts(connect_s=HANGS_S, silence_s=HANGS_S)
SOON_S = 0.5
#: A transaction that takes a moment makes us look whether its server lives.
IMPATIENT_S = PulseTimes(slow=0.05, probe=0.5, pause=0.02)


@pytest.fixture
async def proxy(postgres_url: str) -> AsyncIterator[SilentProxy]:
    """A proxy before the server, which speaks at first."""
    async with SilentProxy(urlsplit(postgres_url).port or 0).running() as running:
        yield running


@pytest.fixture
def timeouts() -> ServerTimeouts:
    """How long `database` waits for its server; a test that is about these has others."""
    return PATIENT


@pytest.fixture
async def database(postgres_url: str, proxy: SilentProxy, timeouts: ServerTimeouts) -> AsyncIterator[PostgresDatabase]:
    """A database behind the proxy, not yet connected."""
    url = sa.make_url(postgres_url).set(port=proxy.port).render_as_string(hide_password=False)
    database = PostgresDatabase(url, timeouts=timeouts)
    yield database
    proxy.speaking.set()
    await database.close()


def select(value: str) -> Callable[[sa.Connection], Any]:
    return lambda tx: tx.execute(sa.text("SELECT length(CAST(:value AS text))"), {"value": value}).scalar_one()


async def answer(database: PostgresDatabase) -> Any:
    """Ask until the server answers in time: to connect may take a busy machine longer."""
    while True:
        with contextlib.suppress(Unavailable):
            return await database.write(select("here"))


@pytest.mark.parametrize("timeouts", [replace(PATIENT, connect_s=SOON_S)])
async def test_a_server_that_does_not_answer_who_connects_is_unavailable(
    database: PostgresDatabase, proxy: SilentProxy
) -> None:
    proxy.speaking.clear()
    async with asyncio.timeout(HANGS_S):
        with pytest.raises(Unavailable):
            await database.write(select(""))
        with pytest.raises(Unavailable):
            await database.read(select(""))
        proxy.speaking.set()
        assert await answer(database) == 4


async def test_a_transaction_that_takes_longer_than_its_limit_is_given_up(
    database: PostgresDatabase, proxy: SilentProxy
) -> None:
    async with asyncio.timeout(HANGS_S):
        await database.write(select(""))
        proxy.speaking.clear()
        with pytest.raises(Unavailable):
            await database.write_orders(select(""), limit_s=0.3)
        proxy.speaking.set()
        assert await database.write_orders(select("here"), limit_s=HANGS_S) == 4


async def test_a_commit_that_takes_longer_than_its_limit_is_given_up(
    database: PostgresDatabase, proxy: SilentProxy
) -> None:
    def fall_silent(tx: WriteTx) -> None:
        lock_rows(tx, ["SELECT 1"])
        proxy.speaking.clear()

    async with asyncio.timeout(HANGS_S):
        with pytest.raises(Unavailable):
            await database.write_orders(fall_silent, limit_s=0.3)
        proxy.speaking.set()
        assert await database.write(select("here")) == 4


async def test_a_connection_whose_first_statement_was_cancelled_is_used_no_more(
    database: PostgresDatabase, proxy: SilentProxy
) -> None:
    """It may be in a transaction, whose snapshot would grow old with it."""

    def count(tx: sa.Connection) -> int:
        return int(execute_raw(tx, "SELECT count(*) FROM notes")[0][0])

    async with asyncio.timeout(HANGS_S):
        await database.write(lambda tx: tx.exec_driver_sql("CREATE TABLE notes (text TEXT)"))
        proxy.speaking.clear()
        for _ in range(3):
            read = asyncio.create_task(database.read(count))
            await asyncio.sleep(0.05)
            read.cancel()
            with pytest.raises(asyncio.CancelledError):
                await read
        proxy.speaking.set()
        for number in range(3):
            await database.write(lambda tx: execute_raw(tx, "INSERT INTO notes VALUES ('')"))
            assert await database.read(count) == number + 1


async def test_who_waits_for_a_server_that_hangs_is_refused_and_so_is_who_comes_later(
    database: PostgresDatabase, proxy: SilentProxy
) -> None:
    """All that is sent is acknowledged: no system gives these connections up."""
    database._pulse.times_s = IMPATIENT_S
    async with asyncio.timeout(HANGS_S):
        await answer(database)
        proxy.speaking.clear()
        # More than there are connections.
        reads = [database.read(select("")) for _ in range(2 * CONNECTIONS)]
        outcomes = await asyncio.gather(*reads, database.write(select("")), return_exceptions=True)
        assert {type(outcome) for outcome in outcomes} == {Unavailable}
        with pytest.raises(Unavailable):
            await database.write_orders(select(""), limit_s=HANGS_S)
        proxy.speaking.set()
        assert await answer(database) == 4


@pytest.mark.parametrize("turns", [0, 1, 5, 20, 60])
async def test_what_waits_for_its_connection_when_the_database_is_closed_leaves_none_open(
    postgres_url: str, turns: int
) -> None:
    database = PostgresDatabase(postgres_url)
    writing = asyncio.create_task(database.write_private(select("here")))
    for _ in range(turns):
        await asyncio.sleep(0)
    await database.close()
    # What begins only after that is refused.
    with contextlib.suppress(Unavailable):
        assert await writing == len("here")
    assert all(connection.is_closed() for connection in database._pulse._connections)


async def test_what_is_cancelled_just_as_its_connection_is_there_leaves_none_open(postgres_url: str) -> None:
    database = PostgresDatabase(postgres_url)
    reading = asyncio.create_task(database.read(select("here")))
    async with asyncio.timeout(HANGS_S):
        while not database._pulse._connecting:  # noqa: ASYNC110 - it does not notify
            await asyncio.sleep(0)
        # No name is given to it, which would hold what it made.
        next(iter(database._pulse._connecting)).add_done_callback(lambda _: reading.cancel())
        with pytest.raises(asyncio.CancelledError):
            await reading
        # Before the database is closed, too.
        await happens(lambda: is_left(postgres_url))
        await database.close()


async def is_left(url: str) -> bool:
    """Tell whether a database has no connection but the one that asks."""
    asking = await asyncpg.connect(url)
    try:
        query = "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        return bool(await asking.fetchval(query) == 1)
    finally:
        await asking.close()


async def test_a_long_transaction_of_a_server_that_lives_goes_on(database: PostgresDatabase) -> None:
    database._pulse.times_s = replace(IMPATIENT_S, probe=PulseTimes().probe)
    async with asyncio.timeout(HANGS_S):
        assert await database.read(lambda tx: tx.execute(sa.text("SELECT 4 FROM pg_sleep(0.7)")).scalar_one()) == 4


@pytest.mark.parametrize("timeouts", [replace(PATIENT, connect_s=4.0)])
async def test_the_server_that_answers_is_found_behind_one_that_does_not(
    postgres_url: str, proxy: SilentProxy, timeouts: ServerTimeouts
) -> None:
    port = urlsplit(postgres_url).port
    proxy.speaking.clear()
    several = postgres_url.replace(f":{port}/", f":{proxy.port},127.0.0.1:{port}/")
    assert name_of(several).startswith(f"127.0.0.1:{proxy.port},127.0.0.1:{port}/test_")
    database = PostgresDatabase(several, timeouts=timeouts)
    async with asyncio.timeout(HANGS_S):
        assert await answer(database) == 4
        # Where none takes writes, the database is away rather than wrong.
        name = urlsplit(postgres_url).path[1:]
        await database.write(
            lambda tx: tx.exec_driver_sql(f'ALTER DATABASE "{name}" SET default_transaction_read_only = on')
        )
        await database.close()
        database = PostgresDatabase(several, timeouts=timeouts)
        with pytest.raises(Unavailable):
            await database.read(select(""))
        await database.close()


@pytest.mark.skipif(
    not hasattr(socket, "TCP_USER_TIMEOUT"), reason="only Linux tells how long what is sent may stay unread"
)
@pytest.mark.parametrize("timeouts", [replace(PATIENT, silence_s=SOON_S)])
async def test_the_system_gives_up_a_connection_whose_server_takes_nothing(
    database: PostgresDatabase, proxy: SilentProxy
) -> None:
    def send_to_no_one(tx: sa.Connection) -> None:
        select("")(tx)
        proxy.speaking.clear()
        # More than fits into the buffers on the way: the last of it is never acknowledged.
        select("x" * 4_000_000)(tx)

    async with asyncio.timeout(HANGS_S):
        with pytest.raises(Unavailable):
            await database.write(send_to_no_one)
        proxy.speaking.set()
        assert await database.read(select("here")) == 4


async def test_the_system_asks_after_a_connection_that_says_nothing(postgres_url: str) -> None:
    url = urlsplit(postgres_url)
    connection = await connect(
        host=url.hostname, port=url.port, user=url.username, password=url.password, database=url.path[1:]
    )
    try:
        connected = connection._transport.get_extra_info("socket")
        assert connected.getsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE)
        for name, setting in {
            "TCP_KEEPIDLE": 2,
            "TCP_KEEPINTVL": 1,
            "TCP_KEEPCNT": 3,
            "TCP_USER_TIMEOUT": 4_000,
        }.items():
            if hasattr(socket, name):
                assert connected.getsockopt(socket.IPPROTO_TCP, getattr(socket, name)) == setting, name
    finally:
        await connection.close()
