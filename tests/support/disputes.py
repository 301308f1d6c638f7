"""Pools with dispute windows whose results people object to, over HTTP."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from typing import Any

import httpx

from tests.support.orders import bet
from tests.support.service import PASSWORD, Person, Service, expect, pool

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS


def read_time(text: str) -> int:
    """Return a time of the interface as Unix milliseconds."""
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def asked(
    service: Service, creator: Person | None = None, *, minutes: int = 60, sources: Sequence[str] = (), **fields: Any
) -> dict[str, Any]:
    """Make and publish an event of one yes/no pool with a dispute window; return the pool, with its `event_id`."""
    described = pool(**fields)
    described["metadata"] |= {
        "resolution": {"kind": "manual", "dispute_minutes": minutes},
        "sources": list(sources),
    }
    event = service.event(creator=creator, pools=[described])
    made: dict[str, Any] = event["pools"][0]
    return made | {"event_id": event["id"]}


def trader(service: Service, asked_pool: dict[str, Any], side: str = "YES", stake: int = 1_000) -> Person:
    """Return a new person who holds shares of a pool's first market."""
    person = service.user(balance_kopecks=stake)
    expect(bet(person, asked_pool["markets"][0]["id"], side, stake), 201)
    return person


def resolve(client: httpx.Client, pool_id: int, **body: Any) -> dict[str, Any]:
    """Give a pool a result and return how it is resolved."""
    answer = expect(client.post(f"/pools/{pool_id}/resolve", json=body), 200)
    shown: dict[str, Any] = answer["resolution"]
    return shown


def resolution(service: Service, pool_id: int) -> dict[str, Any]:
    """Return how a pool is resolved as anyone sees it."""
    found: dict[str, Any] = expect(service.client().get(f"/pools/{pool_id}"), 200)["resolution"]
    return found


def object_to(person: Person, pool_id: int, *, verdict: int = 1, **more: Any) -> httpx.Response:
    """Object to a result and return the answer."""
    body = {"verdict": verdict, "reason": "The match was abandoned."} | more
    return person.client.post(f"/pools/{pool_id}/objections", json=body)


def objections(client: httpx.Client, pool_id: int) -> list[dict[str, Any]]:
    """Return the newest objections to a pool's results."""
    found: list[dict[str, Any]] = expect(client.get(f"/pools/{pool_id}/objections"), 200)["objections"]
    return found


def confirm(client: httpx.Client, pool_id: int, *, verdict: int = 1, **more: Any) -> httpx.Response:
    """Confirm a result and return the answer."""
    return client.post(f"/pools/{pool_id}/confirm", json={"verdict": verdict} | more)


def leap(service: Service, to_ms: int, *people: Person) -> None:
    """Let the clock leap to a moment, and people sign in again."""
    service.clock.advance(max(0, to_ms - service.clock()))
    service.sign_out_shared()
    for person in people:
        person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, PASSWORD)}"
