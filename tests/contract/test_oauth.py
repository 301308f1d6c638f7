"""Decisions, "Accounts and sign-in": OpenID Connect, against oidc-provider-mock in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from http.cookies import SimpleCookie
from typing import Any

import httpx
import pytest

from tests.support.kinds import ONCE
from tests.support.oidc import PUBLIC_URL, Browser, approve, new_identity, parameters
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused
from tests.support.sign_in import new_link, reset, with_key

FLOW = (
    "decisions: GET /auth/oauth/{provider}, …/callback | OpenID Connect code flow with PKCE, state and nonce; any "
    "OIDC provider from settings"
)
COOKIES = "decisions: sets the same cookies and redirects"
LINKED = "decisions: Linked to an existing account by verified e-mail"
UNVERIFIED_HERE = (
    "decisions: where that account's e-mail was never verified here, linking removes its password and ends its "
    "sessions, API keys and reset links"
)
SERVERS = "decisions: tokens survive a restart and are good on every server of one database"
NEW_USERS = "decisions: New users start with 0"
CHAT = "decisions: Signing in binds the anonymous session to the user, under a new cookie value"
MINUTE_MS = 60_000


def set_cookies(answer: httpx.Response) -> dict[str, Any]:
    return {
        name: morsel for each in answer.headers.get_list("set-cookie") for name, morsel in SimpleCookie(each).items()
    }


@proves(FLOW)
@ONCE
def test_the_browser_is_sent_to_the_provider_with_all_that_binds_the_answer_to_it(
    oauth_service: Service, mock_issuer: str
) -> None:
    first, second = (parameters(Browser(oauth_service).start()) for _ in range(2))
    url = Browser(oauth_service).start()
    assert url.startswith(f"{mock_issuer}/oauth2/authorize?")
    assert first["response_type"] == "code"
    assert first["client_id"] == "foreknow"
    assert first["redirect_uri"] == f"{PUBLIC_URL}/api/v1/auth/oauth/mock/callback"
    assert first["scope"].split() == ["openid", "email", "profile"]
    assert first["code_challenge_method"] == "S256"
    for name in ("state", "nonce", "code_challenge"):
        assert len(first[name]) == 43, name
        assert first[name] != second[name], name
    assert len({first[name] for name in ("state", "nonce", "code_challenge")}) == 3


@proves(COOKIES, NEW_USERS, "interface: sign-up and OAuth also set the cookies")
def test_a_new_user_gets_an_account_and_the_cookies_of_a_sign_in(oauth_service: Service) -> None:
    browser, (sub, claims) = Browser(oauth_service), new_identity()
    answer = browser.sign_in(sub, claims, return_to="/events/7?tab=chart#top")
    assert answer.status_code == 303
    assert answer.headers["location"] == f"{PUBLIC_URL}/events/7?tab=chart#top"
    cookies = set_cookies(answer)
    for name, age_s in (("access_token", 20 * 60), ("refresh_token", 72 * 3600)):
        assert cookies[name]["httponly"]
        assert cookies[name]["samesite"] == "Lax"
        assert cookies[name]["path"] == "/"
        assert age_s - 5 <= int(cookies[name]["max-age"]) <= age_s
    me = browser.me()
    assert me["email"] == claims["email"]
    assert me["name"] == claims["name"]
    assert me["nickname"] == me["avatar_url"] == ""
    assert me["balance_kopecks"] == 0
    assert not any(me[role] for role in ("is_creator", "is_admin", "is_stats_viewer", "is_operator"))
    expect(browser.client.post("/auth/refresh"), 200)


@proves(FLOW)
def test_the_same_identity_comes_back_to_the_same_account_whatever_its_address_is_by_then(
    oauth_service: Service,
) -> None:
    sub, claims = new_identity()
    first, second = Browser(oauth_service), Browser(oauth_service)
    first.sign_in(sub, claims)
    assert second.sign_in(sub, {"email": "else_" + claims["email"], "email_verified": False}).status_code == 303
    assert second.me() == first.me()
    assert second.me()["email"] == claims["email"]


@proves(COOKIES)
@ONCE
def test_without_return_to_the_browser_goes_home(oauth_service: Service) -> None:
    browser = Browser(oauth_service)
    answer = browser.sign_in(*new_identity())
    assert answer.headers["location"] == f"{PUBLIC_URL}/"
    # There is something to see.
    home = browser.client.get(f"{oauth_service.url}/", follow_redirects=True)
    assert (home.status_code, home.headers["content-type"]) == (200, "text/html; charset=utf-8")


@proves(FLOW)
@ONCE
def test_a_provider_that_is_not_in_the_settings_is_not_found(oauth_service: Service) -> None:
    refused(oauth_service.client().get("/auth/oauth/unknown"), 404, "not_found")
    refused(oauth_service.client().get("/auth/oauth/unknown/callback?code=1&state=2"), 404, "not_found")


@proves(FLOW)
@ONCE
def test_a_service_without_providers_has_none(service: Service) -> None:
    refused(service.client().get("/auth/oauth/google"), 404, "not_found")


@proves(FLOW)
@ONCE
def test_another_state_than_this_browsers_is_refused(oauth_service: Service) -> None:
    sub, claims = new_identity()
    browser, other = Browser(oauth_service), Browser(oauth_service)
    url, others = browser.start(), other.start()
    back, state = approve(url, sub, claims), parameters(url)["state"]
    for wrong in (parameters(others)["state"], "x" * 43, state[:-1] + ("a" if state[-1] != "a" else "b"), "", "ы"):
        refused(browser.come_back(back.replace(state, wrong)), 400, "bad_request")
    refused(browser.come_back(back.replace(f"state={state}", "")), 400, "bad_request")
    # None of that used up the right one.
    assert browser.come_back(back).status_code == 303


@proves(FLOW)
@ONCE
def test_an_answer_that_is_brought_to_another_browser_signs_no_one_in(oauth_service: Service) -> None:
    attacker, victim = Browser(oauth_service), Browser(oauth_service)
    back = approve(attacker.start(), *new_identity())
    victim.start()
    answer = victim.come_back(back)
    refused(answer, 400, "bad_request")
    assert "access_token" not in set_cookies(answer)


@proves(FLOW)
@ONCE
def test_without_the_cookie_of_its_beginning_a_sign_in_is_refused(oauth_service: Service) -> None:
    browser = Browser(oauth_service)
    back = approve(browser.start(), *new_identity())
    refused(browser.come_back(back, keep=False), 400, "bad_request")


@proves(FLOW)
def test_a_callback_works_once(oauth_service: Service) -> None:
    browser = Browser(oauth_service)
    back = approve(browser.start(), *new_identity())
    kept = dict(browser.client.cookies)
    assert browser.come_back(back).status_code == 303
    refused(browser.come_back(back), 400, "bad_request")
    # Also with the cookie that the answer cleared.
    again = Browser(oauth_service)
    again.client.cookies.update(kept)
    refused(again.come_back(back), 400, "bad_request")


@proves(FLOW)
def test_of_twenty_equal_callbacks_at_once_one_signs_in(oauth_service: Service) -> None:
    browser = Browser(oauth_service)
    back = approve(browser.start(), *new_identity())
    cookie = "; ".join(f"{name}={value}" for name, value in browser.client.cookies.items())
    path = back.removeprefix(f"{PUBLIC_URL}/api/v1")
    answers = oauth_service.together([("GET", path, {"headers": {"Cookie": cookie}})] * 20)
    assert sorted(answer.status_code for answer in answers) == [303] + [400] * 19


@proves(FLOW)
def test_a_code_that_was_used_before_is_refused_by_the_provider_and_so_by_us(oauth_service: Service) -> None:
    first, second = Browser(oauth_service), Browser(oauth_service)
    used = approve(first.start(), *new_identity())
    assert first.come_back(used).status_code == 303
    url = second.start()
    mine = f"{used.split('?')[0]}?code={parameters(used)['code']}&state={parameters(url)['state']}"
    answer = second.come_back(mine)
    refused(answer, 401, "unauthorized")
    assert "access_token" not in set_cookies(answer)


@proves(FLOW)
@ONCE
def test_a_code_of_another_sign_in_is_refused_by_its_nonce(oauth_service: Service) -> None:
    attacker, victim = Browser(oauth_service), Browser(oauth_service)
    stolen = parameters(approve(attacker.start(), *new_identity()))["code"]
    url = victim.start()
    back = f"{PUBLIC_URL}/api/v1/auth/oauth/mock/callback?code={stolen}&state={parameters(url)['state']}"
    refused(victim.come_back(back), 401, "unauthorized")


@proves(FLOW)
@ONCE
def test_a_nonce_that_was_changed_on_the_way_is_noticed(oauth_service: Service) -> None:
    browser = Browser(oauth_service)
    url = browser.start()
    back = approve(url.replace(parameters(url)["nonce"], "n" * 43), *new_identity())
    refused(browser.come_back(back), 401, "unauthorized")


@proves(FLOW)
@ONCE
def test_a_sign_in_that_the_person_denied_says_so(oauth_service: Service) -> None:
    browser = Browser(oauth_service)
    url = browser.start()
    back = approve(url, "any subject", deny=True)
    if "state" not in parameters(back):
        # The mock forgets what RFC 6749 (4.1.2.1) asks of it.
        back += f"&state={parameters(url)['state']}"
    assert "access_denied" in refused(browser.come_back(back), 401, "unauthorized")["message"]


@proves(FLOW)
@ONCE
def test_two_tabs_of_a_browser_may_sign_in_at_the_same_time(oauth_service: Service) -> None:
    browser = Browser(oauth_service)
    one, other = browser.start(), browser.start()
    assert browser.come_back(approve(one, *new_identity())).status_code == 303
    assert browser.come_back(approve(other, *new_identity())).status_code == 303


@proves(SERVERS)
def test_any_server_finishes_what_another_began_and_a_state_used_at_one_is_used_at_all(
    start_service: Callable[..., Service], oauth_settings: dict[str, Any]
) -> None:
    one, other = start_service(**oauth_settings), start_service(**oauth_settings)
    browser = Browser(one)
    back = approve(browser.start(), *new_identity())
    elsewhere = Browser(other)
    elsewhere.client.cookies.update(dict(browser.client.cookies))
    assert elsewhere.come_back(back).status_code == 303
    refused(browser.come_back(back), 400, "bad_request")
    back = approve(elsewhere.start(), *new_identity())
    kept = dict(elsewhere.client.cookies)
    other.restart()
    after = Browser(other)
    after.client.cookies.update(kept)
    assert after.come_back(back).status_code == 303


@proves(FLOW)
def test_a_sign_in_is_over_after_ten_minutes(
    start_service: Callable[..., Service], oauth_settings: dict[str, Any]
) -> None:
    service = start_service(**oauth_settings)
    browser = Browser(service)
    back = approve(browser.start(), *new_identity())
    service.clock.advance(10 * MINUTE_MS)
    # httpx still has the cookie: its own clock was not moved.
    refused(browser.come_back(back), 400, "bad_request")


@proves(LINKED, UNVERIFIED_HERE)
def test_linking_an_account_with_an_unverified_address_removes_its_password_and_ends_all_ways_in(
    oauth_service: Service,
) -> None:
    sub, claims = new_identity()
    squatter = oauth_service.user(email=claims["email"].lower(), balance_kopecks=700)
    guest, bot = oauth_service.client(), with_key(oauth_service, squatter)
    token = new_link(oauth_service, squatter.id)
    expect(bot.get("/users/me"), 200)
    sign_in = {"login": squatter.email, "password": PASSWORD}
    expect(guest.post("/auth/sign-in", json=sign_in), 200)
    owner = Browser(oauth_service)
    assert owner.sign_in(sub, claims).status_code == 303
    me = owner.me()
    assert (me["id"], me["email"], me["balance_kopecks"]) == (squatter.id, squatter.email, 700)
    for client in (squatter.client, guest, bot):
        refused(client.get("/users/me"), 401, "unauthorized")
    refused(guest.post("/auth/refresh"), 401, "unauthorized")
    refused(reset(oauth_service, token), 400, "invalid_token")
    for login in (squatter.email, squatter.nickname):
        body = {"login": login, "password": PASSWORD}
        refused(oauth_service.client().post("/auth/sign-in", json=body), 401, "invalid_credentials")
    assert owner.me()["id"] == squatter.id


@proves(UNVERIFIED_HERE)
def test_a_sign_in_at_the_moment_of_linking_does_not_survive_it(oauth_service: Service) -> None:
    sub, claims = new_identity()
    squatter = oauth_service.user(email=claims["email"])
    browser = Browser(oauth_service)
    path = approve(browser.start(), sub, claims).removeprefix(f"{PUBLIC_URL}/api/v1")
    cookie = "; ".join(f"{name}={value}" for name, value in browser.client.cookies.items())
    sign_in = ("POST", "/auth/sign-in", {"json": {"login": squatter.email, "password": PASSWORD}})
    link = ("GET", path, {"headers": {"Cookie": cookie}})
    answers = oauth_service.together([*[sign_in] * 15, link, *[sign_in] * 15])
    assert {answer.status_code for answer in answers if answer.request.method == "POST"} <= {200, 401}
    for answer in answers:
        if answer.status_code == 200:
            token = answer.json()["access_token"]
            refused(oauth_service.client(token=token).get("/users/me"), 401, "unauthorized")


@proves(LINKED)
def test_a_new_user_who_comes_many_times_at_once_gets_one_account(oauth_service: Service) -> None:
    sub, claims = new_identity()
    shots = []
    for _ in range(10):
        browser = Browser(oauth_service)
        path = approve(browser.start(), sub, claims).removeprefix(f"{PUBLIC_URL}/api/v1")
        cookie = "; ".join(f"{name}={value}" for name, value in browser.client.cookies.items())
        shots.append(("GET", path, {"headers": {"Cookie": cookie}}))
    sign_up = {"email": claims["email"], "password": PASSWORD, "name": "A user"}
    answers = oauth_service.together([*shots, ("POST", "/auth/sign-up", {"json": sign_up})])
    assert [answer.status_code for answer in answers[:-1]] == [303] * 10
    assert answers[-1].status_code in {201, 409}
    tokens = [set_cookies(answer)["access_token"].value for answer in answers[:-1]]
    whose = [oauth_service.client(token=token).get("/users/me") for token in tokens]
    # Where the sign-up came first, the linking ended its session and no other.
    assert len({expect(answer, 200)["id"] for answer in whose}) == 1
    refused(oauth_service.client().post("/auth/sign-in", json=sign_in_of(sign_up)), 401, "invalid_credentials")


def sign_in_of(sign_up: dict[str, str]) -> dict[str, str]:
    return {"login": sign_up["email"], "password": sign_up["password"]}


@proves(LINKED)
def test_an_account_that_was_vouched_for_keeps_its_sessions_when_another_identity_is_linked(
    oauth_service: Service,
) -> None:
    sub, claims = new_identity()
    first, second = Browser(oauth_service), Browser(oauth_service)
    first.sign_in(sub, claims)
    assert second.sign_in(f"{sub}-at-work", claims | {"email": claims["email"].upper()}).status_code == 303
    assert second.me() == first.me()


@proves(LINKED)
@ONCE
@pytest.mark.parametrize("verified", [False, None, 0, 1, "yes", "false", ["true"]])
def test_an_address_that_the_provider_does_not_vouch_for_neither_links_nor_makes_an_account(
    oauth_service: Service, verified: object
) -> None:
    sub, claims = new_identity()
    person = oauth_service.user(email=claims["email"])
    unverified = claims | {"email_verified": verified}
    browser = Browser(oauth_service)
    answer = browser.sign_in(sub, unverified)
    refused(answer, 403, "email_not_verified")
    assert "access_token" not in set_cookies(answer)
    expect(person.client.get("/users/me"), 200)
    expect(oauth_service.client().post("/auth/sign-in", json={"login": person.email, "password": PASSWORD}), 200)
    refused(browser.sign_in(*unknown_identity(verified)), 403, "email_not_verified")


def unknown_identity(verified: object) -> tuple[str, dict[str, Any]]:
    sub, claims = new_identity()
    return sub, claims | {"email_verified": verified}


@proves(LINKED)
def test_an_address_that_only_folds_to_the_same_is_not_the_same(oauth_service: Service) -> None:
    sub, claims = new_identity()
    person = oauth_service.user(email="s" + claims["email"])
    answer = Browser(oauth_service).sign_in(sub, claims | {"email": "ſ" + claims["email"]})
    refused(answer, 409, "email_taken")
    expect(person.client.get("/users/me"), 200)


@proves(CHAT)
def test_the_chat_of_a_visitor_is_bound_by_signing_in_through_a_provider_too(oauth_service: Service) -> None:
    browser = Browser(oauth_service)
    session = expect(browser.client.post("/chat/session"), 201)
    before = browser.client.cookies["chat_session"]
    answer = browser.sign_in(*new_identity())
    assert set_cookies(answer)["chat_session"].value not in {"", before}
    assert expect(browser.client.post("/chat/session"), 200)["session_id"] == session["session_id"]
    stranger = oauth_service.client()
    stranger.cookies.set("chat_session", before)
    refused(stranger.get("/chat/messages"), 404, "not_found")


@proves(COOKIES)
@ONCE
@pytest.mark.parametrize(
    "elsewhere",
    [
        *("https://evil.example", "//evil.example", "/..//evil.example", "/.//evil.example", " //evil.example"),
        *("/\\evil.example", "\\/evil.example", "/\t/evil.example", "/\n/evil.example", "evil.example"),
        *("/events/%2e%2E//evil.example", "", "javascript:alert(1)", "/" + "a" * 1024, "/" + "ы" * 200),
    ],
)
def test_no_one_is_sent_to_another_site(oauth_service: Service, elsewhere: str) -> None:
    client = oauth_service.client()
    refused(client.get("/auth/oauth/mock", params={"return_to": elsewhere}), 400, "bad_request")


@proves(COOKIES)
@ONCE
def test_a_path_in_any_script_is_returned_to(oauth_service: Service) -> None:
    answer = Browser(oauth_service).sign_in(*new_identity(), return_to="/события/7?q=да%2Fнет")
    path = "/%D1%81%D0%BE%D0%B1%D1%8B%D1%82%D0%B8%D1%8F/7?q=%D0%B4%D0%B0%2F%D0%BD%D0%B5%D1%82"
    assert answer.headers["location"] == PUBLIC_URL + path
