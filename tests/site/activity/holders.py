"""The holders of a pool, as soon as they are counted."""

from __future__ import annotations

from typing import Any

from tests.site.cards.glance import shown
from tests.support.service import Service


def holders_of(service: Service, event: dict[str, Any], *counts: tuple[int, int]) -> dict[str, Any]:
    """Return the holders of an event's first pool, as soon as each market has this number of YES and NO."""
    path = f"/pools/{event['pools'][0]['id']}/holders"

    def is_right(found: dict[str, Any]) -> bool:
        return [(market["yes_holders"], market["no_holders"]) for market in found["markets"]] == list(counts)

    found: dict[str, Any] = shown(service.client(), path, is_right)
    return found
