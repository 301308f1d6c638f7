"""Where else forecasts are: beside comments, in exports, and gone with the account."""

from __future__ import annotations

from typing import Any

import httpx
import pytest
import sqlalchemy as sa

from foreknow.site.comments.tables import comments
from foreknow.site.forecasts.tables import forecasts
from tests.support.forecasts import chart, crowd, grown_up, kept, of_person, put, said, shown, taken_back
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, pool, refused
from tests.support.waiting import wait_until

COMMENT = (
    "forecasts: null where none, where the author's `show_forecast` (own view, PATCH /users/me; true) is off, or while "
    "hidden from the caller."
)
THOUGHT = (
    "forecasts: Comment + `forecast` `{pool_id, outcome_index, probability}`: of the main pool, what its author's "
    "stood at when it was written, for the outcome then likeliest by price;"
)


def write(author: Person, event: dict[str, Any]) -> dict[str, Any]:
    body = {"event_id": event["id"], "content": "Well."}
    made: dict[str, Any] = expect(author.client.post("/comments", json=body), 201)
    return made


def thought(client: httpx.Client, comment: dict[str, Any]) -> Any:
    return expect(client.get(f"/comments/{comment['id']}"), 200)["comment"]["forecast"]


@proves(THOUGHT, COMMENT)
def test_a_comment_shows_what_its_author_thought_then(service: Service) -> None:
    event = service.event(pools=[pool(), pool(["A", "B", "C"], probabilities=[0.2, 0.5, 0.3])], main_pool_index=1)
    other, main = event["pools"]
    ann = service.user(balance_kopecks=500_000)
    assert write(ann, event)["forecast"] is None
    said(ann, other["id"], [0.9])
    assert write(ann, event)["forecast"] is None
    said(ann, main["id"], [0.6, 0.3, 0.1])
    first = write(ann, event)
    assert first["forecast"] == {"pool_id": main["id"], "outcome_index": 1, "probability": pytest.approx(0.3)}
    expect(bet(ann, main["markets"][0]["id"], "YES", 400_000), 201)
    said(ann, main["id"], [0.7, 0.2, 0.1])
    second = write(ann, event)
    assert second["forecast"] == {"pool_id": main["id"], "outcome_index": 0, "probability": pytest.approx(0.7)}
    taken_back(ann, main["id"])
    third = write(ann, event)
    visitor = service.client()
    assert [thought(visitor, one) for one in (first, second, third)] == [first["forecast"], second["forecast"], None]

    said(ann, main["id"], [0.7, 0.2, 0.1])
    assert expect(ann.client.get("/users/me"), 200)["show_forecast"] is True
    assert expect(ann.client.patch("/users/me", json={"show_forecast": False}), 200)["show_forecast"] is False
    silent = write(ann, event)
    assert [thought(visitor, one) for one in (first, silent)] == [None, None]
    expect(ann.client.patch("/users/me", json={"show_forecast": True}), 200)
    assert [thought(visitor, one) for one in (first, silent)] == [first["forecast"], None]
    expect(service.admin.put(f"/admin/comments/{first['id']}/hidden", json={"hidden": True}), 200)
    assert thought(ann.client, first) is None
    expect(ann.client.delete(f"/comments/{second['id']}"), 200)
    assert thought(visitor, second) is None
    row = sa.select(comments.c.forecast_pool_id, comments.c.forecast_probability).where(comments.c.id == second["id"])
    assert kept(service, row) == [(None, None)]


@proves(
    "forecasts: Export has them with their history; deletion erases them, out of boards and the present crowd, not of "
    "past charts and /record."
)
def test_an_export_has_them_and_a_deletion_erases_them(service: Service) -> None:
    event = service.event()
    pool_id = event["pools"][0]["id"]
    ann, *others = grown_up(service, 3)
    said(ann, pool_id, [0.2], note="A secret.")
    said(ann, pool_id, [0.4], note="Another.")
    comment = write(ann, event)
    for person in others:
        said(person, pool_id, [0.6])
    assert crowd(service, pool_id) == [0.6]
    points = chart(service.client(), pool_id)
    exported = expect(ann.client.get("/users/me/export"), 200)["tables"]["forecasts"]
    assert [(row["probabilities"], row["note"], row["ended_at"] is None) for row in exported] == [
        ([0.2], "A secret.", False),
        ([0.4], "Another.", True),
    ]
    expect(ann.client.post("/users/me/delete", json={"password": PASSWORD}), 200)
    mine = sa.select(forecasts.c.id).where(forecasts.c.user_id == ann.id)
    wait_until(lambda: not kept(service, mine))
    assert crowd(service, pool_id) is None
    page = shown(service.client(), pool_id)
    assert (page["forecasters"], len(page["forecasts"])) == (2, 2)
    assert chart(service.client(), pool_id)[: len(points)][0] == points[0]
    assert thought(service.client(), comment) is None


def test_who_is_muted_forecasts_without_a_note(service: Service) -> None:
    ann, pool_id = service.user(), service.event()["pools"][0]["id"]
    expect(service.admin.put(f"/admin/users/{ann.id}/muted", json={"until": "2100-01-01T00:00:00Z"}), 200)
    body = refused(put(ann, pool_id, [0.2], note="Well."), 403, "muted")
    assert body["details"] == {"until": "2100-01-01T00:00:00.000Z"}
    said(ann, pool_id, [0.2])
    assert of_person(ann.client)["forecasts"][0]["note"] == ""
