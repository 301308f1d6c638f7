"""Finding people, entries of the log, movements of money and rates; the last days of the statistics."""

from __future__ import annotations

import secrets
from typing import Any

import pytest

from foreknow.people.users import store
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

Row = dict[str, Any]


def pages(service: Service, path: str, name: str, **query: Any) -> list[Row]:
    """Return all rows of a list, page after page."""
    rows: list[Row] = []
    cursor: str | None = None
    while True:
        page = expect(service.admin.get(path, params=query | ({} if cursor is None else {"cursor": cursor})), 200)
        assert page.keys() == {name, "next_cursor", "has_more"}
        rows += page[name]
        cursor = page["next_cursor"]
        assert page["has_more"] == (cursor is not None)
        if cursor is None:
            return rows


def people(service: Service, **query: Any) -> list[int]:
    """Return the ids of the people found."""
    return [row["id"] for row in pages(service, "/admin/users", "users", **query)]


@proves("client: `/admin/users?q=&role=`")
def test_people_are_found_by_parts_of_their_names_and_addresses(service: Service) -> None:
    mark = secrets.token_hex(6)
    ann = service.user(name=f"Ёлка {mark} Ann", nickname=f"n_{mark}")
    bob = service.user(name="Bob", email=f"BOB.{mark}@example.org")
    service.user(name="Eve")
    partner = service.partner(float_kopecks=1_000)
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    body = {"external_user_id": mark, "market_id": market_id, "side": "yes", "stake_kopecks": 100}
    expect(partner.client.post("/partner/bets", json=body), 201)

    assert people(service, q=mark) == [bob.id, ann.id]
    assert people(service, q=f"ёЛКА {mark}") == people(service, q=f"елка {mark}") == [ann.id]
    assert people(service, q=f"bob.{mark.upper()}@") == [bob.id]
    assert people(service, q=f"N_{mark}") == [ann.id]
    assert ann.id in people(service, q=str(ann.id))
    assert people(service, q=mark * 2) == []
    (row,) = pages(service, "/admin/users", "users", q=f"n_{mark}")
    newest = expect(service.admin.get("/admin/users?limit=100"), 200)["users"]
    assert row == next(one for one in newest if one["id"] == ann.id)
    for wildcard in ("%", "_" * 3 + mark, "*"):
        assert people(service, q=f"{wildcard}{mark}{wildcard}") == []


def test_people_are_found_by_their_role(service: Service) -> None:
    mark = secrets.token_hex(6)
    made = {
        role: service.user(name=f"{mark} {role}", **{role: True}).id
        for role in ("creator", "admin", "stats_viewer", "operator")
    }
    for role, user_id in made.items():
        assert people(service, q=mark, role=role) == [user_id]
        assert user_id in people(service, role=role, limit=100)
    for query in ("role=", "role=trader", "role=Admin"):
        refused(service.admin.get(f"/admin/users?{query}"), 400, "bad_request")


