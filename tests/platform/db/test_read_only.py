"""A read cannot write, on both databases; mypy says so first, the database in any case."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import pytest
from sqlalchemy.exc import DBAPIError

from foreknow.platform.db.engine import Database
from foreknow.platform.db.secrets import secrets, shared_secret
from foreknow.platform.db.transactions import ReadTx, WriteTx


def writing_in_a_read(tx: ReadTx) -> bytes:
    return shared_secret(cast("WriteTx", tx), "made in a read")


@pytest.mark.parametrize("how", ["read", "lookup"])
async def test_a_write_in_a_read_fails_and_leaves_nothing(db: Database, how: str) -> None:
    read: Callable[[Any], Any] = getattr(db, how)
    with pytest.raises(DBAPIError, match=r"readonly|read-only"):
        await read(writing_in_a_read)
    assert await db.read(lambda tx: tx.execute(secrets.select()).all()) == []


async def test_the_same_work_in_a_write_is_done(db: Database) -> None:
    made = await db.write(lambda tx: shared_secret(tx, "made in a write"))
    assert await db.lookup(lambda tx: tx.execute(secrets.select()).all()) == [("made in a write", made)]
