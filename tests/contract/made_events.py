"""Events that tests of their fields send."""

from __future__ import annotations

from typing import Any

from tests.support.service import Service, expect, pool, refused


def create(service: Service, **fields: Any) -> Any:
    body = {"name": "Created", "pools": [pool()]} | fields
    return expect(service.creator.client.post("/events/create-full", json=body), 201)


def refuse(service: Service, **fields: Any) -> None:
    body = {"name": "Refused", "pools": [pool()]} | fields
    refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")
