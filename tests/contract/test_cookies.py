"""Decisions, "Accounts and sign-in": cookies as proxies send them, in several fields, and several of one name."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence

import httpx
import pytest
from websockets.sync.client import connect

from foreknow.kernel.clock import MINUTE_MS
from tests.support.http import NO_TLS
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused

pytestmark = ONCE

RULE = "decisions: Several `Cookie` fields are one; of several cookies of one name the first that is good counts."
#: What stands beside the good value: of another site's, of a session that ended, a key.
OTHERS = ("nonsense", "a.b.c", "", "fk_nonsense")


def ask(service: Service, method: str, path: str, cookies: Sequence[str], base: str | None = None) -> httpx.Response:
    """Send each of `cookies` as a field of its own."""
    url = (base or service.api_url) + path
    fields = [("Cookie", cookie) for cookie in cookies]
    return httpx.request(method, url, headers=fields, trust_env=False, verify=NO_TLS, timeout=60)


def layouts(name: str, good: str, other: str) -> list[list[str]]:
    """Return fields that hold a good value beside another."""
    one, two = f"{name}={good}", f"{name}={other}"
    return [[one, "theme=dark"], ["theme=dark", one], [one, two], [two, one], [f"{two}; {one}"], [f"{one}; {two}"]]


@proves(RULE)
@pytest.mark.parametrize("other", OTHERS)
def test_a_session_is_found_among_several_cookies(service: Service, other: str) -> None:
    ann = service.user()

    for cookies in layouts("access_token", ann.token, other):
        assert expect(ask(service, "GET", "/users/me", cookies), 200)["id"] == ann.id, cookies
    refused(ask(service, "GET", "/users/me", [f"access_token={other}", "access_token=x"]), 401, "unauthorized")


@proves(RULE)
def test_of_two_sessions_the_first_that_lives_counts(service: Service) -> None:
    ann, bob, gone = service.user(), service.user(), service.user()
    expect(gone.client.delete("/auth/logout"), 200)
    cookies = [f"access_token={person.token}" for person in (gone, bob, ann)]

    assert expect(ask(service, "GET", "/users/me", cookies), 200)["id"] == bob.id
    assert expect(ask(service, "GET", "/users/me", ["; ".join(cookies)]), 200)["id"] == bob.id


@proves(RULE)
def test_a_session_is_refreshed_by_its_newest_token(start_service: Callable[..., Service]) -> None:
    service = start_service()
    ann = service.user()
    signed_in = service.client()
    expect(signed_in.post("/auth/sign-in", json={"login": ann.email, "password": PASSWORD}), 200)
    oldest = newest = signed_in.cookies["refresh_token"]
    for index in range(6):
        answer = ask(service, "POST", "/auth/refresh", layouts("refresh_token", newest, oldest)[index])
        assert expect(answer, 200)["user"]["id"] == ann.id
        newest = answer.cookies["refresh_token"]
        service.clock.advance(MINUTE_MS)
    refused(ask(service, "POST", "/auth/refresh", ["refresh_token=x", "refresh_token=y"]), 401, "unauthorized")


@proves(RULE)
def test_a_visitor_of_the_chat_is_found_among_several_cookies(service: Service) -> None:
    visitor = service.client()
    session_id = expect(visitor.post("/chat/session"), 201)["session_id"]

    for other in ("x", "0" * 32):
        for cookies in layouts("chat_session", visitor.cookies["chat_session"], other):
            assert expect(ask(service, "POST", "/chat/session", cookies), 200)["session_id"] == session_id, cookies


@proves(RULE)
def test_members_are_found_among_several_cookies_at_sockets_and_pages(start_service: Callable[..., Service]) -> None:
    club = start_service(read="members")
    ann, event = club.user(), club.event()
    for cookies in layouts("access_token", ann.token, "nonsense"):
        fields = [("Cookie", cookie) for cookie in cookies]
        expect(ask(club, "GET", "/cards", cookies), 200)
        card = ask(club, "GET", f"/images/cards/{event['id']}.png", cookies, base=club.url)
        assert card.status_code == 200, cookies
        url = club.api_url.replace("http", "ws", 1) + "/ws/live"
        with connect(url, proxy=None, additional_headers=fields) as live:
            live.send(json.dumps({"watch": {"tape": True}}))
            assert live.recv(timeout=30)
