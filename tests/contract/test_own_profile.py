"""Decisions, "Accounts and sign-in": what one changes of oneself, and what a hidden profile shows."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused


@proves(
    "decisions: GET /users/me, PATCH /users/me | own view; change `name, nickname, avatar_url, profile_hidden`",
    "decisions: 200 where none is named",
)
def test_one_changes_ones_own_name_nickname_picture_and_whether_one_is_hidden(service: Service) -> None:
    person = service.user()
    before = expect(person.client.get("/users/me"), 200)
    nickname = f"other.{uuid.uuid4().hex[:8]}"
    change = {
        "name": "New Name",
        "nickname": nickname,
        "avatar_url": "https://example.org/a.png",
        "profile_hidden": True,
    }
    answered = expect(person.client.patch("/users/me", json=change), 200)

    assert answered == before | change
    assert expect(person.client.get("/users/me"), 200) == answered
    assert expect(person.client.patch("/users/me", json={"name": "Newer"}), 200) == answered | {"name": "Newer"}


@proves(
    'decisions: A string that nobody set is "" in answers (nickname, avatar_url, name_ru, rules, image_url, also one '
    "cleared)",
)
@ONCE
def test_a_picture_can_be_cleared(service: Service) -> None:
    person = service.user()
    expect(person.client.patch("/users/me", json={"avatar_url": "https://example.org/a.png"}), 200)

    assert expect(person.client.patch("/users/me", json={"avatar_url": None}), 200)["avatar_url"] != ""
    assert expect(person.client.patch("/users/me", json={"avatar_url": ""}), 200)["avatar_url"] == ""


@proves('decisions: URLs sent are absolute http(s), at most 2,048 characters, or "".')
@ONCE
@pytest.mark.parametrize(
    "url",
    [
        *("/a.png", "a.png", "//example.org/a.png", "ftp://example.org/a.png", "javascript:alert(1)", "data:,x"),
        *(
            "http://",
            "https:///a.png",
            "https:example.org",
            " https://example.org",
            "https://example.org/" + "x" * 2_029,
        ),
    ],
)
def test_a_url_that_is_not_absolute_is_refused(service: Service, url: str) -> None:
    refused(service.user().client.patch("/users/me", json={"avatar_url": url}), 400, "bad_request")
    for field in ({"image_url": url}, {"versus_images": [url]}, {"external_event_url": url}):
        body = {"name": "Urls", "pools": [pool()], **field}
        refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")


@proves('decisions: URLs sent are absolute http(s), at most 2,048 characters, or "".')
@ONCE
def test_an_absolute_url_of_2048_characters_is_allowed(service: Service) -> None:
    client = service.user().client
    for url in ("https://example.org/" + "x" * 2_028, "http://127.0.0.1:8000/a?b=c#d", "HTTPS://EXAMPLE.ORG"):
        assert expect(client.patch("/users/me", json={"avatar_url": url}), 200)["avatar_url"] == url


@proves("decisions: GET /users/me, PATCH /users/me | own view; change `name, nickname, avatar_url, profile_hidden`")
@ONCE
@pytest.mark.parametrize(
    "change",
    [
        *({field: "x@example.org"} for field in ("email", "login", "password")),
        *({field: True} for field in ("is_admin", "is_creator", "is_stats_viewer", "is_operator")),
        *(
            {"balance_kopecks": 1},
            {"id": 1},
            {"profile_hidden": "yes"},
            {"profile_hidden": 1},
            {"name": " "},
            {"name": 5},
        ),
    ],
)
def test_nothing_else_can_be_changed_by_oneself(service: Service, change: dict[str, Any]) -> None:
    person = service.user()

    refused(person.client.patch("/users/me", json=change), 400, "bad_request")


@proves(
    "decisions: and its PnL chart is 404 `user_not_found` for everyone but its owner and admins; so is a "
    "sub-account's.",
)
@ONCE
def test_the_chart_of_a_hidden_profile_is_for_its_owner_and_admins(service: Service) -> None:
    hidden, other = service.user(), service.user()
    path = f"/users/{hidden.id}/pnl/chart"
    for client in (service.client(), other.client, hidden.client, service.admin):
        expect(client.get(path), 200)
    expect(hidden.client.patch("/users/me", json={"profile_hidden": True}), 200)

    for client in (service.client(), other.client):
        refused(client.get(path), 404, "user_not_found")
    for client in (hidden.client, service.admin):
        expect(client.get(path), 200)
    expect(hidden.client.get("/users/me/pnl/chart"), 200)
