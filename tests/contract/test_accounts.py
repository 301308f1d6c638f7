"""Decisions, "Accounts and sign-in": signing up and in, roles. Interface, section 5."""

from __future__ import annotations

import itertools
import uuid
from collections.abc import Callable
from http.cookies import SimpleCookie
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import ADMIN_EMAIL, PASSWORD, Service, end_of, expect, pool, refused
from tests.support.sign_in import OWN_VIEW

UNIQUE = (
    "decisions: E-mail addresses and nicknames (3–32 letters, digits, `_ . -`; never an `@`) are unique without "
    "regard to case, nicknames by skeleton too (UTS 39)."
)
SIGN_UP = "decisions: → 201 `{user, access_token, expires_in}` + both cookies; 409 `email_taken`, `nickname_taken`"
numbers = itertools.count(1)


def fresh_body(**fields: Any) -> dict[str, Any]:
    return {"email": f"{uuid.uuid4().hex}@example.org", "password": PASSWORD, "name": "Ann"} | fields


def cookies_of(answer: httpx.Response) -> dict[str, Any]:
    jar: dict[str, Any] = {}
    for header in answer.headers.get_list("set-cookie"):
        jar |= dict(SimpleCookie(header))
    return jar


@proves(SIGN_UP, "interface: sign-up and OAuth also set the cookies")
def test_signing_up_makes_a_user_who_is_signed_in(service: Service) -> None:
    body = fresh_body()
    answer = service.client().post("/auth/sign-up", json=body)
    made = expect(answer, 201)

    assert made.keys() == {"user", "access_token", "expires_in"}
    assert made["user"].keys() == OWN_VIEW
    assert (made["user"]["email"], made["user"]["name"]) == (body["email"], "Ann")
    assert made["user"]["nickname"] == made["user"]["avatar_url"] == ""
    assert made["user"]["balance_kopecks"] == 0
    assert not any(made["user"][role] for role in ("is_creator", "is_admin", "is_stats_viewer", "is_operator"))
    assert made["user"]["profile_hidden"] is False
    assert made["expires_in"] == 1_200
    assert expect(service.client(token=made["access_token"]).get("/users/me"), 200) == made["user"]


@proves(
    "decisions: Cookies: HttpOnly (but `session_until`, see client.md), SameSite=Lax, Path=/, Secure by a named "
    "setting that is off by default only while listening on loopback.",
    "interface: | Access token | access_token | 20 minutes | authenticates API requests |",
    "interface: | Refresh token | refresh_token | 72 hours | obtains new access tokens |",
    "interface: Sign-in is POST /api/v1/auth/sign-in (sign-up and OAuth also set the cookies). The server sets "
    "access_token and refresh_token as HTTP-only cookies",
)
@ONCE
@pytest.mark.parametrize("way", ["sign-up", "sign-in"])
def test_signing_up_or_in_sets_the_cookies(service: Service, way: str) -> None:
    client = service.client()
    body = fresh_body()
    answer = client.post("/auth/sign-up", json=body)
    if way == "sign-in":
        answer = service.client().post("/auth/sign-in", json={"login": body["email"], "password": PASSWORD})
    cookies = cookies_of(answer)

    assert cookies.keys() == {"access_token", "refresh_token", "session_until", "device"}
    assert cookies["access_token"].value == answer.json()["access_token"]
    assert cookies["access_token"]["max-age"] == "1200"
    assert cookies["refresh_token"]["max-age"] == str(72 * 3_600)
    assert cookies["session_until"].value == str(end_of(answer.json()["access_token"]))
    assert cookies["session_until"]["max-age"] == cookies["refresh_token"]["max-age"]
    for name, cookie in cookies.items():
        assert bool(cookie["httponly"]) is (name != "session_until")
        assert (cookie["samesite"], cookie["path"], cookie["domain"]) == ("Lax", "/", "")
        assert not cookie["secure"]


@proves("decisions: Secure by a named setting that is off by default only while listening on loopback.")
@ONCE
@pytest.mark.parametrize(
    ("settings", "secure"),
    [
        ({"listen_host": "0.0.0.0"}, True),
        ({"listen_host": "0.0.0.0", "cookie_secure": False}, False),
        ({"cookie_secure": True}, True),
        ({"public_url": "https://foreknow.example"}, True),
        ({"public_url": "http://foreknow.example"}, False),
        ({"listen_host": "::1"}, False),
    ],
)
def test_cookies_are_secure_unless_listening_on_loopback(
    start_service: Callable[..., Service], settings: dict[str, Any], secure: bool
) -> None:
    answer = start_service(**settings).client().post("/auth/sign-up", json=fresh_body())
    assert {bool(cookie["secure"]) for cookie in cookies_of(answer).values()} == {secure}


