"""Waiting for what is counted in the background, for tests of cards and pages."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx

from tests.support.service import Service, expect
from tests.support.waiting import wait_until


def shown(client: httpx.Client, path: str, is_right: Callable[[Any], bool]) -> Any:
    """Return what a path shows as soon as it is as it is to be."""
    bodies = []

    def is_shown() -> bool:
        bodies.append(expect(client.get(path), 200))
        return is_right(bodies[-1])

    wait_until(is_shown)
    return bodies[-1]


def card_of(service: Service, event: dict[str, Any], is_right: Callable[[Any], bool] = bool) -> dict[str, Any]:
    """Return the card of an event with a name of its own, as soon as it is as it is to be."""
    path = f"/cards?status=all&q={event['name']}"
    page = shown(service.client(), path, lambda page: bool(page["cards"]) and is_right(page["cards"][0]))
    card: dict[str, Any] = page["cards"][0]
    return card
