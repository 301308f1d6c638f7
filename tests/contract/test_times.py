"""Decisions, "JSON input" and "Times": what a time in a body may be, and how it is answered."""

from __future__ import annotations

import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

OFFSET = "decisions: A time is ISO 8601 with its offset (`Z` or `+03:00`), with or without seconds."
NEVER_500 = "decisions: bodies over 64 KiB: 413; never 500."


@proves(OFFSET, "decisions: UTC, ISO 8601 with `Z`, millisecond precision.")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("sent", "answered"),
    [
        ("2099-01-31T12:00:00Z", "2099-01-31T12:00:00.000Z"),
        ("2099-01-31T12:00:00.5Z", "2099-01-31T12:00:00.500Z"),
        ("2099-01-31T12:00:00+03:00", "2099-01-31T09:00:00.000Z"),
        ("2099-01-31T23:30:00-01:30", "2099-02-01T01:00:00.000Z"),
        ("2099-01-31T12:00:00.123456Z", "2099-01-31T12:00:00.123Z"),
        # As Java writes a whole minute.
        ("2099-01-31T12:00Z", "2099-01-31T12:00:00.000Z"),
        ("2099-01-31T12:00+03:00", "2099-01-31T09:00:00.000Z"),
    ],
)
def test_times_are_answered_in_utc_with_milliseconds(service: Service, sent: str, answered: str) -> None:
    event = service.event(publish=False, pools=[pool(finish_at=sent)])

    assert event["pools"][0]["finish_at"] == answered


@proves(OFFSET)
@ONCE
@pytest.mark.parametrize(
    "sent",
    [
        "2099-01-31T12:00:00",
        "2099-01-31T12:00",
        "2099-01-31T12Z",
        "2099-01-31T25:00Z",
        "2099-01-31",
        "2099-02-30T12:00:00Z",
        "2099-01-31T25:00:00Z",
        "soon",
        "",
        4_073_000_000,
        True,
    ],
)
def test_a_time_without_an_offset_or_that_is_none_is_refused(service: Service, sent: object) -> None:
    for field in ("finish_at", "live_at"):
        body = {"name": "Never", "pools": [pool() | {field: sent}]}
        refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")


@proves(OFFSET)
@ONCE
def test_every_time_of_a_body_or_query_may_lack_its_seconds(service: Service) -> None:
    minute, edges = "2099-01-31T12:00Z", ["2099-01-01T10:00Z", "2099-02-01T10:00+00:00", "2099-03-01T10:00:00Z"]
    dated = pool(finish_at=minute, live_at="2099-01-30T12:00Z")
    dated["metadata"]["shape"] = {"kind": "date", "edges": edges}
    event = service.event(publish=False, name=minute, tags=[minute], pools=[pool(finish_at=minute), dated])

    # What only looks like a time stays as it is.
    assert (event["name"], event["tags"]) == (minute, [minute])
    assert {one["finish_at"] for one in event["pools"]} == {"2099-01-31T12:00:00.000Z"}
    assert event["pools"][1]["shape"]["edges"] == edges
    person = service.user()
    until = expect(service.admin.put(f"/admin/users/{person.id}/muted", json={"until": minute}), 200)
    assert until["muted_until"] == "2099-01-31T12:00:00.000Z"
    expect(person.client.get("/users/me/transactions", params={"from": "2026-01-01T00:00Z"}), 200)


@proves(NEVER_500)
@ONCE
@pytest.mark.parametrize("sent", ["9999-12-31T23:59:59-01:00", "0001-01-01T00:00:00+01:00"])
def test_a_time_that_utc_cannot_express_is_refused(service: Service, sent: str) -> None:
    (of_event,) = service.event()["pools"]
    person, partner = service.user(balance_kopecks=10_000), service.partner(float_kopecks=10_000)
    market_id, path = of_event["markets"][0]["id"], f"/pools/{of_event['id']}"
    order = {"market_id": market_id, "action": "buy", "shares": 1_000, "price_bps": 4_000, "expires_at": sent}
    answers = [
        ("expires_at", person.client.post("/market/orders", json=order | {"token_type": "YES"})),
        ("expires_at", partner.client.post("/partner/orders", json=order | {"side": "yes", "external_user_id": "1"})),
        ("expires_at", service.admin.post("/admin/invitations", json={"uses": 1, "expires_at": sent})),
        ("until", service.admin.put(f"/admin/users/{person.id}/muted", json={"until": sent})),
        ("at", service.admin.post(f"{path}/resolve", json={"void": True, "at": sent})),
        ("live_at", service.admin.patch(path, json={"live_at": sent})),
        ("finish_at", service.admin.patch(path, json={"finish_at": sent})),
    ]

    wrong = {(answer.request.url.path, answer.status_code) for _, answer in answers if answer.status_code != 400}
    assert wrong == set()
    assert [list(answer.json()["details"]["fields"]) for _, answer in answers] == [[field] for field, _ in answers]
    expect(service.admin.get("/admin/invitations"), 200)