@proves(UNIQUE)
@pytest.mark.parametrize(
    ("first", "second"), [("Ann{}@Example.org", "aNN{}@example.ORG"), ("юлия{}@пример.рф", "ЮЛИЯ{}@ПРИМЕР.РФ")]
)
def test_an_address_is_taken_in_any_case(service: Service, first: str, second: str) -> None:
    mark = uuid.uuid4().hex
    expect(service.client().post("/auth/sign-up", json=fresh_body(email=first.format(mark))), 201)

    answer = service.client().post("/auth/sign-up", json=fresh_body(email=second.format(mark.upper())))
    refused(answer, 409, "email_taken")


@proves(UNIQUE)
@pytest.mark.parametrize(
    ("first", "second"), [("Ann_{}", "aNN_{}"), ("Юлия.{}", "юЛИЯ.{}"), ("Straße-{}", "STRASSE-{}")]
)
def test_a_nickname_is_taken_in_any_case(service: Service, first: str, second: str) -> None:
    mark = uuid.uuid4().hex[:12]
    holder = expect(service.client().post("/auth/sign-up", json=fresh_body(nickname=first.format(mark))), 201)

    taken = service.client().post("/auth/sign-up", json=fresh_body(nickname=second.format(mark)))
    refused(taken, 409, "nickname_taken")
    other = service.user()
    refused(other.client.patch("/users/me", json={"nickname": second.format(mark)}), 409, "nickname_taken")
    own = service.client(token=holder["access_token"])
    assert expect(own.patch("/users/me", json={"nickname": second.format(mark)}), 200)["nickname"] == second.format(
        mark
    )


@proves("decisions: nicknames (3–32 letters, digits, `_ . -`; never an `@`)")
@ONCE
@pytest.mark.parametrize(
    "nickname", ["ab", "a" * 33, "a@b.c", "a b c", "abc!", "a/bc", "ab\u200bc", "<abc>", "   ", "🙂🙂🙂"]
)
def test_a_bad_nickname_is_refused(service: Service, nickname: str) -> None:
    refused(service.client().post("/auth/sign-up", json=fresh_body(nickname=nickname)), 400, "bad_request")
    refused(service.user().client.patch("/users/me", json={"nickname": nickname}), 400, "bad_request")


@proves("decisions: nicknames (3–32 letters, digits, `_ . -`; never an `@`)")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("shape", ["{}", "{}_.-", "Ж{}", "{}" + "x" * 23])
def test_a_good_nickname_is_taken_as_it_is(service: Service, shape: str) -> None:
    nickname = shape.format(f"n{next(numbers):02}{uuid.uuid4().hex[:6]}")
    person = service.user(nickname=nickname)

    assert expect(person.client.get("/users/me"), 200)["nickname"] == nickname
    assert service.sign_in(nickname.upper(), PASSWORD)


@proves(
    "decisions: POST /auth/sign-up | `{email, password (8–128, after NFC), name, nickname?}`", "decisions: e-mail 254"
)
@ONCE
@pytest.mark.parametrize(
    "fields",
    [
        *({"email": bad} for bad in ("", " ", "noname", "@example.org", "a@", "a b@example.org", "a@b@c.org", 7, None)),
        {"email": "a" * 243 + "@example.org"},
        *({"password": bad} for bad in ("", "1234567", "x" * 129, 12_345_678, None)),
        {"password": "e\u0301" * 7},
        *({"password": common} for common in ("password1", "PassWord1", "qwertyuiop")),
        *({"name": bad} for bad in ("", " ", "\u2003\n", "x" * 201, 7, None)),
        {"unknown": 1},
        {"is_admin": True},
        {"balance_kopecks": 100},
    ],
)
def test_a_bad_sign_up_is_refused(service: Service, fields: dict[str, Any]) -> None:
    refused(service.client().post("/auth/sign-up", json=fresh_body(**fields)), 400, "bad_request")


@proves("decisions: POST /auth/sign-up | `{email, password (8–128, after NFC), name, nickname?}`")
@ONCE
@pytest.mark.parametrize("field", ["email", "password", "name"])
def test_a_sign_up_needs_address_password_and_name(service: Service, field: str) -> None:
    body = fresh_body()
    del body[field]

    refused(service.client().post("/auth/sign-up", json=body), 400, "bad_request")


@proves("decisions: password (8–128, after NFC)", "decisions: Bounds in code points", "decisions: e-mail 254")
def test_the_bounds_of_a_sign_up_are_allowed(service: Service) -> None:
    mark = uuid.uuid4().hex
    longest = mark + "a" * (254 - len(mark) - len("@example.org")) + "@example.org"
    body = fresh_body(email=longest, password="🔑" * 128, name="Я" * 200)
    made = expect(service.client().post("/auth/sign-up", json=body), 201)

    assert (made["user"]["email"], made["user"]["name"]) == (longest, "Я" * 200)
    expect(service.client().post("/auth/sign-up", json=fresh_body(password="e\u0301" * 8)), 201)


