"""Waiting for what is counted in the background, for tests of cards and pages."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

import httpx

from tests.support.service import Service, expect

#: On a machine that is ten times slower.
TIMEOUT_S = 60


def shown(client: httpx.Client, path: str, is_right: Callable[[Any], bool]) -> Any:
    """Return what a path shows as soon as it is as it is to be."""
    until_s = time.monotonic() + TIMEOUT_S
    while True:
        body = expect(client.get(path), 200)
        if is_right(body):
            return body
        assert time.monotonic() < until_s, f"{path} stays {body}"
        time.sleep(0.05)


def card_of(service: Service, event: dict[str, Any], is_right: Callable[[Any], bool] = bool) -> dict[str, Any]:
    """Return the card of an event with a name of its own, as soon as it is as it is to be."""
    path = f"/cards?status=all&q={event['name']}"
    page = shown(service.client(), path, lambda page: bool(page["cards"]) and is_right(page["cards"][0]))
    card: dict[str, Any] = page["cards"][0]
    return card
