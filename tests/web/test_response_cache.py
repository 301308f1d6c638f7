"""Public answers are given from memory, and never when they are out of date."""

from __future__ import annotations

from collections.abc import Iterator

import httpx
import pytest

from tests.support.http import NO_TLS
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool


@pytest.fixture
def twin(fresh_service: Service) -> Iterator[Service]:
    """A second server on the same database."""
    other = Service(fresh_service.database_url)
    yield other
    other.stop()


def paths(event: dict[str, object]) -> list[str]:
    """Return the addresses of an event's shared answers."""
    shown = event["pools"][0]  # type: ignore[index] # JSON
    market_id = shown["markets"][0]["id"]
    return [
        f"/pools/batch?ids={shown['id']}",
        f"/pools/{shown['id']}/charts",
        f"/market/orderbook/{market_id}",
        f"/markets/{market_id}/chart",
    ]


def newest_price(client: httpx.Client, path: str) -> object:
    """Return what an answer says of the present price."""
    content = expect(client.get(path), 200)
    if "batch" in path:
        return content[0]["markets"][0]["yes_probability"]
    if "charts" in path:
        return content["1h"][-1]["values"]
    return content["asks"] if "orderbook" in path else content[-1]["probability"]


def test_a_trade_shows_at_once_where_it_was_made(service: Service) -> None:
    trader = service.user(balance_kopecks=10_000)
    event = service.event(pools=[pool()])
    other = service.event(pools=[pool()])
    order = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 1_000}

    for path in paths(event):
        before, untouched = newest_price(trader.client, path), newest_price(trader.client, paths(other)[0])
        expect(trader.client.post("/market/bets", json=order), 201)

        assert newest_price(trader.client, path) != before
        assert newest_price(trader.client, paths(other)[0]) == untouched


def test_a_pause_shows_at_once_where_it_was_made(service: Service) -> None:
    event = service.event()
    pool_id, client = event["pools"][0]["id"], service.creator.client

    for paused, verb in ((True, "pause"), (False, "resume")):
        expect(client.get(paths(event)[0]), 200)
        expect(client.post(f"/pools/{pool_id}/{verb}"), 200)

        assert expect(client.get(paths(event)[0]), 200)[0]["markets"][0]["paused"] is paused
        assert bool(expect(client.get(paths(event)[2]), 200)["asks"]) is not paused


@proves("decisions: at once from the process that made the change, within 1 s from every other")
@pytest.mark.parametrize("off_ms", [1_000, -60_000], ids=["later", "clock set back"])
def test_a_trade_shows_within_a_second_on_another_server(fresh_service: Service, twin: Service, off_ms: int) -> None:
    trader = fresh_service.user(balance_kopecks=10_000)
    event = fresh_service.event(pools=[pool()])
    order = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 1_000}
    there = twin.client()
    before = [newest_price(there, path) for path in paths(event)]
    expect(trader.client.post("/market/bets", json=order), 201)
    # What the other server has in memory is a second older from here on, or of a moment that is to come.
    twin.clock.advance(off_ms)
    after = [newest_price(there, path) for path in paths(event)]

    assert all(new != old for new, old in zip(after, before, strict=True))
    assert after == [newest_price(trader.client, path) for path in paths(event)]


def test_what_no_public_answer_shows_forgets_none(service: Service) -> None:
    person, operator, event = service.user(), service.user(operator=True), service.event()
    calls: list[str] = []

    def tell() -> None:
        calls.append("a public answer may have changed")

    service.app.db.on_write.append(tell)
    try:
        with httpx.Client(base_url=service.api_url, trust_env=False, verify=NO_TLS) as client:
            credentials = {"login": person.email, "password": person.password}
            expect(client.post("/auth/sign-in", json=credentials | {"password": "another"}), 401)
            expect(client.post("/auth/sign-in", json=credentials), 200)
            expect(client.post("/auth/refresh"), 200)
            session = expect(client.post("/chat/session"), 201)
            expect(client.post("/chat/message", json={"text": "Hello"}), 200)
            expect(client.post("/chat/session/call-operator"), 200)
            answers = f"/admin/chat/sessions/{session['session_id']}"
            expect(operator.client.post(f"{answers}/messages", json={"text": "Hello"}), 201)
            expect(operator.client.post(f"{answers}/close"), 200)
            assert expect(client.post("/notifications/read", json={"ids": [2**31]}), 200) == {"count": 0}
            assert expect(client.post("/notifications/read"), 200) == {"count": 1}
            expect(client.delete("/auth/logout"), 200)
        assert calls == []
        # What does show, for comparison: a name stands beside each comment.
        expect(person.client.patch("/users/me", json={"name": "Another"}), 200)
        assert len(calls) == 1
        expect(person.client.post("/comments", json={"event_id": event["id"], "content": "Hello"}), 201)
        assert len(calls) == 2
    finally:
        service.app.db.on_write.remove(tell)
