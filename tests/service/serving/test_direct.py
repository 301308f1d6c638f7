"""Requests that our server hands over without ASGI's messages, and the same through ASGI."""

from __future__ import annotations

import asyncio
import sqlite3
import threading
from typing import Any

import httpx
import pytest

from tests.support.raw_connection import RawConnection
from tests.support.service import Service, pool
from tests.support.waiting import wait_until

# What happens below the pipeline knows of no database.
pytestmark = pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)

JSON = {"Content-Type": "application/json"}
#: They differ from request to request.
OF_EACH = {"date", "x-request-id"}


def seen(answer: httpx.Response) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return what a client sees of an answer."""
    headers = [(name, value) for name, value in answer.headers.multi_items() if name not in OF_EACH]
    return answer.status_code, sorted(headers), answer.content


def through_asgi(service: Service, method: str, path: str, **options: Any) -> httpx.Response:
    """Send a request to the application as another server would."""

    async def send() -> httpx.Response:
        transport = httpx.ASGITransport(service.app, raise_app_exceptions=False)
        async with httpx.AsyncClient(transport=transport, base_url=service.url + "/api/v1") as client:
            return await client.request(method, path, **options)

    return service.server.run(send())


@pytest.mark.parametrize(
    ("method", "path", "options"),
    [
        ("GET", "/site", {}),
        ("HEAD", "/site", {}),
        ("GET", "/events", {"headers": {"Accept-Encoding": "gzip"}}),
        ("GET", "/events", {"headers": {"If-None-Match": "*"}}),
        ("GET", "/events?limit=0", {}),
        ("GET", "/events/0", {}),
        ("GET", "/nothing", {}),
        ("GET", "/partner/nothing", {}),
        ("PUT", "/site", {}),
        ("GET", "/ws/live", {}),
        ("GET", "/users/me", {}),
        ("GET", "/users/me", {"headers": {"Authorization": "Bearer nothing"}}),
        ("GET", "/users/me", {"headers": {"Cookie": "access_token=nothing"}}),
        ("POST", "/market/bets", {"content": b"{}", "headers": JSON}),
        ("POST", "/partner/bets", {"content": b"{}", "headers": {**JSON, "X-Partner-Key": "nothing"}}),
        ("POST", "/auth/sign-in", {"content": b"", "headers": JSON}),
        ("POST", "/auth/sign-in", {"content": b"[", "headers": JSON}),
        ("POST", "/auth/sign-in", {"content": b"{}", "headers": {"Content-Type": "text/plain"}}),
        ("POST", "/auth/sign-in", {"content": b" " * 70_000, "headers": JSON}),
        ("POST", "/auth/sign-in", {"json": {"login": "unknown", "password": "wrong password"}}),
    ],
)
def test_both_ways_answer_the_same(service: Service, method: str, path: str, options: dict[str, Any]) -> None:
    # httpx's own headers are the same then, too.
    headers = {"Host": "testserver", "Accept-Encoding": "identity", **options.pop("headers", {})}

    direct = service.client().request(method, path, headers=headers, **options)

    assert seen(direct) == seen(through_asgi(service, method, path, headers=headers, **options))


def test_orders_are_answered_the_same(service: Service) -> None:
    trader = service.user(balance_kopecks=1_000)
    order = {"market_id": 2**62, "token_type": "YES", "amount_kopecks": 100}
    headers = {"Authorization": f"Bearer {trader.token}", "Idempotency-Key": "same", "Host": "testserver"}
    for body in (order, order | {"token_type": "MAYBE"}, order | {"market_id": 0}):
        direct = service.client().post("/market/bets", json=body, headers=headers)
        assert seen(direct) == seen(through_asgi(service, "POST", "/market/bets", json=body, headers=headers))


def test_an_order_that_outlasts_the_server_s_time_to_stop_is_503(service: Service) -> None:
    market = service.event(pools=[pool()])["pools"][0]["markets"][0]["id"]
    trader = service.user(balance_kopecks=1_000)
    tasks: set[Any] = service.server._server.server_state.tasks
    answers: list[httpx.Response] = []

    def bet() -> None:
        order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
        answers.append(trader.client.post("/market/bets", json=order))

    async def cancel() -> None:
        for task in list(tasks):
            task.cancel()

    trader.client.get("/users/me")
    betting = threading.Thread(target=bet)
    with sqlite3.connect(service.database_url.removeprefix("sqlite:///"), isolation_level=None) as other:
        other.execute("BEGIN IMMEDIATE")
        betting.start()
        wait_until(lambda: any(isinstance(task, asyncio.Future) for task in list(tasks)))
        service.server.run(cancel())
        betting.join()
        other.execute("ROLLBACK")

    assert (answers[0].status_code, answers[0].json()["error"]) == (503, "unavailable")
    assert "Idempotency-Key" in answers[0].json()["message"]
    wait_until(lambda: not tasks)


def test_a_request_in_pieces_is_answered_once(service: Service) -> None:
    body = b'{"login": "unknown", "password": "wrong password"}'
    with RawConnection(service) as wire:
        whole = wire.head("POST /api/v1/auth/sign-in", *(f"{name}: {value}" for name, value in JSON.items()))
        whole = whole[:-2] + b"Content-Length: %d\r\n\r\n" % len(body) + body
        for cut in range(1, len(whole), 17):
            wire.send(whole[:cut])
            wire.send(whole[cut:])
            assert wire.answer()[0].status == 401
        assert not wire.has_news
