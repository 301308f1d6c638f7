"""Decisions: creators run their events only while they are creators."""

from __future__ import annotations

from typing import Any

import httpx
import pytest

from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.pictures import image
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused

ONLY_CREATORS = (
    "decisions: and run their events only while they are creators (else 403; admins do; deleting their image apart)"
)
Deed = tuple[str, str, dict[str, Any]]


def deeds(service: Service, owner: Person) -> dict[str, Deed]:
    """What a creator does to a new and to published events."""
    new = service.event(owner, publish=False)
    first, second = service.event(owner), service.event(owner)
    pool = first["pools"][0]["id"]
    expect(owner.client.put(f"/events/{second['id']}/image", content=image()), 200)
    return {
        "publish": ("POST", f"/events/{new['id']}/publish", {}),
        "pause": ("POST", f"/pools/{pool}/pause", {}),
        "resume": ("POST", f"/pools/{pool}/resume", {}),
        "resolve": ("POST", f"/pools/{pool}/resolve", {"json": {"won_side": 0}}),
        "put image": ("PUT", f"/events/{second['id']}/image", {"content": image()}),
        "delete image": ("DELETE", f"/events/{second['id']}/image", {}),
        "cancel": ("POST", f"/events/{second['id']}/cancel", {}),
    }


def do(client: httpx.Client, deed: Deed) -> httpx.Response:
    method, path, rest = deed
    return client.request(method, path, **rest)


def give_role(service: Service, person: Person, role: str, *, value: bool) -> None:
    expect(service.admin.patch(f"/admin/users/{person.id}", json={role: value}), 200)


@proves(ONLY_CREATORS)
def test_a_creator_whose_role_was_taken_runs_its_events_no_more(service: Service) -> None:
    owner = service.user(creator=True)
    todo = deeds(service, owner)
    give_role(service, owner, "is_creator", value=False)

    for name, deed in todo.items():
        if name != "delete image":
            refused(do(owner.client, deed), 403, "forbidden")
    expect(do(owner.client, todo["delete image"]), 200)

    give_role(service, owner, "is_creator", value=True)
    for deed in todo.values():
        expect(do(owner.client, deed), 200)


@proves(ONLY_CREATORS)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("whose", ["another's", "their own"])
def test_admins_run_events_of_creators_whose_role_was_taken(service: Service, whose: str) -> None:
    owner = service.user(creator=True)
    todo = deeds(service, owner)
    give_role(service, owner, "is_creator", value=False)
    if whose == "their own":
        give_role(service, owner, "is_admin", value=True)
    client = owner.client if whose == "their own" else service.admin

    for deed in todo.values():
        expect(do(client, deed), 200)
