"""A worker of resting orders beside a service whose own has stopped."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator

import pytest

from foreknow.platform.db.engine import Database, open_database
from foreknow.trading.effects.order_worker import OrderWorker
from tests.support.limit_orders import stop_worker
from tests.support.service import Service


@pytest.fixture
async def other(fresh_service: Service) -> AsyncIterator[Database]:
    """Another process's connection to the database of a service whose own worker of orders has stopped."""
    await asyncio.to_thread(stop_worker, fresh_service)
    database = open_database(fresh_service.database_url, clock=fresh_service.clock)
    yield database
    await database.close()


async def work(by: OrderWorker) -> None:
    """Do all that is due."""
    while await by.run_due():
        pass
