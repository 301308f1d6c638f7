"""Users' own API keys."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.people.users.tables import sessions, user_keys
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Service, expect, refused
from tests.support.sign_in import make_key as make
from tests.support.sign_in import with_key


@proves(
    'bots: POST /users/me/keys `{name (1–100), scope: "read"|"trade"}` → 201 `{id, name, scope, key, '
    "created_at}` (shown once, stored hashed;",
    "bots: GET /users/me/keys: `{keys: [{id, name, scope, created_at, last_used_at}]}`.",
    "bots: DELETE /users/me/keys/{id} → 200 `{}` (404 `key_not_found`).",
)
def test_a_key_is_made_listed_used_and_deleted(service: Service) -> None:
    person, other = service.user(), service.user()
    assert expect(person.client.get("/users/me/keys"), 200) == {"keys": []}
    first, second = make(person.client, name="Price bot"), make(person.client, scope="read", name="x" * 100)
    assert first.keys() == {"id", "name", "scope", "key", "created_at"}
    listed = expect(person.client.get("/users/me/keys"), 200)["keys"]
    assert listed[0] == {
        "id": first["id"],
        "name": "Price bot",
        "scope": "trade",
        "created_at": first["created_at"],
        "last_used_at": None,
    }
    assert [key["id"] for key in listed] == [first["id"], second["id"]]
    stored = service.look(lambda tx: tx.execute(sa.select(user_keys.c.key_hash)).scalars().all())
    assert not {first["key"], second["key"]} & set(stored)

    bot = service.client(first["key"])
    assert expect(bot.get("/users/me"), 200)["id"] == person.id
    refused(other.client.delete(f"/users/me/keys/{first['id']}"), 404, "key_not_found")
    assert expect(person.client.delete(f"/users/me/keys/{first['id']}"), 200) == {}
    refused(bot.get("/users/me"), 401, "unauthorized")
    refused(person.client.delete(f"/users/me/keys/{first['id']}"), 404, "key_not_found")
    refused(person.client.delete("/users/me/keys/0"), 400, "invalid_key_id")
    assert [key["id"] for key in expect(person.client.get("/users/me/keys"), 200)["keys"]] == [second["id"]]


@ONCE
@pytest.mark.parametrize(
    "body",
    [
        {"name": "", "scope": "read"},
        {"name": " ", "scope": "read"},
        {"name": "x" * 101, "scope": "read"},
        {"name": "x", "scope": "admin"},
        {"name": "x"},
        {"scope": "read"},
        {"name": "x", "scope": "read", "id": 1},
    ],
)
def test_a_wrong_order_names_its_field(service: Service, body: dict[str, Any]) -> None:
    refused(service.user().client.post("/users/me/keys", json=body), 400, "bad_request")


@proves("bots: at most 20 live: 409 `too_many_keys`).")
def test_at_most_twenty_are_live_however_many_are_made_at_once(service: Service) -> None:
    person = service.user()

    def one(number: int) -> int:
        body = {"name": f"No. {number}", "scope": "read"}
        return person.client.post("/users/me/keys", json=body).status_code

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        statuses = list(pool.map(one, range(24)))
    assert sorted(statuses) == [201] * 20 + [409] * 4
    answer = person.client.post("/users/me/keys", json={"name": "one more", "scope": "read"})
    refused(answer, 409, "too_many_keys")
    (oldest, *_) = expect(person.client.get("/users/me/keys"), 200)["keys"]
    expect(person.client.delete(f"/users/me/keys/{oldest['id']}"), 200)
    make(person.client)
    # Keys that have ended are no rows for ever.
    kept = sa.select(sa.func.count()).select_from(user_keys).where(user_keys.c.user_id == person.id)
    rows = sa.select(sa.func.count()).select_from(sessions).where(sessions.c.user_id == person.id)
    assert service.look(lambda tx: (tx.execute(kept).scalar(), tx.execute(rows).scalar())) == (20, 21)


@proves(
    "bots: The key is sent as a Bearer token; it acts as its user without any role, `read` on what only reads, "
    "`trade` on market endpoints too, on nothing of the account (keys, password, profile): 403 `forbidden`."
)
@ONCE
def test_a_key_reads_and_trades_and_does_nothing_of_the_account(service: Service) -> None:
    person = service.user(creator=True, admin=True, stats_viewer=True, operator=True, balance_kopecks=10_000)
    event = service.event(person)
    market = event["pools"][0]["markets"][0]["id"]
    reader, bot = with_key(service, person, "read"), with_key(service, person, "trade")
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 1_000}

    refused(reader.post("/market/bets", json=order), 403, "forbidden")
    bet = expect(bot.post("/market/bets", json=order), 201)
    sale = {"market_id": market, "token_type": "YES", "shares": bet["shares"]}
    refused(reader.post("/market/positions/sell", json=sale), 403, "forbidden")
    expect(bot.post("/market/positions/sell", json=sale), 201)

    # Not as a cookie, which would ride on every page's requests.
    key = bot.headers["Authorization"].removeprefix("Bearer ")
    refused(service.client(headers={"Cookie": f"access_token={key}"}).get("/users/me"), 401, "unauthorized")
    for client in (reader, bot):
        for path in ("/users/me", "/users/me/portfolio", "/users/me/transactions", "/notifications", "/cards"):
            expect(client.get(path), 200)
        for path in ("/users/me/keys", "/users/me/sessions", "/admin/users", "/admin/stats", "/admin/chat/sessions"):
            refused(client.get(path), 403, "forbidden")
        for method, path, body in (
            ("POST", "/users/me/keys", {"name": "x", "scope": "read"}),
            ("DELETE", "/users/me/keys/1", None),
            ("PATCH", "/users/me", {"name": "Mallory"}),
            ("PUT", "/users/me/password", {"old": PASSWORD, "new": "staple battery horse"}),
            ("DELETE", "/users/me/sessions", None),
            ("DELETE", "/auth/logout", None),
            ("POST", "/comments", {"event_id": event["id"], "content": "Hi"}),
            ("POST", f"/admin/users/{person.id}/credit", {"amount_kopecks": 1}),
        ):
            answer = client.request(method, path, json=body)
            assert answer.status_code == 403, (path, answer.text)


@proves("bots: Rate limits and idempotency are its user's.")
def test_an_idempotency_key_counts_for_all_ways_in(service: Service) -> None:
    person = service.user(balance_kopecks=10_000)
    market = service.event()["pools"][0]["markets"][0]["id"]
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 1_000}
    once = {"Idempotency-Key": f"order-{person.id}"}
    clients = [person.client, with_key(service, person), with_key(service, person)]
    bets = [expect(client.post("/market/bets", json=order, headers=once), 201) for client in clients]
    assert bets[0] == bets[1] == bets[2]
    assert expect(person.client.get("/users/me"), 200)["balance_kopecks"] == 9_000


@proves("bots: Rate limits and idempotency are its user's.")
@ONCE
def test_a_limit_is_shared_by_all_keys_of_a_user(start_service: Callable[..., Service]) -> None:
    service = start_service(rate_limits="on", limit_trading="1/s burst 2")
    person = service.user()
    one, other = with_key(service, person), with_key(service, person)
    statuses = [client.post("/market/bets", json={}).status_code for client in (one, other, one, other)]
    assert statuses == [400, 400, 429, 429]


@proves("bots: Deactivation ends it, logging out does not.")
def test_a_key_outlives_sign_ins_and_ends_with_the_account(service: Service) -> None:
    person = service.user(balance_kopecks=10_000)
    market = service.event()["pools"][0]["markets"][0]["id"]
    bot = with_key(service, person)
    expect(person.client.delete("/users/me/sessions"), 200)
    assert len(expect(person.client.get("/users/me/sessions"), 200)["sessions"]) == 1
    expect(person.client.delete("/auth/logout"), 200)
    expect(bot.get("/users/me"), 200)

    expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_active": False}), 200)
    order = {"market_id": market, "token_type": "YES", "amount_kopecks": 1_000}
    refused(bot.post("/market/bets", json=order), 401, "unauthorized")
    expect(service.admin.patch(f"/admin/users/{person.id}", json={"is_active": True}), 200)
    refused(bot.get("/users/me"), 401, "unauthorized")


def test_uses_are_dated_and_unknown_keys_refused(fresh_service: Service) -> None:
    service = fresh_service
    person = service.user()
    key = make(person.client)["key"]
    refused(service.client(f"{key[:-1]}{'0' if key[-1] != '0' else '1'}").get("/users/me"), 401, "unauthorized")
    refused(service.client(key.upper()).get("/users/me"), 401, "unauthorized")
    expect(service.client(key).get("/users/me"), 200)
    service.restart()
    (shown,) = expect(service.client(service.sign_in(person.email, PASSWORD)).get("/users/me/keys"), 200)["keys"]
    assert shown["last_used_at"] is not None
    expect(service.client(key).get("/users/me"), 200)
