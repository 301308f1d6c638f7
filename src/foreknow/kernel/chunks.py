"""Splits long lists: databases limit the number of values in a statement."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from typing import TypeVar

Item = TypeVar("Item")
#: SQLite allows 32,766 variables a statement, PostgreSQL 32,767.
CHUNK_ROWS = 5_000


def chunks(items: Collection[Item], size: int = CHUNK_ROWS) -> Iterator[Sequence[Item]]:
    """Split into lists of at most `size` items (itertools.batched, which Python 3.11 lacks)."""
    whole = list(items)
    for start in range(0, len(whole), size):
        yield whole[start : start + size]
