"""How one process stops: what is under way, what is on its way, what takes too long."""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import asyncpg
import pytest

from foreknow.service import server
from tests.support.postgres import one_waits
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_a_request_on_a_connection_that_was_idle_is_answered_before_the_process_ends(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "LINGER_S", 60.0)
    service = start_service()
    client = service.client()
    assert expect(client.get("/ready"), 200) == {"status": "ready"}
    service.server.stop_soon()
    wait_until(lambda: not accepts(service.server.port))

    answer = client.get("/health")
    assert expect(answer, 200)["status"] == "ok"
    assert answer.headers["Connection"] == "close"
    service.server.stop()


def accepts(port: int) -> bool:
    """Tell whether a process listens; what stops resets a connection that it has not taken yet."""
    try:
        socket.create_connection(("127.0.0.1", port)).close()
    except ConnectionError:
        return False
    return True


@pytest.mark.postgres
@pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)
def test_an_order_that_outlasts_the_timeout_of_a_stopping_server_is_answered_503(
    start_service: Callable[..., Service], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(server, "DRAIN_S", 1)
    service = start_service()
    trader = service.user(balance_kopecks=1_000)
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    key = {"Idempotency-Key": "one"}

    async def scene() -> None:
        holder = await asyncpg.connect(service.database_url)
        transaction = holder.transaction()
        await transaction.start()
        await holder.execute("SELECT 1 FROM pools FOR UPDATE")
        with ThreadPoolExecutor(1) as thread:
            bet = thread.submit(trader.client.post, "/market/bets", json=order, headers=key)
            await one_waits(holder)
            service.server.stop_soon()
            refused(await asyncio.wrap_future(bet), 503, "unavailable")
        await transaction.rollback()
        await holder.close()

    asyncio.run(scene())
    service.restart()
    again = service.client(token=trader.token).post("/market/bets", json=order, headers=key)
    assert expect(again, 201)["balance_kopecks"] == 900
