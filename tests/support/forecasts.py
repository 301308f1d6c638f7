"""Forecasts as tests say and read them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import httpx
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS
from foreknow.people.users.tables import users
from tests.support.service import Person, Service, expect, pool
from tests.support.waiting import let_work

#: The worker that keeps the crowds.
CROWDS = ("crowds",)


def put(person: Person, pool_id: int, probabilities: Sequence[float], **more: Any) -> httpx.Response:
    """Say what a person thinks of a pool."""
    body = {"probabilities": list(probabilities)} | more
    return person.client.put(f"/pools/{pool_id}/forecast", json=body)


def said(person: Person, pool_id: int, probabilities: Sequence[float], **more: Any) -> dict[str, Any]:
    """Say it, and return what is kept."""
    found: dict[str, Any] = expect(put(person, pool_id, probabilities, **more), 200)
    return found


def taken_back(person: Person, pool_id: int) -> None:
    """Take back what a person thinks of a pool."""
    assert expect(person.client.delete(f"/pools/{pool_id}/forecast"), 200) == {}


def shown(client: httpx.Client, pool_id: int, **query: Any) -> dict[str, Any]:
    """Return what a caller sees of a pool's forecasts."""
    found: dict[str, Any] = expect(client.get(f"/pools/{pool_id}/forecasts", params=query), 200)
    return found


def chart(client: httpx.Client, pool_id: int, name: str = "all") -> list[dict[str, Any]]:
    """Return one of the charts of a pool's crowd, as a caller sees it."""
    body = expect(client.get(f"/pools/{pool_id}/forecasts/chart", params={"range": name}), 200)
    assert body.keys() == {name}
    points: list[dict[str, Any]] = body[name]
    return points


def of_person(client: httpx.Client, user: int | str = "me", **query: Any) -> dict[str, Any]:
    """Return what a caller sees of a person's forecasts."""
    found: dict[str, Any] = expect(client.get(f"/users/{user}/forecasts", params=query), 200)
    return found


def grown_up(service: Service, count: int, **fields: Any) -> list[Person]:
    """Make people whose accounts are two days old, so that what they say weighs something."""
    people = [service.user(**fields) for _ in range(count)]
    older = users.update().where(users.c.id.in_([person.id for person in people]))
    change = older.values(created_at_ms=users.c.created_at_ms - 2 * DAY_MS)
    service.server.run(service.app.db.write(lambda tx: tx.execute(change)))
    return people


def crowd(service: Service, pool_id: int) -> list[float] | None:
    """Return what a pool's crowd thinks once the worker has looked."""
    let_work(CROWDS)
    found: list[float] | None = shown(service.client(), pool_id)["crowd"]
    return found


def kept(service: Service, query: sa.Select[Any]) -> list[Any]:
    """Return rows of the service's database."""
    rows: list[Any] = service.look(lambda tx: tx.execute(query).all())
    return rows


def some_pool(service: Service, *names: str, **fields: Any) -> int:
    """Publish an event of one pool; return the pool's id."""
    found: int = service.event(pools=[pool(names or None, **fields)])["pools"][0]["id"]
    return found