def test_every_match_is_shown_once_however_few_a_page_looks_at(
    fresh_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [fresh_service.user(name=f"{'Match' if number % 3 else 'Other'} {number}").id for number in range(9)]
    wanted = [user_id for number, user_id in enumerate(made) if number % 3][::-1]
    for looked_at in (1, 3, 20_000):
        monkeypatch.setattr(store, "SEARCHED_MAX", looked_at)
        assert people(fresh_service, q="match", limit=2) == wanted
        assert people(fresh_service, q="match", limit=6) == wanted
        page = expect(fresh_service.admin.get("/admin/users?q=match&limit=1"), 200)
        for other in ("q=other", "q=match&role=admin", ""):
            path = f"/admin/users?{other}&cursor={page['next_cursor']}"
            refused(fresh_service.admin.get(path), 400, "invalid_cursor")


@proves("client: `/admin/log?action=&target=`")
def test_the_log_shows_entries_of_one_action_or_target(service: Service) -> None:
    ann, bob = service.user(), service.user()
    for person in (ann, bob):
        service.credit(person.id, 100)
        expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_creator": True}), 200)

    def logged(**query: str) -> list[tuple[str, str]]:
        return [(row["action"], row["target"]) for row in pages(service, "/admin/log", "entries", limit=1, **query)]

    target = f"user:{ann.id}"
    assert logged(target=target) == [("user.roles", target), ("user.credit", target)]
    assert logged(target=target, action="user.credit") == [("user.credit", target)]
    assert logged(target=target, action="user.nothing") == logged(target="user:0") == logged(action="%") == []
    page = expect(service.admin.get("/admin/log?action=user.credit&limit=2"), 200)
    assert [row["target"] for row in page["entries"]][:1] == [f"user:{bob.id}"]
    assert {row["action"] for row in page["entries"]} == {"user.credit"}
    for other in ("", "action=user.roles", "target=user.credit"):
        refused(service.admin.get(f"/admin/log?{other}&cursor={page['next_cursor']}"), 400, "invalid_cursor")


@proves("client: `/admin/partners/{name}/transactions` as a partner's")
def test_an_admin_sees_a_partners_movements_as_the_partner_does(service: Service) -> None:
    partner, other = service.partner(float_kopecks=5_000), service.partner(float_kopecks=7)
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    body = {"external_user_id": "x", "market_id": market_id, "side": "yes", "stake_kopecks": 100}
    expect(partner.client.post("/partner/bets", json=body), 201)
    path = f"/admin/partners/{partner.name}/transactions"

    own = expect(partner.client.get("/partner/transactions"), 200)
    assert expect(service.admin.get(path), 200) == own
    assert [row["type"] for row in own["transactions"]] == ["bet", "deposit"]
    assert pages(service, path, "transactions", limit=1) == own["transactions"]

    cursor = expect(service.admin.get(f"{path}?limit=1"), 200)["next_cursor"]
    refused(service.admin.get(f"/admin/partners/{other.name}/transactions?cursor={cursor}"), 400, "invalid_cursor")
    refused(service.admin.get("/admin/partners/no-one/transactions"), 404, "partner_not_found")
    refused(service.client().get(path), 401, "unauthorized")
    refused(service.user(operator=True).client.get(path), 403, "forbidden")


@proves("client: `/admin/users/{id}/transactions` as [9]")
def test_an_admin_sees_a_users_movements_as_the_user_does(service: Service) -> None:
    person = service.user(balance_kopecks=5_000)
    market_id = service.event()["pools"][0]["markets"][0]["id"]
    body = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    expect(person.client.post("/market/bets", json=body), 201)
    path = f"/admin/users/{person.id}/transactions"

    own = expect(person.client.get("/users/me/transactions"), 200)
    assert expect(service.admin.get(path), 200) == own
    assert pages(service, path, "transactions", limit=1) == own["transactions"]
    assert sum(row["change_kopecks"] for row in own["transactions"]) == 4_900

    refused(service.admin.get(f"/admin/users/{2**60}/transactions"), 404, "user_not_found")
    refused(service.admin.get("/admin/users/0/transactions"), 400, "invalid_user_id")
    refused(service.client().get(path), 401, "unauthorized")
    refused(person.client.get(path), 403, "forbidden")


@proves("client: `/admin/currency-rates`")
def test_rates_are_listed_as_they_were_given(fresh_service: Service) -> None:
    admin = fresh_service.admin
    assert pages(fresh_service, "/admin/currency-rates", "rates") == []
    for source, target, rate in (("USD", "RUB", 80.5), ("eur", "usd", 1.25), ("KZT", "RUB", 0.17)):
        expect(admin.put("/admin/currency-rates", json={"from": source, "to": target, "rate": rate}), 200)

    rates = pages(fresh_service, "/admin/currency-rates", "rates", limit=2)
    assert rates == pages(fresh_service, "/admin/currency-rates", "rates")
    assert [(row["from"], row["to"], row["rate"], row["source"]) for row in rates] == [
        ("EUR", "USD", 1.25, ""),
        ("KZT", "RUB", 0.17, ""),
        ("USD", "RUB", 80.5, ""),
    ]
    assert all(row["updated_at"].endswith("Z") for row in rates)
    refused(fresh_service.client().get("/admin/currency-rates"), 401, "unauthorized")
    refused(fresh_service.user(operator=True).client.get("/admin/currency-rates"), 403, "forbidden")


@proves("client: | 17 | admin | `/admin/stats?days=1…366`")
def test_the_last_days_of_the_statistics_are_shown(fresh_service: Service) -> None:
    fresh_service.user()
    fresh_service.clock.advance(3 * 86_400_000)
    viewer = fresh_service.user(stats_viewer=True).client
    whole = expect(viewer.get("/admin/stats"), 200)
    assert len(whole["days"]) == 4
    for days in (1, 3, 366):
        assert expect(viewer.get(f"/admin/stats?days={days}"), 200) == {**whole, "days": whole["days"][:days]}
    for wrong in ("0", "367", "01", "x", "1.0", ""):
        refused(viewer.get(f"/admin/stats?days={wrong}"), 400, "bad_request")
