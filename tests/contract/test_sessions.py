"""Decisions, "Accounts and sign-in": refreshing, signing out, what a session outlives. Interface, section 5."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from http.cookies import SimpleCookie

import httpx
import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, end_of, expect, refused

REFRESH = "decisions: POST /auth/refresh | refresh cookie → 200, same body; both cookies rotate"
GRACE = "decisions: for 10 s more the token just replaced gets the same successor (parallel tabs)"
REUSE = "decisions: after that it, like any older one, revokes the whole session; 401 `unauthorized`"
RENEWED = (
    "interface: When the access token has expired (401), POST /api/v1/auth/refresh with the refresh_token cookie "
    "returns a new access_token cookie and the current user info."
)
MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS


class Tab:
    """A browser's tab: it holds one refresh token and one access token."""

    def __init__(self, service: Service, answer: httpx.Response) -> None:
        self._service = service
        jar = {
            name: morsel
            for each in answer.headers.get_list("set-cookie")
            for name, morsel in SimpleCookie(each).items()
        }
        self.access, self.refresh = jar["access_token"].value, jar["refresh_token"].value
        assert jar["session_until"].value == str(end_of(self.access))
        assert jar["session_until"]["max-age"] == jar["refresh_token"]["max-age"]
        self.access_age, self.refresh_age = (int(jar[name]["max-age"]) for name in ("access_token", "refresh_token"))
        self.body = answer.json()

    def try_refresh(self) -> httpx.Response:
        return self._service.client().post("/auth/refresh", headers={"Cookie": f"refresh_token={self.refresh}"})

    def refreshed(self) -> Tab:
        answer = self.try_refresh()
        expect(answer, 200)
        return Tab(self._service, answer)

    def is_signed_in(self) -> bool:
        status = self._service.client(token=self.access).get("/users/me").status_code
        assert status in {200, 401}
        return status == 200


def signed_in(service: Service, person: Person) -> Tab:
    answer = service.client().post("/auth/sign-in", json={"login": person.email, "password": person.password})
    expect(answer, 200)
    return Tab(service, answer)


@pytest.fixture
def standing_service(moving_service: Service) -> Iterator[Service]:
    """A service whose time passes when a test says so, so that a few seconds left are still there."""
    moving_service.clock.stop_at(moving_service.clock())
    yield moving_service
    moving_service.clock.go_on()


@proves(REFRESH, RENEWED)
def test_refreshing_rotates_both_tokens(service: Service) -> None:
    person = service.user()
    first = signed_in(service, person)
    second = first.refreshed()

    assert second.body.keys() == {"user", "access_token", "expires_in"}
    assert second.body["user"]["id"] == person.id
    assert second.body["access_token"] == second.access
    assert second.refresh != first.refresh
    assert second.access != first.access
    assert second.is_signed_in()
    assert second.refreshed().is_signed_in()


@proves(REFRESH)
@ONCE
@pytest.mark.parametrize("cookie", ["", "refresh_token=", "refresh_token=nonsense", "refresh_token=a.b.c", "other=1"])
def test_without_a_good_refresh_token_refreshing_is_401(service: Service, cookie: str) -> None:
    refused(service.client(headers={"Cookie": cookie} if cookie else {}).post("/auth/refresh"), 401, "unauthorized")


@proves(REFRESH)
@ONCE
def test_an_access_token_refreshes_nothing_and_a_refresh_token_opens_nothing(service: Service) -> None:
    tab = signed_in(service, service.user())

    swapped = service.client(headers={"Cookie": f"refresh_token={tab.access}"}).post("/auth/refresh")
    refused(swapped, 401, "unauthorized")
    refused(service.client(token=tab.refresh).get("/users/me"), 401, "unauthorized")
    refused(service.client(token=tab.access).post("/auth/refresh"), 401, "unauthorized")
    assert tab.is_signed_in()


@proves("decisions: Sign-up, sign-in and refresh are of level None.")
@ONCE
def test_refreshing_does_not_mind_an_expired_access_token(moving_service: Service) -> None:
    tab = signed_in(moving_service, moving_service.user())
    moving_service.clock.advance(21 * MINUTE_MS)
    cookies = {"Cookie": f"access_token={tab.access}; refresh_token={tab.refresh}", "Authorization": "Bearer x"}

    expect(moving_service.client(headers=cookies).post("/auth/refresh"), 200)


