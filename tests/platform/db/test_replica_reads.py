"""Reads that may be a moment old, with a real standby that falls behind, dies, freezes and comes back.

Ages come from a watch that stands still until a test moves it: nothing here depends on how fast the machine is.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Collection
from dataclasses import dataclass

import pytest
import sqlalchemy as sa

from foreknow.kernel.errors import NotFound
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.postgres.replica import Replica
from foreknow.platform.db.public_reads import PublicReads, ReadSource
from foreknow.platform.db.replica_reads import (
    BEHIND_MAX_S,
    MARK_EVERY_S,
    REST_MIN_S,
    TIMEOUT_S,
    LocalWrites,
    ReplicaReads,
)
from foreknow.web.response_cache import TRUST_MS, ResponseCache
from tests.support.postgres import Postgres
from tests.support.standby import Standby

pytestmark = pytest.mark.postgres
WAIT_S = 30
#: Where a read was answered, and what it showed.
FROM_REPLICA, FROM_PRIMARY = True, False
Look = tuple[bool, list[str]]


class Watch:
    """Tells seconds; each look at it is a little later than the one before."""

    def __init__(self) -> None:
        self._now_s = 1000.0

    def __call__(self) -> float:
        self._now_s += 1e-6
        return self._now_s

    def advance(self, seconds: float) -> None:
        self._now_s += seconds


@dataclass
class ApiClient:
    """This process, another one, and the standby of the database that both write to."""

    db: Database
    other: Database
    standby: Standby
    watch: Watch
    stale: ReplicaReads

    async def look(self, *pool_ids: int, of_all_pools: bool = False) -> Look:
        def read(tx: sa.Connection) -> tuple[Look, Collection[int]]:
            return look(tx), pool_ids

        return (await self.stale.read(read, of_all_pools=of_all_pools)).content

    async def settle(self) -> list[str]:
        """Read until the replica answers, and return what it showed."""
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            source, texts = await self.look()
            if source is FROM_REPLICA:
                return texts
            self.watch.advance(MARK_EVERY_S)
            # There is a commit now and then, as on every running site: the log is flushed to the end of a record.
            await self.other.write(lambda tx: tx.execute(sa.text("SELECT pg_log_standby_snapshot()")))
        raise AssertionError("the replica was never read from")


def look(tx: sa.Connection) -> Look:
    texts = tx.execute(sa.text("SELECT text FROM notes ORDER BY text")).scalars()
    return tx.execute(sa.text("SELECT pg_is_in_recovery()")).scalar_one(), list(texts)


def note(tx: sa.Connection) -> None:
    tx.execute(sa.text("INSERT INTO notes VALUES ('news')"))


@pytest.fixture
def notes_url(postgres: Postgres, standby: Standby, postgres_url: str) -> str:
    """A database with one table, which the standby has, too."""
    postgres.sql("CREATE TABLE notes (text text NOT NULL)", database=postgres_url.rsplit("/", 1)[1])
    standby.catch_up()
    return postgres_url


@pytest.fixture
async def site(notes_url: str, standby: Standby) -> AsyncIterator[ApiClient]:
    db, other, watch = open_database(notes_url), open_database(notes_url), Watch()
    # However busy the machine is: only a standby that is frozen takes longer.
    stale = ReplicaReads(db, Replica(standby.url(notes_url)), timer=watch, timeout_s=WAIT_S)
    yield ApiClient(db, other, standby, watch, stale)
    await stale.stop()
    await db.close()
    await other.close()


async def test_without_a_replica_they_are_reads_like_others(db: Database) -> None:
    stale = PublicReads(db)

    def read(tx: sa.Connection) -> tuple[int, list[int]]:
        return tx.execute(sa.text("SELECT 7")).scalar_one(), [1, 2]

    seen = await stale.read(read)
    assert (seen.content, seen.pool_ids, seen.behind_ms) == (7, [1, 2], 0)
    assert stale.is_replica_used is None
    await stale.stop()


async def test_what_this_process_wrote_shows_at_once_however_far_the_replica_is(site: ApiClient) -> None:
    await site.settle()
    with site.standby.paused():
        await site.db.write(note)
        deadline = time.monotonic() + WAIT_S
        while site.stale.is_replica_used:
            assert await site.look() == (FROM_PRIMARY, ["news"])
            assert time.monotonic() < deadline, "it was not noticed that it is far behind"
            site.watch.advance(MARK_EVERY_S)

    assert await site.settle() == ["news"]
    assert site.stale.is_replica_used


async def test_a_trade_keeps_only_what_shows_its_pool_from_the_replica(site: ApiClient) -> None:
    await site.settle()
    with site.standby.paused():
        await site.db.write_private(note)
        site.stale.writes.note_pools([7])

        assert await site.look(8) == (FROM_REPLICA, [])
        assert await site.look(8, 7) == (FROM_PRIMARY, ["news"])
        for _ in range(8):
            # It is looked after meanwhile how far the replica is, and it is not so far.
            assert await site.look(8, of_all_pools=True) == (FROM_PRIMARY, ["news"])
            site.watch.advance(MARK_EVERY_S)


async def test_what_another_process_wrote_shows_within_the_bound(site: ApiClient) -> None:
    await site.settle()
    with site.standby.paused():
        await site.other.write(note)
        assert await site.look() == (FROM_REPLICA, [])

        site.watch.advance(BEHIND_MAX_S)
        for _ in range(30):
            assert await site.look() == (FROM_PRIMARY, ["news"])
            site.watch.advance(MARK_EVERY_S)


async def test_what_the_replica_does_not_know_yet_is_not_refused(site: ApiClient) -> None:
    def read(tx: sa.Connection) -> Look:
        found = look(tx)
        if not found[1]:
            raise NotFound
        return found

    await site.settle()
    with pytest.raises(NotFound):
        await site.stale.lookup_untraded(read)
    with site.standby.paused():
        await site.other.write(note)
        assert await site.stale.lookup_untraded(read) == (FROM_PRIMARY, ["news"])
    assert site.stale.metrics.reads[ReadSource.REFUSED] == 2


async def test_when_the_replica_dies_no_request_fails_and_it_is_used_again_once_it_is_back(site: ApiClient) -> None:
    await site.settle()
    site.standby.kill()
    try:
        looks = await asyncio.gather(*(site.look() for _ in range(30)))
        assert {source for source, _ in looks} == {FROM_PRIMARY}
        assert not site.stale.is_replica_used
    finally:
        site.standby.start()
    site.watch.advance(REST_MIN_S)
    await site.settle()
    assert site.stale.is_replica_used


async def test_a_replica_that_hangs_holds_up_only_those_who_found_out(site: ApiClient) -> None:
    await site.settle()
    site.stale._timeout_s = TIMEOUT_S
    with site.standby.frozen():
        first = await asyncio.gather(*(site.look() for _ in range(10)))
        resting = site.stale.metrics.reads[ReadSource.RESTING]
        later = [await site.look() for _ in range(100)]

        assert {source for source, _ in first + later} == {FROM_PRIMARY}
        assert site.stale.metrics.reads[ReadSource.RESTING] == resting + 100
    # Ten found out the same: it is tried again as soon as if one had.
    site.watch.advance(REST_MIN_S)
    resting = site.stale.metrics.reads[ReadSource.RESTING]
    await site.look()
    assert site.stale.metrics.reads[ReadSource.RESTING] == resting
    site.stale._timeout_s = WAIT_S
    await site.settle()


@pytest.mark.parametrize("where", ["the primary itself", "another database", "nowhere"])
async def test_a_server_that_is_no_replica_of_ours_is_left_alone(
    where: str, notes_url: str, postgres: Postgres, standby: Standby
) -> None:
    # Another site's, with a table of the same name.
    theirs = postgres.fresh_database()
    postgres.sql("CREATE TABLE notes (text text NOT NULL)", database=theirs.rsplit("/", 1)[1])
    standby.catch_up()
    url = {
        "the primary itself": notes_url,
        "another database": standby.url(theirs),
        "nowhere": "postgresql://unknown@127.0.0.1:1/nothing",
    }[where]
    db, watch = open_database(notes_url), Watch()
    stale = ReplicaReads(db, Replica(url), timer=watch)
    deadline = time.monotonic() + WAIT_S
    try:
        while stale.is_replica_used:
            assert time.monotonic() < deadline, "it is still asked"
            assert await stale.lookup_untraded(look) == (FROM_PRIMARY, [])
            watch.advance(MARK_EVERY_S)
            await asyncio.sleep(0.01)
    finally:
        await stale.stop()
        await db.close()
        postgres.drop(theirs)


async def test_an_answer_from_the_replica_is_kept_for_less_long(site: ApiClient) -> None:
    now_ms, reads = 10**12, 0
    shared = ResponseCache(site.db, site.stale, lambda: now_ms)

    def read(tx: sa.Connection) -> tuple[Look, list[int]]:
        nonlocal reads
        reads += 1
        return look(tx), [1]

    await site.settle()
    with site.standby.paused():
        # From now on no new mark can be reached: the replica shows what was 400 ms ago.
        await site.other.write(note)
        site.watch.advance(0.4)
        assert (await shared.get("notes", read)).body == b"[true,[]]"
        now_ms += TRUST_MS - 500
        await shared.get("notes", read)
        assert reads == 1
        now_ms += 200
        await shared.get("notes", read)
        assert reads == 2


def test_moments_of_trades_are_forgotten_when_they_no_longer_matter() -> None:
    watch = Watch()
    writes = LocalWrites(watch)
    for number in range(100):
        writes.note_pools(range(number * 1000, (number + 1) * 1000))
        watch.advance(BEHIND_MAX_S / 4)

    assert writes.last_s([99_999]) > writes.last_s([98_999]) > writes.last_s([])
    assert writes.last_s([0]) == writes.last_s([])
    assert len(writes._pools_s) < 6_000
