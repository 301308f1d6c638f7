"""Administration of users over HTTP."""

from __future__ import annotations

import secrets
from typing import Any

import httpx
import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

ROLES = ("is_creator", "is_admin", "is_stats_viewer", "is_operator")


def listed(client: httpx.Client) -> Any:
    """Matches a person with an active account in the admins' list."""
    return me(client) | {"is_active": True}


def me(client: httpx.Client) -> Any:
    return expect(client.get("/users/me"), 200)


def credit(service: Service, user_id: int, amount_kopecks: object, **rest: Any) -> httpx.Response:
    body = {"amount_kopecks": amount_kopecks, "note": "for a test"}
    return service.admin.post(f"/admin/users/{user_id}/credit", **{"json": body, **rest})


@proves("decisions: not 0; negative takes back, over the balance 409 `insufficient_funds`")
def test_money_is_given_and_taken_back(service: Service) -> None:
    person = service.user()

    given = expect(credit(service, person.id, 500), 201)
    taken = expect(credit(service, person.id, -200), 201)

    assert given == {"user_id": person.id, "amount_kopecks": 500, "balance_kopecks": 500}
    assert taken == {"user_id": person.id, "amount_kopecks": -200, "balance_kopecks": 300}
    over = refused(credit(service, person.id, -301), 409, "insufficient_funds")
    assert over["details"] == {"required": 301, "available": 300}
    refused(credit(service, person.id, 9 * 10**15), 409, "balance_limit")
    assert me(person.client)["balance_kopecks"] == 300


@ONCE
@pytest.mark.parametrize("amount", [0, 1.0, "1", True, None, 9 * 10**15 + 1, -(9 * 10**15) - 1])
def test_a_credit_wants_an_amount_other_than_0(service: Service, amount: object) -> None:
    refused(credit(service, service.user().id, amount), 400, "bad_request")


@ONCE
def test_a_credits_note_has_at_most_500_characters(service: Service) -> None:
    person = service.user()
    # 500 after normalisation: each pair becomes one character.
    for note in ("", "x" * 500, "e\u0301" * 500):
        expect(credit(service, person.id, 1, json={"amount_kopecks": 1, "note": note}), 201)
    refused(credit(service, person.id, 1, json={"amount_kopecks": 1, "note": "x" * 501}), 400, "bad_request")
    refused(credit(service, person.id, 1, json={"amount_kopecks": 1, "note": "x", "more": 1}), 400, "bad_request")


def test_a_credit_under_one_key_is_given_once(service: Service) -> None:
    person = service.user()
    headers = {"Idempotency-Key": secrets.token_hex(8)}

    first, again = credit(service, person.id, 5, headers=headers), credit(service, person.id, 5, headers=headers)

    assert expect(first, 201) == expect(again, 201)
    assert again.headers["idempotency-replayed"] == "true"
    # The idempotency key is checked before the fields.
    for amount in (6, 0):
        refused(credit(service, person.id, amount, headers=headers), 422, "idempotency_key_reused")
    refused(credit(service, person.id, 5, headers={"Idempotency-Key": "no spaces"}), 400, "invalid_idempotency_key")
    assert me(person.client)["balance_kopecks"] == 5


def test_copies_of_a_credit_at_the_same_moment_give_once(service: Service) -> None:
    person = service.user()
    body = {"amount_kopecks": 5, "note": ""}
    headers = {"Idempotency-Key": secrets.token_hex(8), "Authorization": service.admin.headers["Authorization"]}
    shot = ("POST", f"/admin/users/{person.id}/credit", {"json": body, "headers": headers})

    answers = service.together([shot] * 12)

    assert {answer.text for answer in answers} == {answers[0].text}
    assert sorted(answer.headers.get("idempotency-replayed", "") for answer in answers) == ["", *["true"] * 11]
    assert me(person.client)["balance_kopecks"] == 5


def test_unknown_users_are_not_found(service: Service) -> None:
    refused(credit(service, 2**62, 1), 404, "user_not_found")
    refused(service.admin.patch(f"/admin/users/{2**62}", json={"is_admin": True}), 404, "user_not_found")
    for wrong in ("0", "x", "01", "9223372036854775808", "%FF"):
        refused(service.admin.patch(f"/admin/users/{wrong}", json={}), 400, "invalid_user_id")
        refused(service.admin.post(f"/admin/users/{wrong}/credit", json={}), 400, "invalid_user_id")


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("role", ROLES)
def test_a_role_is_given_and_taken_at_once(service: Service, role: str) -> None:
    person = service.user()
    expected = me(person.client)

    for value in (True, False):
        shown = expect(service.admin.patch(f"/admin/users/{person.id}", json={role: value}), 200)
        expected[role] = value
        assert shown == expected | {"is_active": True}
        assert me(person.client) == expected


def test_a_role_taken_away_is_refused_from_the_next_request_on(service: Service) -> None:
    helper = service.user(admin=True)
    expect(helper.client.get("/admin/users"), 200)

    expect(service.admin.patch(f"/admin/users/{helper.id}", json={"is_admin": False}), 200)

    refused(helper.client.get("/admin/users"), 403, "forbidden")


def test_changing_nothing_changes_nothing(service: Service) -> None:
    person = service.user(operator=True)
    before = listed(person.client)
    entries = expect(service.admin.get("/admin/log", params={"limit": 1}), 200)["entries"]

    assert expect(service.admin.patch(f"/admin/users/{person.id}", json={}), 200) == before
    assert expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_operator": None}), 200) == before

    assert expect(service.admin.get("/admin/log", params={"limit": 1}), 200)["entries"] == entries
    bodies: list[Any] = [{"is_admin": 1}, {"is_admin": "true"}, {"name": ""}, [], {"email": "x@example.org"}]
    for wrong in bodies:
        refused(service.admin.patch(f"/admin/users/{person.id}", json=wrong), 400, "bad_request")


def test_people_are_listed_newest_first_page_by_page(service: Service) -> None:
    people = [service.user(balance_kopecks=number) for number in (1, 2, 3)]
    first = expect(service.admin.get("/admin/users", params={"limit": 2}), 200)
    service.user()
    second = expect(service.admin.get("/admin/users", params={"limit": 2, "cursor": first["next_cursor"]}), 200)

    assert first.keys() == {"users", "next_cursor", "has_more"}
    shown = [*first["users"], *second["users"]][:3]
    assert shown == [listed(person.client) for person in reversed(people)]
    # A cursor is its caller's own.
    other = service.user(admin=True).client
    refused(other.get("/admin/users", params={"cursor": first["next_cursor"]}), 400, "invalid_cursor")


@ONCE
def test_only_admins_see_and_run_users(service: Service) -> None:
    person = service.user()
    everything_else = service.user(creator=True, operator=True, stats_viewer=True).client
    requests: list[tuple[str, str, Any]] = [
        ("GET", "/admin/users", {}),
        ("GET", "/admin/log", {}),
        ("PATCH", f"/admin/users/{person.id}", {"json": {"is_admin": True}}),
        ("POST", f"/admin/users/{person.id}/credit", {"json": {"amount_kopecks": 1, "note": ""}}),
    ]
    for method, path, rest in requests:
        refused(service.client().request(method, path, **rest), 401, "unauthorized")
        refused(everything_else.request(method, path, **rest), 403, "forbidden")
        refused(person.client.request(method, path, **rest), 403, "forbidden")
