"""Client, 15: what people can do once something went wrong. Decisions: accounts that are not active."""

from __future__ import annotations

import secrets
from collections.abc import Callable
from datetime import datetime
from http.cookies import SimpleCookie
from typing import Any

import httpx
import pytest

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused
from tests.support.sign_in import NEW, elsewhere, new_link, reset, try_sign_in, with_key

CHANGE = "client: | 15 | PUT /users/me/password `{old, new}`"
OUTCOMES = "client: 200, other sessions and all own API keys end; 401 `invalid_credentials`"
SESSIONS = "client: GET, DELETE /users/me/sessions[/{id}]"
LINK = "client: POST /admin/users/{id}/reset-link → `{url, expires_at}`"
ADDRESS = "client: (`url` begins with `FOREKNOW_PUBLIC_URL` where set, else with `/`)"
RESET = ("client: POST /auth/reset `{token, password}`", "client: 400 `invalid_token` |")
HOUR_MS = 3_600_000
MINUTE_MS = 60_000


def change(client: httpx.Client, old: object = PASSWORD, new: object = NEW) -> httpx.Response:
    return client.put("/users/me/password", json={"old": old, "new": new})


def own_sessions(client: httpx.Client) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = expect(client.get("/users/me/sessions"), 200)["sessions"]
    return found


def moment(text: str) -> float:
    return datetime.fromisoformat(text).timestamp()


@proves(CHANGE, OUTCOMES)
def test_a_new_password_ends_all_other_sessions_and_keys(service: Service) -> None:
    person, stranger = service.user(), service.user()
    other, bot, theirs = elsewhere(service, person), with_key(service, person), with_key(service, stranger)
    for client in (bot, theirs):
        expect(client.get("/users/me"), 200)

    assert expect(change(person.client), 200) == {}

    expect(person.client.get("/users/me"), 200)
    assert expect(person.client.get("/users/me/keys"), 200) == {"keys": []}
    for client in (other, bot):
        refused(client.get("/users/me"), 401, "unauthorized")
    expect(theirs.get("/users/me"), 200)
    refused(try_sign_in(service, person.email, PASSWORD), 401, "invalid_credentials")
    expect(try_sign_in(service, person.email, NEW), 200)


@proves(CHANGE, OUTCOMES)
@ONCE
def test_a_wrong_old_password_changes_nothing(service: Service) -> None:
    person = service.user()
    other, bot = elsewhere(service, person), with_key(service, person)

    for wrong in ("wrong horse battery", "", "x" * 5_000):
        refused(change(person.client, old=wrong), 401, "invalid_credentials")

    for client in (other, bot):
        expect(client.get("/users/me"), 200)
    expect(try_sign_in(service, person.email, PASSWORD), 200)
    refused(change(service.client()), 401, "unauthorized")


@proves(CHANGE)
@ONCE
@pytest.mark.parametrize("new", ["", "1234567", "x" * 129, "e\u0301" * 7, 12345678, None])
def test_a_new_password_has_8_to_128_characters(service: Service, new: object) -> None:
    person = service.user()
    refused(change(person.client, new=new), 400, "bad_request")
    refused(reset(service, new_link(service, person.id), password=new), 400, "bad_request")
    expect(try_sign_in(service, person.email, PASSWORD), 200)


@proves(CHANGE)
@ONCE
def test_passwords_are_changed_and_known_again_however_they_are_typed(service: Service) -> None:
    person = service.user(password="cafe\u0301 and cream")
    expect(change(person.client, old="caf\u00e9 and cream", new="e\u0301" * 8), 200)
    expect(try_sign_in(service, person.email, "\u00e9" * 8), 200)


@proves(SESSIONS)
def test_sessions_are_listed_newest_first_with_what_signed_in(service: Service) -> None:
    person = service.user()
    newer = elsewhere(service, person, **{"User-Agent": "Firefox on a train\t" + "x" * 500})

    first, second = own_sessions(newer)

    assert first.keys() == {"id", "created_at", "last_used_at", "user_agent", "current"}
    assert first["user_agent"].startswith("Firefox on a trainx")
    assert len(first["user_agent"]) <= 256
    assert second["user_agent"] == f"python-httpx/{httpx.__version__}"
    assert (first["current"], second["current"]) == (True, False)
    assert first["id"] > second["id"]
    assert first["created_at"] == first["last_used_at"] >= second["created_at"]
    assert [each["current"] for each in own_sessions(person.client)] == [False, True]