@proves("decisions: password (8–128, after NFC)", "decisions: Normalised to NFC, else stored as written")
@ONCE
def test_a_password_is_the_same_however_it_is_composed(service: Service) -> None:
    body = fresh_body(password="cafe\u0301 creme\u0300", name="Zoe\u0308")
    made = expect(service.client().post("/auth/sign-up", json=body), 201)

    assert made["user"]["name"] == "Zo\u00eb"
    assert service.sign_in(body["email"], "caf\u00e9 crem\u00e8")


@proves("decisions: POST /auth/sign-in | `{login (email or nickname), password}` → 200, same body and cookies")
def test_signing_in_by_address_or_nickname_in_any_case(service: Service) -> None:
    person = service.user()
    for login in (person.email, person.email.upper(), person.nickname, person.nickname.upper()):
        answer = service.client().post("/auth/sign-in", json={"login": login, "password": person.password})
        body = expect(answer, 200)
        assert body.keys() == {"user", "access_token", "expires_in"}
        assert body["user"].keys() == OWN_VIEW
        assert body["user"]["id"] == person.id
        assert cookies_of(answer).keys() == {"access_token", "refresh_token", "session_until", "device"}


@proves(
    "decisions: 401 `invalid_credentials`, same answer and same time whether or not the account exists; a password of "
    "any length is tried",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    "password", ["", "x", "wrong password", "x" * 129, "x" * 50_000, PASSWORD.upper(), PASSWORD + " "]
)
def test_a_wrong_password_and_a_missing_account_are_refused_alike(service: Service, password: str) -> None:
    person = service.user()
    client = service.client()
    wrong = client.post("/auth/sign-in", json={"login": person.email, "password": password})
    missing = client.post("/auth/sign-in", json={"login": "unknown@example.org", "password": password})

    refused(wrong, 401, "invalid_credentials")
    assert (missing.status_code, missing.content) == (wrong.status_code, wrong.content)
    assert cookies_of(wrong) == cookies_of(missing) == {}


@proves(
    "decisions: after 10 failures a minute on one account 429",
    "decisions: 429 with `Retry-After`",
    "decisions: Limits: sign-in failures strictly",
)
@ONCE
def test_after_ten_failures_an_account_rests(start_service: Callable[..., Service]) -> None:
    service = start_service(rate_limits="on")
    person, other = service.user(), service.user()
    client = service.client()
    for _ in range(10):
        answer = client.post("/auth/sign-in", json={"login": person.email, "password": "wrong password"})
        refused(answer, 401, "invalid_credentials")

    for login in (person.email, person.email.upper(), person.nickname):
        answer = client.post("/auth/sign-in", json={"login": login, "password": person.password})
        refused(answer, 429, "rate_limited")
        assert 0 < int(answer.headers["Retry-After"]) <= 60
    assert service.sign_in(other.email, other.password)
    service.clock.advance(61_000)
    assert service.sign_in(person.email, person.password)


@proves(
    "decisions: Roles are separate: an admin is no creator or stats viewer unless made one, but may do what "
    "operators do.",
)
@ONCE
def test_an_admin_is_no_creator_nor_stats_viewer(service: Service) -> None:
    admin = service.user(admin=True)

    answer = admin.client.post("/events/create-full", json={"name": "Mine", "pools": [pool()]})
    assert (answer.status_code, answer.json()) == (403, {"error": "forbidden"})
    refused(admin.client.get("/admin/stats"), 403, "forbidden")
    expect(admin.client.get("/admin/users"), 200)


@proves("decisions: Roles are read from the database, never from the token.")
def test_a_role_counts_at_once_for_tokens_given_before(service: Service) -> None:
    person = service.user()
    body = {"name": "Mine", "pools": [pool()]}
    assert person.client.post("/events/create-full", json=body).status_code == 403

    expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_creator": True}), 200)
    expect(person.client.post("/events/create-full", json=body), 201)
    expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_creator": False}), 200)
    assert person.client.post("/events/create-full", json=body).status_code == 403


@proves(
    "decisions: `FOREKNOW_ADMIN_*` makes a missing account and changes no existing one.",
    "decisions: `FOREKNOW_ADMIN_EMAIL` with `FOREKNOW_ADMIN_PASSWORD`, or one command, makes the first admin.",
)
@ONCE
def test_the_settings_make_a_missing_admin_and_change_no_existing_one(start_service: Callable[..., Service]) -> None:
    first = start_service()
    assert expect(first.admin.get("/users/me"), 200)["is_admin"] is True
    person = first.user()
    second = start_service(admin_password=SecretStr("another password"))
    refused(
        second.client().post("/auth/sign-in", json={"login": ADMIN_EMAIL, "password": "another password"}),
        401,
        "invalid_credentials",
    )
    assert second.sign_in(ADMIN_EMAIL, PASSWORD)
    third = start_service(admin_email=person.email.upper(), admin_password=SecretStr("another password"))
    token = third.sign_in(person.email, person.password)
    assert expect(third.client(token=token).get("/users/me"), 200)["is_admin"] is False
