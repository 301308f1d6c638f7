"""Requests made to be slow: none costs the normaliser more than in proportion to its length, and none is a 500."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from foreknow.kernel.text import MARKS_MAX
from foreknow.people.users.passwords import Passwords
from tests.support.marks import ABOVE, BELOW, marks, moves, normaliser_watched
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, pool, refused

#: As many marks as a body of 64 KiB holds, and as a query or a path.
BODY, QUERY = marks(31_000), marks(4_000)


def sign_in(client: httpx.Client, *, login: str, password: str) -> httpx.Response:
    return client.post("/auth/sign-in", json={"login": login, "password": password})


ATTACKS: dict[str, tuple[Callable[[Service], httpx.Response], set[int]]] = {
    "login": (lambda service: sign_in(service.client(), login=BODY, password="x"), {401}),
    "e-mail": (lambda service: sign_in(service.client(), login=BODY + "@b.c", password="x"), {401}),
    "password": (lambda service: sign_in(service.client(), login="unknown", password=BODY), {401}),
    "short": (lambda service: sign_in(service.client(), login=BODY[:1_000], password=BODY[:500]), {401}),
    "sign-up": (
        lambda service: service.client().post(
            "/auth/sign-up", json={"email": "a@b.c", "password": BODY, "name": "x", "nickname": "xxx"}
        ),
        {400},
    ),
    "name": (lambda service: service.creator.client.patch("/users/me", json={"name": BODY}), {400}),
    "address": (
        lambda service: service.creator.client.patch("/users/me", json={"avatar_url": "http://" + BODY[:8_000]}),
        {400},
    ),
    "rules": (
        lambda service: service.creator.client.post(
            "/events/create-full", json={"name": "x", "pools": [pool(rules=BODY[:20_000])]}
        ),
        {201},
    ),
    "chat": (lambda service: service.creator.client.post("/chat/message", json={"text": BODY[:5_000]}), {404}),
    "tag": (lambda service: service.client().get("/events", params={"tag": QUERY}), {200}),
    "q": (lambda service: service.client().get("/events", params={"q": QUERY}), {200}),
    "short q": (lambda service: service.client().get("/events", params={"q": QUERY[:2_000]}), {200}),
    "event": (lambda service: service.client().get(f"/events/{QUERY}"), {400}),
    "partner": (lambda service: service.admin.get(f"/admin/partners/{QUERY}/keys"), {404}),
    "asset": (lambda service: service.client().get(f"/assets/{QUERY}"), {404}),
    "external id": (lambda service: service.partner().client.get(f"/partner/users/{QUERY}"), {400, 404}),
}


@pytest.mark.parametrize(("attack", "statuses"), ATTACKS.values(), ids=ATTACKS.keys())
def test_no_request_costs_more_than_in_proportion_to_its_length(
    service: Service,
    monkeypatch: pytest.MonkeyPatch,
    attack: Callable[[Service], httpx.Response],
    statuses: set[int],
) -> None:
    with normaliser_watched(monkeypatch) as reached:
        answer = attack(service)
    assert answer.status_code in statuses, answer.text
    for each in reached:
        assert moves(each) <= MARKS_MAX * len(each)


@proves("decisions: a password of any length is tried")
async def test_a_password_that_cannot_be_right_is_tried_like_any_other(monkeypatch: pytest.MonkeyPatch) -> None:
    passwords = Passwords("low")
    stored = await passwords.hash(PASSWORD, rate_limit_key="one")
    tried: list[str] = []
    verify = type(passwords._hasher).verify

    def watched(hasher: Any, password_hash: str, password: str) -> Any:
        tried.append(password)
        return verify(hasher, password_hash, password)

    monkeypatch.setattr(type(passwords._hasher), "verify", watched)
    for password in ("x", BODY, "x" * 65_000):
        assert not await passwords.matches(password, stored, rate_limit_key="one")
        assert not await passwords.matches(password, None, rate_limit_key="one")
    assert tried == ["x", "x", BODY, BODY, "x" * 65_000, "x" * 65_000]
    await passwords.stop()


def test_a_long_login_is_refused_and_counted_as_an_unknown_one(start_service: Callable[..., Service]) -> None:
    service = start_service(rate_limits="on")
    client = service.client()
    unknown = sign_in(client, login="unknown", password="x")
    login = "x" * 60_000
    for _ in range(10):
        answer = sign_in(client, login=login, password="x")
        assert (answer.status_code, answer.content) == (unknown.status_code, unknown.content)
    refused(sign_in(client, login=login, password="x"), 429, "rate_limited")
    assert sign_in(client, login="y" * 60_000, password="x").content == unknown.content


def test_a_long_run_of_marks_within_the_bounds_is_stored_in_nfc(service: Service) -> None:
    written = "e" + ABOVE + (BELOW + ABOVE) * 40
    name = expect(service.user().client.patch("/users/me", json={"name": written}), 200)["name"]
    assert name == "é" + BELOW * 40 + ABOVE * 40
