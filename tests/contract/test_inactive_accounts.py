"""Closing an account and opening it again, by an admin."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, refused
from tests.support.sign_in import elsewhere, new_link, reset, try_sign_in

INACTIVE = (
    "decisions: one that is not active has no session, signs in as nobody (401 `invalid_credentials`), moves nothing, "
    "and is settled all the same"
)


def set_active(service: Service, person: Person, value: bool) -> Any:
    return expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_active": value}), 200)


@proves(INACTIVE)
def test_an_account_that_is_not_active_is_out_at_once_until_it_is_again(service: Service) -> None:
    market = service.event()["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=1_000)
    other = elsewhere(service, person)
    bet = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}

    assert set_active(service, person, value=False)["is_active"] is False

    for client in (person.client, other):
        refused(client.get("/users/me"), 401, "unauthorized")
        refused(client.post("/market/bets", json=bet), 401, "unauthorized")
    for login in (person.email, person.nickname):
        refused(try_sign_in(service, login, PASSWORD), 401, "invalid_credentials")
    (shown,) = expect(service.admin.get("/admin/users?limit=1"), 200)["users"]
    assert (shown["id"], shown["is_active"], shown["balance_kopecks"]) == (person.id, False, 1_000)

    assert set_active(service, person, value=True)["is_active"] is True

    refused(person.client.get("/users/me"), 401, "unauthorized")
    again = elsewhere(service, person)
    expect(again.post("/market/bets", json=bet), 201)
    assert "is_active" not in expect(again.get("/users/me"), 200)


@proves(INACTIVE)
def test_an_account_that_is_not_active_refreshes_nothing(service: Service) -> None:
    person = service.user()
    browser = service.client()
    expect(browser.post("/auth/sign-in", json={"login": person.email, "password": PASSWORD}), 200)
    set_active(service, person, value=False)
    refused(browser.post("/auth/refresh"), 401, "unauthorized")
    set_active(service, person, value=True)
    refused(browser.post("/auth/refresh"), 401, "unauthorized")


@proves(INACTIVE)
def test_an_account_that_is_not_active_is_not_reset(service: Service) -> None:
    person = service.user()
    token = new_link(service, person.id)
    set_active(service, person, value=False)

    refused(service.admin.post(f"/admin/users/{person.id}/reset-link"), 409, "invalid_state")
    refused(reset(service, token), 400, "invalid_token")
    set_active(service, person, value=True)
    refused(reset(service, token), 400, "invalid_token")
    expect(try_sign_in(service, person.email, PASSWORD), 200)


@proves(INACTIVE)
def test_positions_of_an_account_that_is_not_active_are_settled(service: Service) -> None:
    pool = service.event()["pools"][0]
    person = service.user(balance_kopecks=1_000)
    bet = {"market_id": pool["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 1_000}
    shares = expect(person.client.post("/market/bets", json=bet), 201)["shares"]
    set_active(service, person, value=False)

    expect(service.creator.client.post(f"/pools/{pool['id']}/resolve", json={"won_side": 0}), 200)

    (shown,) = expect(service.admin.get("/admin/users?limit=1"), 200)["users"]
    assert (shown["id"], shown["balance_kopecks"]) == (person.id, shares)


@proves(INACTIVE, "decisions: Every admin action is logged for good: GET /admin/log")
@ONCE
def test_closing_and_opening_stand_in_the_log(service: Service) -> None:
    person = service.user()
    set_active(service, person, value=False)
    set_active(service, person, value=True)
    entries = expect(service.admin.get("/admin/log?limit=2"), 200)["entries"]
    assert [(entry["action"], entry["target"]) for entry in entries] == [
        ("user.activate", f"user:{person.id}"),
        ("user.deactivate", f"user:{person.id}"),
    ]


@proves(INACTIVE, "decisions: within 1 s by every other, and at once wherever money would move.")
def test_closed_at_one_server_it_moves_nothing_at_another(start_service: Callable[..., Service]) -> None:
    one, other = start_service(), start_service()
    market = one.event()["pools"][0]["markets"][0]["id"]
    person = one.user(balance_kopecks=1_000)
    there = other.client(token=person.token)
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 100}
    expect(there.post("/market/bets", json=order), 201)

    set_active(one, person, value=False)

    refused(there.post("/market/bets", json=order), 401, "unauthorized")
    refused(try_sign_in(other, person.email, PASSWORD), 401, "invalid_credentials")
