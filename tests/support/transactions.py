"""One transaction on the database of a URL, without the service's own engine."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy.engine import make_url
from sqlalchemy.ext.asyncio import create_async_engine

from foreknow.platform.db.sqlite.connections import sqlite_engine

Result = TypeVar("Result")


def look(url: str, work: Callable[[Any], Result]) -> Result:
    """Run `work` in a transaction and commit it."""
    if url.startswith("sqlite:"):
        engine = sqlite_engine(url)
        with engine.begin() as connection:
            result = work(connection)
        engine.dispose()
        return result

    async def run() -> Result:
        postgres = create_async_engine(make_url(url).set(drivername="postgresql+asyncpg"))
        async with postgres.begin() as connection:
            result = await connection.run_sync(work)
        await postgres.dispose()
        return result

    return asyncio.run(run())
