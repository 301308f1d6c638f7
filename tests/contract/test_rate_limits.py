"""Decisions: statuses, codes and limits of rates, over real HTTP."""

from __future__ import annotations

import asyncio
import contextlib
import re
from collections.abc import Callable

import httpx
import pytest
from websockets.asyncio.client import connect
from websockets.exceptions import InvalidStatus

from tests.support.kinds import ONCE
from tests.support.pictures import image
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused
from tests.support.waiting import wait_until

# Each process counts for itself, in its memory.
pytestmark = ONCE

LIMITED = "decisions: 429 with `Retry-After`"
GENEROUS = "decisions: all else generously (a bot's hundreds of orders a second from one account pass)"
OFF = "decisions: `FOREKNOW_RATE_LIMITS=off` switches them off, for load tests."

StartService = Callable[..., Service]


def check_limited(answer: httpx.Response, group: str, code: str = "rate_limited") -> None:
    refused(answer, 429, code)
    assert 1 <= int(answer.headers["retry-after"]) <= 3_600
    assert re.fullmatch(rf'"{group}";r=0;t=\d+', answer.headers["ratelimit"])
    assert re.fullmatch(rf'"{group}";q=\d+;w=\d+', answer.headers["ratelimit-policy"])


@proves(LIMITED, "decisions: `rate_limited`")
def test_each_account_has_a_limit_of_its_own(start_service: StartService) -> None:
    service = start_service(rate_limits="on", limit_reads="1/h burst 2")
    one, other = service.user(), service.user()
    answers = [one.client.get("/users/me") for _ in range(3)]

    assert [answer.status_code for answer in answers] == [200, 200, 429]
    # Sent once less than half a burst is left.
    assert ["ratelimit" in answer.headers for answer in answers] == [False, True, True]
    assert answers[1].headers["ratelimit"].startswith('"reads";r=0;t=')
    check_limited(answers[-1], "reads")
    expect(other.client.get("/users/me"), 200)
    refused(one.client.post("/market/bets", json={}), 400, "bad_request")


@proves(LIMITED, GENEROUS)
def test_who_causes_too_much_work_waits_and_still_trades(start_service: StartService) -> None:
    service = start_service(rate_limits="on", limit_work="1/h burst 1")
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    one, other = service.user(balance_kopecks=1_000), service.user()
    expect(one.client.post("/users/me/keys", json={"name": "bot", "scope": "read"}), 201)

    answer = one.client.get("/users/me")
    refused(answer, 429, "rate_limited")
    assert int(answer.headers["retry-after"]) > 3_600
    bet = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 1_000}
    expect(one.client.post("/market/bets", json=bet), 201)
    expect(other.client.get("/users/me"), 200)


@proves(LIMITED, "decisions: except partner endpoints (UPPER_SNAKE")
def test_a_partner_gets_codes_in_upper_case(start_service: StartService) -> None:
    service = start_service(rate_limits="on", limit_reads="1/h burst 1")
    partner = service.partner()
    answers = [partner.client.get("/partner/balance") for _ in range(11)]

    assert [answer.status_code for answer in answers] == [200] * 10 + [429]
    check_limited(answers[-1], "reads", "RATE_LIMITED")


@proves(LIMITED)
def test_calling_an_operator_has_a_limit_of_its_own(start_service: StartService) -> None:
    service = start_service(rate_limits="on", limit_call_operator="1/h burst 1")
    client = service.client()
    expect(client.post("/chat/session"), 201)
    expect(client.post("/chat/session/call-operator"), 200)

    check_limited(client.post("/chat/session/call-operator"), "call-operator")
    expect(client.post("/chat/message", json={"text": "Is an operator there?"}), 200)


@proves(LIMITED)
def test_groups_are_counted_apart_and_what_watches_the_service_is_free(start_service: StartService) -> None:
    service = start_service(rate_limits="on", limit_reads="1/h burst 1", limit_chat="1/h burst 1")
    client = service.client()
    expect(client.get("/events"), 200)
    check_limited(client.get("/events"), "reads")
    expect(client.post("/chat/session"), 201)
    check_limited(client.post("/chat/session"), "chat")

    for _ in range(20):
        expect(client.get("/health"), 200)
        expect(client.get("/ready"), 200)
    assert "ratelimit" not in client.get("/health").headers


@proves(LIMITED)
def test_signing_in_is_limited_by_address_and_so_is_guessing(start_service: StartService) -> None:
    service = start_service(rate_limits="on", limit_sign_in="1/h burst 2", limit_writes="1/h burst 2")
    client = service.client()
    for _ in range(2):
        refused(client.post("/auth/refresh"), 401, "unauthorized")
    check_limited(client.post("/auth/refresh"), "sign-in")
    check_limited(client.post("/auth/sign-in", json={"login": "x", "password": "y"}), "sign-in")

    guessing = service.client(token="nonsense")
    for _ in range(2):
        refused(guessing.post("/notifications/read", json={}), 401, "unauthorized")
    check_limited(guessing.post("/notifications/read", json={}), "writes")