@proves(GRACE)
def test_within_ten_seconds_a_replaced_token_gets_the_same_successor(standing_service: Service) -> None:
    tab = signed_in(standing_service, standing_service.user())
    once = tab.refreshed()
    standing_service.clock.advance(9_000)
    again = tab.refreshed()

    assert again.refresh == once.refresh
    assert again.is_signed_in()
    assert once.is_signed_in()


@proves(GRACE)
def test_fifty_refreshes_at_once_yield_one_successor(service: Service) -> None:
    tab = signed_in(service, service.user())
    shot = ("POST", "/auth/refresh", {"headers": {"Cookie": f"refresh_token={tab.refresh}"}})
    tabs = [Tab(service, answer) for answer in service.together([shot] * 50) if expect(answer, 200)]

    assert len({each.refresh for each in tabs}) == 1
    assert all(each.is_signed_in() for each in tabs[:5])
    assert tabs[0].refreshed().is_signed_in()


@proves(REUSE)
def test_after_ten_seconds_a_replaced_token_ends_the_session(moving_service: Service) -> None:
    person = moving_service.user()
    tab, elsewhere = signed_in(moving_service, person), signed_in(moving_service, person)
    successor = tab.refreshed()
    moving_service.clock.advance(11_000)

    refused(tab.try_refresh(), 401, "unauthorized")
    refused(successor.try_refresh(), 401, "unauthorized")
    assert not successor.is_signed_in()
    assert not tab.is_signed_in()
    assert elsewhere.is_signed_in()


@proves(REUSE)
def test_a_token_replaced_twice_ends_the_session_at_once(service: Service) -> None:
    tab = signed_in(service, service.user())
    second = tab.refreshed()
    third = second.refreshed()

    refused(tab.try_refresh(), 401, "unauthorized")
    refused(third.try_refresh(), 401, "unauthorized")
    assert not third.is_signed_in()


@proves("interface: | access token TTL | authentication | 20 minutes |", RENEWED)
def test_an_access_token_lives_twenty_minutes(standing_service: Service) -> None:
    person = standing_service.user()
    tab = signed_in(standing_service, person)
    standing_service.clock.advance(20 * MINUTE_MS - 5_000)
    assert tab.is_signed_in()
    standing_service.clock.advance(6_000)
    assert not tab.is_signed_in()
    refused(standing_service.client(token=tab.access).get("/events"), 401, "unauthorized")
    renewed = tab.refreshed()
    assert renewed.is_signed_in()
    assert renewed.body["user"] == expect(standing_service.client(token=renewed.access).get("/users/me"), 200)
    assert renewed.body["user"]["id"] == person.id


@proves(
    "interface: | refresh token TTL | authentication | 72 hours |",
    "decisions: the refresh lifetime stays 72 h from sign-in (a cookie's Max-Age is what is left of its token's life)",
    "decisions: The access token is a JWT that never outlives its session",
)
def test_a_session_ends_72_hours_after_signing_in_however_often_it_was_refreshed(standing_service: Service) -> None:
    tab = signed_in(standing_service, standing_service.user())
    for _ in range(3):
        standing_service.clock.advance(23 * HOUR_MS)
        tab = tab.refreshed()
    assert 3 * 3_600 - 10 <= tab.refresh_age <= 3 * 3_600
    assert tab.access_age == tab.body["expires_in"] == 1_200
    standing_service.clock.advance(3 * HOUR_MS - 10 * MINUTE_MS)
    tab = tab.refreshed()
    assert 590 <= tab.refresh_age <= 600
    assert 590 <= tab.access_age <= 600
    assert 590 <= tab.body["expires_in"] <= 600
    assert tab.is_signed_in()
    standing_service.clock.advance(10 * MINUTE_MS)
    assert not tab.is_signed_in()
    refused(tab.try_refresh(), 401, "unauthorized")


