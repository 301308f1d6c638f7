"""Changing the settings of a site as an admin does."""

from __future__ import annotations

from typing import Any

import httpx

from tests.support.service import Service, expect

PATH = "/admin/settings"


def send(client: httpx.Client, changes: dict[str, Any], *, version: int | None = None) -> httpx.Response:
    """Send changes; `version` None: the present one."""
    if version is None:
        version = seen_version(client)
    return client.patch(PATH, json={"version": version, "changes": changes})


def change(service: Service, **changes: Any) -> dict[str, Any]:
    """Change settings, and let them count in the service; return the answer."""
    answer: dict[str, Any] = expect(send(service.admin, changes), 200)
    settle(service)
    return answer


def settle(*services: Service) -> None:
    """Return once what is stored counts in these processes."""
    for service in services:
        service.server.run(service.app.look_at_settings())


def seen_version(client: httpx.Client) -> int:
    """Return the present version."""
    version: int = expect(client.get(PATH), 200)["version"]
    return version


def shown(client: httpx.Client) -> dict[str, dict[str, Any]]:
    """Return all settings by name."""
    return {one["name"]: one for one in expect(client.get(PATH), 200)["settings"]}