@proves(LIMITED)
def test_sign_ups_have_a_budget_an_address_and_avatars_an_account_and_an_address(start_service: StartService) -> None:
    service = start_service(rate_limits="on", limit_sign_up="1/h burst 7", limit_avatars="1/h burst 1")
    people = [service.user() for _ in range(6)]
    body = {"email": "late@example.org", "password": PASSWORD, "name": "Late"}
    expect(service.client().post("/auth/sign-up", json=body), 201)
    check_limited(service.client().post("/auth/sign-up", json=body | {"email": "later@example.org"}), "sign-up")
    expect(service.client().post("/auth/sign-in", json={"login": people[0].email, "password": PASSWORD}), 200)

    answers = [person.client.put("/users/me/avatar", content=image()) for person in people]
    assert [answer.status_code for answer in answers] == [200] * 5 + [429]
    check_limited(people[0].client.put("/users/me/avatar", content=image()), "avatars")
    check_limited(answers[-1], "avatars")


@proves(GENEROUS)
def test_a_class_behind_one_address_signs_up_and_chooses_pictures(start_service: StartService) -> None:
    """And with what is set from the start."""
    service = start_service(rate_limits="on")
    for person in [service.user() for _ in range(30)]:
        for _ in range(3):
            # Too small to be drawn, but counted like any.
            refused(person.client.put("/users/me/avatar", content=b""), 400, "invalid_image")


@proves(LIMITED)
def test_only_a_trusted_proxy_may_say_who_the_client_is(start_service: StartService) -> None:
    service = start_service(rate_limits="on", limit_reads="1/h burst 1", trusted_proxies="127.0.0.1")
    by_proxy = [service.client(headers={"X-Forwarded-For": f"1.2.3.4, 203.0.113.{n}"}) for n in (1, 2, 2)]
    assert [client.get("/events").status_code for client in by_proxy] == [200, 200, 429]


@proves(LIMITED)
def test_without_trusted_proxies_no_client_changes_its_address(start_service: StartService) -> None:
    service = start_service(rate_limits="on", limit_reads="1/h burst 1")
    claiming = [service.client(headers={"X-Forwarded-For": f"203.0.113.{n}"}) for n in (1, 2)]
    assert [client.get("/events").status_code for client in claiming] == [200, 429]


@proves(GENEROUS)
def test_a_bot_sends_hundreds_of_orders_at_once(start_service: StartService) -> None:
    service = start_service(rate_limits="on")
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    bot = service.user(balance_kopecks=1_000_000)
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    answers = service.together([("POST", "/market/bets", {"json": order})] * 500, tokens=[bot.token])

    assert {answer.status_code for answer in answers} == {201}


@proves(OFF)
def test_switched_off_nothing_is_limited_and_no_header_says_so(start_service: StartService) -> None:
    service = start_service(rate_limits="off", limit_reads="1/h burst 1", limit_sockets="1/h burst 1")
    client = service.client()
    answers = [client.get("/events") for _ in range(5)]

    assert {answer.status_code for answer in answers} == {200}
    assert not any("ratelimit" in answer.headers for answer in answers)


@proves(LIMITED)
@pytest.mark.parametrize("settings", [{"limit_sockets": "1/h burst 3"}, {"sockets_per_address": 3}])
def test_an_address_opens_a_limited_number_of_sockets(start_service: StartService, settings: dict[str, object]) -> None:
    service = start_service(rate_limits="on", **settings)
    url = service.api_url.replace("http", "ws", 1) + "/ws/trades"

    async def run() -> None:
        async with contextlib.AsyncExitStack() as stack:
            for _ in range(3):
                await stack.enter_async_context(connect(url, proxy=None))
            with pytest.raises(InvalidStatus) as error:
                await stack.enter_async_context(connect(url, proxy=None))
        response = error.value.response
        assert response.status_code == 429
        assert int(response.headers["retry-after"]) >= 1
        assert b"rate_limited" in (response.body or b"")
        if "sockets_per_address" in settings:
            # Those that were closed count no more.
            await asyncio.to_thread(wait_until, lambda: service.app.ingress.sockets.open == 0)
            async with connect(url, proxy=None):
                pass

    asyncio.run(run())


@proves(LIMITED)
def test_event_streams_count_as_open(start_service: StartService) -> None:
    service = start_service(rate_limits="on", sockets_per_address=1)
    client = service.client()
    expect(client.post("/chat/session"), 201)
    with client.stream("GET", "/chat/stream") as stream:
        assert stream.status_code == 200
        answer = client.get("/chat/stream")
        refused(answer, 429, "rate_limited")
        assert int(answer.headers["retry-after"]) >= 1
