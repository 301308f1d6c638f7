"""Lists that grow, and their splits, as tests send them."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.service import Person, Service, expect, pool

#: Those of the contract's example.
NAMES, PRIORS, B = ("Ann", "Bob", "Other"), (0.3, 0.2, 0.5), 1000


def list_pool(names: Any = NAMES, *, b: int = B, probabilities: Any = PRIORS, **fields: Any) -> dict[str, Any]:
    """Describe a pool that is a list."""
    described = pool(list(names), b=b, probabilities=probabilities, **fields)
    described["metadata"]["shape"] = {"kind": "list"}
    return described


def open_list(service: Service, creator: Person | None = None, **fields: Any) -> dict[str, Any]:
    """Make an event with a list and publish it; return the pool."""
    opened: dict[str, Any] = service.event(creator, pools=[list_pool(**fields)])["pools"][0]
    return opened


def read_pool(service: Service, pool_id: int) -> dict[str, Any]:
    """Return a pool as visitors see it."""
    found: dict[str, Any] = expect(service.client().get(f"/pools/{pool_id}"), 200)
    return found


def add_outcome(client: httpx.Client, pool_id: int, name: str, share: float = 0.25, **fields: Any) -> httpx.Response:
    """Take an outcome out of Other, expected where it will start unless `fields` say otherwise."""
    shown = client.get(f"/pools/{pool_id}").json()
    prices = [market["yes_probability"] for market in shown.get("markets", ())]
    other = shown.get("other")
    expected = prices[other] * share if other is not None else 0.5
    body = {"name": name, "share": share, "probability": expected, **fields}
    return client.post(f"/pools/{pool_id}/outcomes", json=body)


def split(service: Service, pool_id: int, name: str, share: float = 0.25, **fields: Any) -> dict[str, Any]:
    """Take an outcome out of Other as the creator; return the pool as it is then."""
    shown: dict[str, Any] = expect(add_outcome(service.creator.client, pool_id, name, share, **fields), 201)
    return shown


def held(person: Person) -> dict[int, dict[str, Any]]:
    """Return a person's open positions of YES by market."""
    shown = expect(person.client.get("/market/positions", params={"limit": 100}), 200)["positions"]
    return {one["market_id"]: one for one in shown if one["token_type"] == "YES"}
