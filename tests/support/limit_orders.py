"""Limit orders, as their owner's browser would send them."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.service import Person, Service, expect


def place(
    person: Person, market: int, side: str, action: str, *, shares: int, price: int, **more: Any
) -> httpx.Response:
    """Place a limit order at a whole percent."""
    order = {"market_id": market, "token_type": side, "action": action, "shares": shares, "price_bps": 100 * price}
    return person.client.post("/market/orders", json=order | more)


def rest(
    person: Person, market: int, side: str, action: str, *, shares: int, price: int, **more: Any
) -> dict[str, Any]:
    """Place an order that takes nothing at once; return it."""
    placed: dict[str, Any] = expect(place(person, market, side, action, shares=shares, price=price, **more), 201)
    assert (placed["status"], placed["filled_shares"]) == ("open", 0), placed
    return placed


def get_order(person: Person, order_id: int) -> dict[str, Any]:
    """Return an order as it now stands."""
    found: dict[str, Any] = expect(person.client.get(f"/market/orders/{order_id}"), 200)
    return found


def cancel(person: Person, order_id: int) -> dict[str, Any]:
    """Cancel an order; return it."""
    found: dict[str, Any] = expect(person.client.delete(f"/market/orders/{order_id}"), 200)
    return found


def orders_of(person: Person, **query: Any) -> list[dict[str, Any]]:
    """Return a person's orders, newest first; `query` filters them."""
    rows: list[dict[str, Any]] = expect(person.client.get("/market/orders", params=query), 200)["orders"]
    return rows


def money(person: Person) -> tuple[int, int]:
    """Return a person's balance and what their orders hold, in kopecks."""
    shown = expect(person.client.get("/users/me"), 200)
    return shown["balance_kopecks"], shown["held_kopecks"]


def notices(person: Person, kind: str) -> list[dict[str, Any]]:
    """Return a person's notifications of a type, newest first."""
    rows = expect(person.client.get("/notifications", params={"limit": 100}), 200)["notifications"]
    return [row for row in rows if row["type"] == kind]


def stop_worker(service: Service) -> None:
    """Pay and end nothing from now on, but by `work`."""
    service.server.run(service.app.services.orders.stop())


def work(service: Service) -> None:
    """Pay and end all that is due."""
    while service.server.run(service.app.services.orders.run_due()):
        pass
