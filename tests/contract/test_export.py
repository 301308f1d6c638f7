"""A site of one's own: all that is kept of a person, as one file."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest

from foreknow.site.own_data import export
from tests.support.kinds import ONCE
from tests.support.lists import twice_split
from tests.support.orders import bet, sell
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, refused
from tests.support.sign_in import make_key, new_link, with_key

EXPORT = "site: GET /users/me/export (Required; no API key) |"
ALL = "site: all that is kept of the caller, one JSON, streamed; no secrets; once an hour (429) |"


def tables_of(person: Person) -> dict[str, list[dict[str, Any]]]:
    tables: dict[str, list[dict[str, Any]]] = expect(person.client.get("/users/me/export"), 200)["tables"]
    return tables


@proves(EXPORT, ALL)
def test_a_person_gets_what_they_wrote_did_and_own(service: Service) -> None:
    person = service.user(creator=True, balance_kopecks=5_000)
    event = service.event()
    market = event["pools"][0]["markets"][0]["id"]
    shares = expect(bet(person, market, "YES", 1_000), 201)["shares"]
    expect(sell(person, market, "YES", shares // 2), 201)
    expect(bet(person, market, "NO", 100), 201)
    expect(sell(person, market, "NO"), 201)
    said = {"event_id": event["id"], "content": "Привет"}
    comment = expect(person.client.post("/comments", json=said), 201)["id"]
    expect(person.client.put(f"/comments/{comment}/reaction", json={"type": "like"}), 200)
    session = expect(person.client.post("/chat/session"), 201)["session_id"]
    expect(person.client.post("/chat/message", json={"text": "Help!"}), 200)
    answer = {"text": "How?"}
    expect(service.admin.post(f"/admin/chat/sessions/{session}/messages", json=answer), 201)
    draft = service.event(person, publish=False, name="Mine")

    tables = tables_of(person)

    (user,) = tables["users"]
    assert (user["email"], user["nickname"]) == (person.email, person.nickname)
    assert user["created_at"].endswith("Z")
    assert tables["balance"] == [{"balance_kopecks": expect(person.client.get("/users/me"), 200)["balance_kopecks"]}]
    assert [row["content"] for row in tables["comments"]] == ["Привет"]
    assert [(row["comment_id"], row["type"]) for row in tables["comment_reactions"]] == [(comment, "like")]
    assert [(row["sender"], row["text"]) for row in tables["chat_messages"]] == [
        ("user", "Help!"),
        ("operator", "How?"),
    ]
    assert [row["action"] for row in tables["trades"]] == ["sell", "buy", "sell", "buy"]
    assert [row["side"] for row in tables["open_positions"]] == ["YES"]
    assert [row["side"] for row in tables["closed_positions"]] == ["NO"]
    assert [(row["amount_kopecks"], row["note"]) for row in tables["credits"]] == [(5_000, "for a test")]
    assert [(row["id"], row["name"]) for row in tables["events"]] == [(draft["id"], "Mine")]
    assert [row["action"] for row in tables["actions_of_admins"]] == ["user.roles", "user.credit"]
    assert "operator_answer" in {row["type"] for row in tables["notifications"]}


@proves(ALL)
def test_what_came_by_splits_of_a_list_is_in_it(service: Service) -> None:
    made = twice_split(service)
    _, _, other, dana, eve = made.market_ids

    tables = tables_of(made.holder)

    opened = {row["market_id"]: (row["shares"], row["cost_kopecks"]) for row in tables["open_positions"]}
    assert opened == made.held
    ids = {row["market_id"]: row["id"] for row in tables["open_positions"]}
    names = ("market_id", "position_id", "new_position_id", "shares", "cost_kopecks", "share_percent")
    assert [tuple(row[name] for name in names) for row in tables["position_splits"]] == [
        (dana, ids[other], ids[dana], *made.held[dana], 25),
        (eve, ids[other], ids[eve], *made.held[eve], 50),
    ]
    assert all(row["created_at"].endswith("Z") for row in tables["position_splits"])
    # A split is no trade.
    assert [row["market_id"] for row in tables["trades"]] == [other, other]
    notices = [row for row in tables["notifications"] if row["type"] == "outcome_added"]
    assert [row["params"]["market_name"] for row in notices] == ["Dana", "Eve"]


@proves(ALL)
def test_no_secret_and_nothing_of_another_person_is_in_it(service: Service) -> None:
    person, other = service.user(balance_kopecks=10), service.user(balance_kopecks=10)
    key = make_key(person.client)["key"]
    new_link(service, person.id)
    answer = person.client.get("/users/me/export")

    assert answer.headers["content-type"] == "application/json"
    assert answer.headers["cache-control"] == "no-store"
    for secret in (PASSWORD, key, person.token, "argon2", "_hash", other.email, other.nickname):
        assert secret not in answer.text
    assert [row["name"] for row in json.loads(answer.text)["tables"]["user_keys"]] == ["Price bot"]


@proves(ALL)
def test_many_rows_come_in_pages(service: Service, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(export, "PAGE_ROWS", 2)
    person = service.user(balance_kopecks=10_000)
    service.credit(person.id, 5)
    event = service.event()
    market = event["pools"][0]["markets"][0]["id"]
    for number in range(4):
        expect(bet(person, market, "YES", 100), 201)
        expect(sell(person, market, "YES"), 201)
        expect(person.client.post("/comments", json={"event_id": event["id"], "content": f"No. {number}"}), 201)

    tables = tables_of(person)

    assert [row["content"] for row in tables["comments"]] == ["No. 0", "No. 1", "No. 2", "No. 3"]
    assert len({row["id"] for row in tables["trades"]}) == len(tables["trades"]) == 8
    assert len({row["id"] for row in tables["closed_positions"]}) == len(tables["closed_positions"]) == 4
    assert [row["amount_kopecks"] for row in tables["credits"]] == [5, 10_000]


@proves(ALL)
def test_it_comes_once_an_hour(moving_service: Service) -> None:
    service = moving_service
    person, other = service.user(), service.user()
    # HEAD brings nothing, so it takes no turn.
    assert [person.client.head("/users/me/export").status_code for _ in range(2)] == [200, 200]
    tables_of(person)
    again = person.client.get("/users/me/export")
    assert refused(again, 429, "rate_limited")
    assert person.client.head("/users/me/export").status_code == 429
    assert 3_500 < int(again.headers["Retry-After"]) <= 3_600
    tables_of(other)

    service.clock.advance(3_600_000)
    token = service.sign_in(person.email, PASSWORD)
    assert service.client(token=token).get("/users/me/export").status_code == 200


@proves(ALL)
def test_of_several_at_once_one_comes(service: Service) -> None:
    person = service.user()
    shots: list[Any] = [("GET", "/users/me/export", {})] * 5

    answers = service.together(shots, tokens=[person.token])

    assert sorted(answer.status_code for answer in answers) == [200, 429, 429, 429, 429]


@proves(EXPORT)
@ONCE
def test_it_takes_a_session(service: Service) -> None:
    person = service.user()
    refused(service.client().get("/users/me/export"), 401, "unauthorized")
    refused(with_key(service, person, scope="read").get("/users/me/export"), 403, "forbidden")
    tables_of(person)


@proves(EXPORT)
def test_a_session_that_ended_at_another_server_gets_nothing(start_service: Callable[..., Service]) -> None:
    one, other = start_service(), start_service()
    person = one.user()
    there = other.client(token=person.token)
    expect(there.get("/users/me"), 200)

    expect(person.client.delete("/auth/logout"), 200)

    refused(there.get("/users/me/export"), 401, "unauthorized")
