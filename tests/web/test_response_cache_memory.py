"""What public answers are given from stays small, whatever is requested."""

from __future__ import annotations

import tracemalloc

import pytest

from foreknow.kernel.clock import system_clock
from foreknow.platform.db.engine import Database
from foreknow.platform.db.public_reads import PublicRead, PublicReads
from foreknow.platform.db.transactions import ReadTx
from foreknow.web import response_cache as shared_answers
from foreknow.web.response_cache import CACHE_BYTES_MAX, ResponseCache

# What is kept, is kept in the process.
pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

ANSWER_BYTES = 200_000


def showing(pool_ids: list[int]) -> PublicRead[list[str]]:
    """Return how an answer about these pools is read."""

    def read(tx: ReadTx) -> tuple[list[str], list[int]]:
        return [], pool_ids

    return read


async def test_however_many_large_answers_are_requested_memory_stays_bounded(db: Database) -> None:
    shared = ResponseCache(db, PublicReads(db), system_clock)

    def read(tx: ReadTx) -> tuple[str, list[int]]:
        return "x" * ANSWER_BYTES, [1]

    tracemalloc.start()
    try:
        for number in range(3 * CACHE_BYTES_MAX // ANSWER_BYTES):
            await shared.get(("pools", number), read)
        held_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert held_bytes < 1.2 * CACHE_BYTES_MAX


async def test_however_many_lists_of_pools_are_requested_memory_stays_bounded(
    db: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    # Soon full.
    cache_bytes_max = CACHE_BYTES_MAX // 8
    monkeypatch.setattr(shared_answers, "CACHE_BYTES_MAX", cache_bytes_max)
    shared = ResponseCache(db, PublicReads(db), lambda: 0)
    tracemalloc.start()
    try:
        for number in range(400):
            pool_ids = list(range(number * 100 + 10**6, number * 100 + 10**6 + 100))
            await shared.get(("pools", *pool_ids), showing(pool_ids))
            # A trade in one pool takes the whole answer out of the books, not only out of that pool's.
            if number % 2:
                shared.invalidate_pools(pool_ids[:1])
        held_bytes, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()

    assert held_bytes < 1.2 * cache_bytes_max