@proves(
    "decisions: DELETE /auth/logout | 200 `{}`; the session dies on the server: its access token is refused from the "
    "next request on; without a session 401",
    "client: Cookies: beside the two, both HttpOnly, a readable `session_until` (Unix seconds of the access token's "
    "end, Max-Age as the refresh cookie's, no secret) is set and cleared with them.",
    "interface: DELETE /api/v1/auth/logout with the access_token cookie invalidates both tokens and clears the "
    "cookies.",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("way", ["header", "cookie"])
def test_signing_out_ends_the_session_and_clears_the_cookies(service: Service, way: str) -> None:
    person = service.user()
    tab, elsewhere = signed_in(service, person), signed_in(service, person)
    by_cookie = {"Cookie": f"access_token={tab.access}"}
    client = service.client(token=tab.access) if way == "header" else service.client(headers=by_cookie)
    answer = client.delete("/auth/logout")

    assert expect(answer, 200) == {}
    cleared = {
        name: morsel for each in answer.headers.get_list("set-cookie") for name, morsel in SimpleCookie(each).items()
    }
    assert {name: (morsel.value, morsel["max-age"], morsel["path"]) for name, morsel in cleared.items()} == {
        "access_token": ("", "0", "/"),
        "refresh_token": ("", "0", "/"),
        "session_until": ("", "0", "/"),
    }
    assert not tab.is_signed_in()
    refused(tab.try_refresh(), 401, "unauthorized")
    refused(client.delete("/auth/logout"), 401, "unauthorized")
    assert elsewhere.is_signed_in()


def cookies_set(answer: httpx.Response) -> dict[str, tuple[str, str, str]]:
    return {
        name: (morsel.value, morsel["max-age"], morsel["path"])
        for each in answer.headers.get_list("set-cookie")
        for name, morsel in SimpleCookie(each).items()
    }


CLEARED = dict.fromkeys(("access_token", "refresh_token", "session_until"), ("", "0", "/"))


@ONCE
def test_a_refused_refresh_clears_the_cookies_that_were_sent(service: Service) -> None:
    tab = signed_in(service, service.user())
    expect(service.client(token=tab.access).delete("/auth/logout"), 200)

    def refresh(**headers: str) -> httpx.Response:
        return service.client(headers=headers).post("/auth/refresh")

    for cookie in (
        f"refresh_token={tab.refresh}",
        "refresh_token=junk",
        f"access_token={tab.access}",
        "session_until=1",
    ):
        answer = refresh(Cookie=cookie)
        refused(answer, 401, "unauthorized")
        assert cookies_set(answer) == CLEARED
    for headers in ({}, {"Cookie": "device=x; other=1"}):
        answer = refresh(**headers)
        refused(answer, 401, "unauthorized")
        assert cookies_set(answer) == {}


@ONCE
def test_no_other_error_clears_cookies(service: Service) -> None:
    tab = signed_in(service, service.user())
    cookie = f"access_token={tab.access}; refresh_token={tab.refresh}"
    foreign = service.client(headers={"Cookie": cookie, "Sec-Fetch-Site": "cross-site"}).post("/auth/refresh")
    refused(foreign, 403, "cross_site")
    unknown = service.client(headers={"Cookie": "access_token=junk; refresh_token=junk"}).get("/users/me")
    refused(unknown, 401, "unauthorized")

    assert cookies_set(foreign) == cookies_set(unknown) == {}
    assert tab.refreshed().is_signed_in()


@proves("decisions: A session, role or key taken away is refused at once by that process")
def test_nothing_is_bet_after_signing_out(service: Service) -> None:
    market = service.event()["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=100)
    expect(person.client.delete("/auth/logout"), 200)

    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
    refused(person.client.post("/market/bets", json=order), 401, "unauthorized")


@proves("decisions: tokens survive a restart and are good on every server of one database.")
def test_tokens_survive_a_restart(fresh_service: Service) -> None:
    tab = signed_in(fresh_service, fresh_service.user())
    fresh_service.restart()

    assert tab.is_signed_in()
    assert tab.refreshed().is_signed_in()


@proves(
    "decisions: tokens survive a restart and are good on every server of one database.",
    "decisions: within 1 s by every other, and at once wherever money would move.",
)
def test_a_session_ended_at_one_server_moves_no_money_at_another(start_service: Callable[..., Service]) -> None:
    one, other = start_service(), start_service()
    market = one.event()["pools"][0]["markets"][0]["id"]
    person = one.user(balance_kopecks=1_000)
    there = other.client(token=person.token)
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
    expect(there.post("/market/bets", json=order), 201)
    expect(person.client.delete("/auth/logout"), 200)

    refused(there.post("/market/bets", json=order), 401, "unauthorized")


@proves("decisions: a password of any length is tried")
def test_signing_in_twice_makes_two_sessions(service: Service) -> None:
    person = service.user()
    one, other = signed_in(service, person), signed_in(service, person)

    assert one.refresh != other.refresh
    expect(service.client(token=one.access).delete("/auth/logout"), 200)
    assert other.is_signed_in()
    assert service.sign_in(person.email, PASSWORD)
