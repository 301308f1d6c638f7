"""Results, "overdue": a pool that a person resolves, and has not within 72 hours."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from foreknow.kernel.clock import HOUR_MS, MINUTE_MS, iso
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool
from tests.support.waiting import let_work, wait_until

OVERDUE = (
    "results: `overdue`: a manual pool without verdict 72 h past `finish_at` (Pool's `resolution`: `state` "
    "`attention`, `reason` `overdue`, until its verdict)."
)
LATE_MS = 72 * HOUR_MS


def standing(service: Service, pool_id: int) -> tuple[str, str | None]:
    shown = expect(service.client().get(f"/pools/{pool_id}"), 200)["resolution"]
    return shown["state"], shown["reason"]


def waiting(service: Service) -> list[tuple[Any, ...]]:
    entries = expect(service.admin.get("/admin/attention"), 200)["entries"]
    return [(one["kind"], one["event_id"], one["pool_id"], one["reason"]) for one in entries]


def let_pass(service: Service, *people: Person, ms: int) -> None:
    service.clock.advance(ms)
    service.sign_out_shared()
    for person in people:
        person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, person.password)}"


@proves(OVERDUE)
@pytest.mark.parametrize("way", ["creator", "admin", "cancelled"])
def test_a_pool_is_overdue_from_72_hours_after_its_end_until_its_verdict(
    start_service: Callable[..., Service], way: str
) -> None:
    service = start_service()
    creator = service.user(creator=True)
    ends_ms = service.clock() + HOUR_MS
    described = [pool(b=10_000, finish_at=iso(ends_ms)), pool(b=10_000)]
    event = service.event(creator=creator, pools=described)
    late, open_ended = (one["id"] for one in event["pools"])
    service.event(creator=creator, publish=False, pools=[described[0]])
    let_pass(service, creator, ms=ends_ms + LATE_MS - MINUTE_MS - service.clock())
    let_work(["overdue-pools"])
    assert standing(service, late) == ("waiting", None)
    assert waiting(service) == []

    let_pass(service, creator, ms=MINUTE_MS)
    wait_until(lambda: waiting(service), workers=["overdue-pools"])
    assert waiting(service) == [("overdue", event["id"], late, "overdue")]
    assert standing(service, late) == ("attention", "overdue")
    assert standing(service, open_ended) == ("open", None)
    assert expect(service.admin.get("/admin/waiting"), 200)["attention"] == 1

    client = service.admin if way == "admin" else creator.client
    if way == "cancelled":
        expect(client.post(f"/events/{event['id']}/cancel"), 200)
    else:
        expect(client.post(f"/pools/{late}/resolve", json={"won_side": 0}), 200)
    assert waiting(service) == []
    assert standing(service, late) == ("paid", None)
    let_work(["overdue-pools"])
    assert waiting(service) == []


@proves(OVERDUE)
def test_a_disputable_verdict_ends_it_too(start_service: Callable[..., Service]) -> None:
    service = start_service()
    creator = service.user(creator=True)
    described = pool(b=10_000, finish_at=iso(service.clock() + MINUTE_MS))
    described["metadata"] |= {"resolution": {"kind": "manual", "dispute_minutes": 60}}
    late = service.event(creator=creator, pools=[described])["pools"][0]["id"]
    let_pass(service, creator, ms=MINUTE_MS + LATE_MS)
    wait_until(lambda: waiting(service), workers=["overdue-pools"])
    expect(creator.client.post(f"/pools/{late}/resolve", json={"won_side": 1}), 200)
    assert standing(service, late) == ("decided", None)
    assert waiting(service) == []