@proves(SESSIONS)
def test_sessions_are_turned_page_by_page(service: Service) -> None:
    person = service.user()
    for _ in range(2):
        elsewhere(service, person)
    everything = own_sessions(person.client)
    page = expect(person.client.get("/users/me/sessions?limit=2"), 200)
    rest = expect(person.client.get(f"/users/me/sessions?limit=2&cursor={page['next_cursor']}"), 200)
    assert [*page["sessions"], *rest["sessions"]] == everything
    assert (page["has_more"], rest["has_more"], rest["next_cursor"]) == (True, False, None)
    other = service.user().client
    refused(other.get(f"/users/me/sessions?cursor={page['next_cursor']}"), 400, "invalid_cursor")


@proves(SESSIONS)
def test_a_refresh_is_a_use_and_sessions_that_are_over_are_not_listed(moving_service: Service) -> None:
    person = moving_service.user()
    browser = moving_service.client()
    signed_in = browser.post("/auth/sign-in", json={"login": person.email, "password": PASSWORD})
    expect(signed_in, 200)
    out = elsewhere(moving_service, person)
    expect(out.delete("/auth/logout"), 200)
    moving_service.clock.advance(10 * MINUTE_MS)
    expect(browser.post("/auth/refresh"), 200)

    used, old = own_sessions(browser)
    assert moment(used["last_used_at"]) - moment(used["created_at"]) >= 600
    assert old["last_used_at"] == old["created_at"]

    moving_service.clock.advance(72 * HOUR_MS - 5 * MINUTE_MS)
    late = elsewhere(moving_service, person)
    moving_service.clock.advance(6 * MINUTE_MS)
    assert [each["current"] for each in own_sessions(late)] == [True]


@proves(SESSIONS)
def test_one_session_is_ended_at_once(service: Service) -> None:
    person = service.user()
    other, third = elsewhere(service, person), elsewhere(service, person)
    ended = own_sessions(other)[1]["id"]

    assert expect(person.client.delete(f"/users/me/sessions/{ended}"), 200) == {}

    refused(other.get("/users/me"), 401, "unauthorized")
    expect(third.get("/users/me"), 200)
    refused(person.client.delete(f"/users/me/sessions/{ended}"), 404, "session_not_found")
    for wrong in ("0", "x", "01", "-1", "9223372036854775808"):
        refused(person.client.delete(f"/users/me/sessions/{wrong}"), 400, "invalid_session_id")
    refused(service.client().delete(f"/users/me/sessions/{ended}"), 401, "unauthorized")


@proves(SESSIONS)
def test_no_user_ends_a_session_of_another(service: Service) -> None:
    person, stranger = service.user(), service.user()
    (theirs,) = own_sessions(person.client)

    refused(stranger.client.delete(f"/users/me/sessions/{theirs['id']}"), 404, "session_not_found")
    refused(service.admin.delete(f"/users/me/sessions/{theirs['id']}"), 404, "session_not_found")
    expect(stranger.client.delete("/users/me/sessions"), 200)

    expect(person.client.get("/users/me"), 200)


@proves(SESSIONS)
def test_ones_own_session_is_ended_like_signing_out(service: Service) -> None:
    person = service.user()
    (own,) = own_sessions(person.client)
    answer = person.client.delete(f"/users/me/sessions/{own['id']}")

    assert expect(answer, 200) == {}
    cleared = [SimpleCookie(each) for each in answer.headers.get_list("set-cookie")]
    assert {name: one["max-age"] for jar in cleared for name, one in jar.items()} == dict.fromkeys(
        ("access_token", "refresh_token", "session_until"), "0"
    )
    refused(person.client.get("/users/me"), 401, "unauthorized")


@proves(SESSIONS)
def test_all_other_sessions_are_ended_at_once(service: Service) -> None:
    person = service.user()
    others = [elsewhere(service, person) for _ in range(3)]

    assert expect(person.client.delete("/users/me/sessions"), 200) == {}

    for other in others:
        refused(other.get("/users/me"), 401, "unauthorized")
    assert [each["current"] for each in own_sessions(person.client)] == [True]
    assert expect(person.client.delete("/users/me/sessions"), 200) == {}


