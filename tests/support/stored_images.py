"""Stored images as clients send and get them."""

from __future__ import annotations

import httpx

from tests.support.http import NO_TLS
from tests.support.service import Service, expect


def fetch(service: Service, address: str, method: str = "GET", **headers: str) -> httpx.Response:
    """Request a path outside of the API."""
    return httpx.request(method, service.url + address, headers=headers, trust_env=False, verify=NO_TLS)


def put(service: Service, event_id: int, content: bytes, client: httpx.Client | None = None) -> httpx.Response:
    """Give an event a cover image, as the shared creator if no one else is named."""
    return (client or service.creator.client).put(f"/events/{event_id}/image", content=content)


def shown(service: Service, event_id: int) -> str:
    """Return the address of the image that an event shows."""
    return str(expect(service.admin.get(f"/events/{event_id}"), 200)["image_url"])