@proves(LINK, ADDRESS, OUTCOMES, *RESET)
def test_a_reset_link_sets_a_new_password_once(service: Service) -> None:
    person = service.user()
    other, bot = elsewhere(service, person), with_key(service, person)
    # Whatever host the admin's request names.
    named = {"Host": "evil.example"}
    link = expect(service.admin.post(f"/admin/users/{person.id}/reset-link", headers=named), 200)
    assert link["url"].startswith("/reset/")
    token = link["url"].removeprefix("/reset/")

    assert link.keys() == {"url", "expires_at"}
    assert "/" not in token
    assert len(token) >= 43
    assert expect(reset(service, token), 200) == {}

    for client in (person.client, other, bot):
        refused(client.get("/users/me"), 401, "unauthorized")
    refused(try_sign_in(service, person.email, PASSWORD), 401, "invalid_credentials")
    expect(try_sign_in(service, person.email, NEW), 200)
    refused(reset(service, token, "yet another horse"), 400, "invalid_token")
    expect(try_sign_in(service, person.email, NEW), 200)


@proves(*RESET)
@ONCE
def test_a_token_of_no_link_resets_nothing(service: Service) -> None:
    for token in ("", "x", secrets.token_urlsafe(32), "é" * 300, "x" * 60_000):
        refused(reset(service, token), 400, "invalid_token")
    bodies: list[Any] = [{"token": 7, "password": NEW}, {"token": "x"}, {"token": "x", "password": NEW, "more": 1}, []]
    for body in bodies:
        refused(service.client().post("/auth/reset", json=body), 400, "bad_request")


@proves(LINK, *RESET)
def test_a_newer_link_or_a_new_password_voids_a_link(service: Service) -> None:
    person, changed = service.user(), service.user()
    old, new = new_link(service, person.id), new_link(service, person.id)
    voided = new_link(service, changed.id)
    expect(change(changed.client), 200)

    refused(reset(service, old), 400, "invalid_token")
    refused(reset(service, voided, "a thief's password"), 400, "invalid_token")
    expect(reset(service, new), 200)


@proves(LINK, *RESET)
def test_a_link_is_good_for_an_hour(moving_service: Service) -> None:
    person = moving_service.user()
    made = expect(moving_service.admin.post(f"/admin/users/{person.id}/reset-link"), 200)
    now_s = moving_service.clock() / 1_000
    assert now_s + 3_590 <= moment(made["expires_at"]) <= now_s + 3_600
    token = made["url"].rpartition("/")[2]
    moving_service.clock.advance(HOUR_MS)

    refused(reset(moving_service, token), 400, "invalid_token")


@proves(LINK)
@ONCE
def test_only_admins_make_links_and_each_stands_in_the_log_without_its_token(service: Service) -> None:
    person = service.user()
    path = f"/admin/users/{person.id}/reset-link"
    refused(service.client().post(path), 401, "unauthorized")
    refused(service.user(operator=True, creator=True, stats_viewer=True).client.post(path), 403, "forbidden")
    refused(service.admin.post("/admin/users/999999999/reset-link"), 404, "user_not_found")
    refused(service.admin.post("/admin/users/x/reset-link"), 400, "invalid_user_id")

    link = expect(service.admin.post(path), 200)

    entry = expect(service.admin.get("/admin/log?limit=1"), 200)["entries"][0]
    assert (entry["action"], entry["target"]) == ("user.reset_link", f"user:{person.id}")
    assert entry["details"] == {"expires_at": link["expires_at"]}


@proves(LINK, ADDRESS)
@ONCE
def test_links_lead_to_the_sites_public_address(start_service: Callable[..., Service]) -> None:
    service = start_service(public_url="https://foreknow.example/")
    url = expect(service.admin.post(f"/admin/users/{service.user().id}/reset-link"), 200)["url"]
    assert url.startswith("https://foreknow.example/reset/")


@proves(*RESET)
def test_of_many_uses_of_one_link_at_once_one_counts(service: Service) -> None:
    person = service.user()
    token = new_link(service, person.id)
    passwords = [f"horse battery {number}" for number in range(8)]
    shots = [("POST", "/auth/reset", {"json": {"token": token, "password": each}}) for each in passwords]

    answers = service.together(shots)

    assert sorted(answer.status_code for answer in answers) == [200, *[400] * 7]
    for answer, password in zip(answers, passwords, strict=True):
        assert try_sign_in(service, person.email, password).status_code == (200 if answer.status_code == 200 else 401)
