"""What people think of a pool, without a stake: saying it, taking it back, and who reads it."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from tests.support.forecasts import of_person, put, said, shown, some_pool, taken_back
from tests.support.kinds import ONCE
from tests.support.lists import open_list, split
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import Service, Shot, expect, pool, refused

PUT = (
    "forecasts: | PUT /pools/{id}/forecast (Required; keys: `trade`, as for DELETE) | `{probabilities, note? "
    "(0–2,000), outcomes? (lists.md)}` → 200 Forecast `{id, pool_id, probabilities, note, since (when it was first "
    "said), created_at, market (the prices at `since`)}`."
)
FLOORS = (
    "forecasts: `probabilities`: one a market, each 0 … 1, of two and more markets summing to 1 ± 10⁻⁶; they are kept "
    "and given back with each (of one market also its other side) raised to 0.001, of n > 2 outcomes to 0.002/n, and "
    "then divided by their sum."
)
RENEWS = "forecasts: The same as sent or as given back renews `created_at` alone (a `note` left out stays)."
WHEN = (
    "forecasts: From publication to `finish_at` or verdict, paused or before `live_at` too; 409 `market_resolved`, "
    "`market_closed`, `slippage` (`outcomes` says another number than the pool's; without it 400 for as many "
    "probabilities as it has not), in this order; last of all 429 over 60 accepted in 60 minutes and pool |"
)
DELETE = (
    "forecasts: | DELETE /pools/{id}/forecast (Required) | 200 `{}`, twice too: none stands from now on; the same 409 |"
)
PAGE = (
    "forecasts: | GET /pools/{id}/forecasts (Optional) | a page `forecasts` of the standing ones, newest `since` "
    "first: `{user, probabilities, since, created_at}`; beside it `forecasters` (standing),"
)
MINE = "forecasts: `mine` (Forecast or null),"
NOTE = "forecasts: `note` is seen by its author alone: reasons for others are comments."
OF_USERS = (
    "forecasts: | GET /users/me/forecasts (Required), /users/{id}/forecasts (Optional) | a page `forecasts`, one a "
    "pool, newest first: `{event_id, event_name, event_name_ru, pool_id, pool_name, pool_name_ru, probabilities, "
    "note (own), created_at, stands, won_side, score, coverage}`; a hidden profile's: 404 as PnL;"
)
MOVES_NOTHING = (
    "forecasts: A **forecast** is what a user thinks of a pool's outcomes. It moves no money and no price; it is kept, "
    "scored against the market's price of the same moments, and joined with others' to what the crowd thinks."
)
SUB_ACCOUNTS = "forecasts: Sub-accounts have none."


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@proves(PUT, RENEWS, MINE, MOVES_NOTHING)
def test_a_forecast_is_kept_renewed_and_changed(moving_service: Service) -> None:
    service = moving_service
    service.clock.stop_at(service.clock())
    event = service.event(pools=[pool(probabilities=[0.6])])
    pool_id, market_id = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    ann = service.user(balance_kopecks=10_000)
    assert shown(ann.client, pool_id)["mine"] is None
    first = said(ann, pool_id, [0.7], note="Well.")
    assert first.keys() == {"id", "pool_id", "probabilities", "note", "since", "created_at", "market"}
    assert (first["pool_id"], first["note"], first["market"]) == (pool_id, "Well.", [pytest.approx(0.6, abs=1e-9)])
    assert first["probabilities"] == [0.7]
    assert ms(first["since"]) == ms(first["created_at"]) == service.clock()
    assert shown(ann.client, pool_id)["mine"] == first
    assert expect(ann.client.get("/users/me"), 200)["balance_kopecks"] == 10_000
    assert expect(ann.client.get(f"/pools/{pool_id}"), 200)["markets"] == event["pools"][0]["markets"]

    service.clock.advance(MINUTE_MS)
    expect(bet(ann, market_id, "YES", 5_000), 201)
    again = said(ann, pool_id, [0.7])
    assert again == first | {"created_at": again["created_at"]}
    assert ms(again["created_at"]) == service.clock()
    assert said(ann, pool_id, first["probabilities"], note="Else.") == again | {"note": "Else."}

    service.clock.advance(MINUTE_MS)
    changed = said(ann, pool_id, [0.2])
    assert changed["id"] > first["id"]
    assert (changed["note"], ms(changed["since"])) == ("", service.clock())
    assert changed["market"][0] > first["market"][0]
    assert shown(ann.client, pool_id)["mine"] == changed


@proves(FLOORS, RENEWS)
def test_what_is_0_is_raised_and_all_is_divided_again(service: Service) -> None:
    ann = service.user()
    yes_no, two = some_pool(service), some_pool(service, "A", "B")
    four = some_pool(service, *"ABCD")
    assert said(ann, yes_no, [0])["probabilities"] == [pytest.approx(0.001 / 1.001, abs=1e-15)]
    assert said(ann, yes_no, [1])["probabilities"] == [pytest.approx(1 / 1.001, abs=1e-15)]
    found = said(ann, two, [0.3000009, 0.7])
    assert found["probabilities"] == pytest.approx([0.3000009 / 1.0000009, 0.7 / 1.0000009], abs=1e-15)
    assert said(ann, two, [0.3000009, 0.7])["id"] == found["id"]
    assert said(ann, two, [0, 1])["probabilities"] == pytest.approx([0.001 / 1.001, 1 / 1.001], abs=1e-15)
    kept = said(ann, four, [0, 0, 0.3, 0.7])
    assert kept["probabilities"] == pytest.approx([0.0005 / 1.001] * 2 + [0.3 / 1.001, 0.7 / 1.001], abs=1e-15)
    # As given back, though 0.0005 / 1.001 would be raised again.
    assert said(ann, four, kept["probabilities"])["id"] == kept["id"]


@ONCE
@proves(PUT, FLOORS)
@pytest.mark.parametrize(
    "body",
    [
        {},
        {"probabilities": []},
        {"probabilities": [0.5, 0.51]},
        {"probabilities": [0.4999989, 0.5]},
        {"probabilities": [-0.1, 1.1]},
        {"probabilities": [True, False]},
        {"probabilities": ["0.5", 0.5]},
        {"probabilities": [0.5, 0.5], "note": "n" * 2001},
        {"probabilities": [0.5, 0.5], "note": "\u202e"},
        {"probabilities": [0.5, 0.5], "outcomes": 0},
        {"probabilities": [0.5, 0.5], "market_id": 1},
        {"probabilities": [0.25] * 4},
    ],
)
def test_what_is_no_forecast_is_refused(service: Service, body: dict[str, Any]) -> None:
    ann, pool_id = service.user(), some_pool(service, "A", "B")
    refused(ann.client.put(f"/pools/{pool_id}/forecast", json=body), 400, "bad_request")
    assert shown(ann.client, pool_id)["mine"] is None


@proves(WHEN, DELETE)
def test_it_is_said_and_taken_back_from_publication_to_the_end(moving_service: Service) -> None:
    service = moving_service
    ann, creator = service.user(), service.creator
    finish_ms = service.clock() + DAY_MS
    times: dict[str, Any] = {
        "live_at": datetime.fromtimestamp((finish_ms - HOUR_MS) / 1000).astimezone().isoformat(),
        "finish_at": datetime.fromtimestamp(finish_ms / 1000).astimezone().isoformat(),
    }
    draft = service.event(publish=False, pools=[pool(["A", "B"], **times), pool(["A", "B"], probabilities=[0.5, 0.5])])
    pool_id, decided_id = (one["id"] for one in draft["pools"])
    refused(put(ann, pool_id, [0.5, 0.5]), 404, "pool_not_found")
    refused(put(creator, pool_id, [0.5, 0.5]), 409, "market_closed")
    refused(creator.client.delete(f"/pools/{pool_id}/forecast"), 409, "market_closed")
    refused(put(ann, 10**9, [0.5, 0.5]), 404, "pool_not_found")
    refused(ann.client.put("/pools/x/forecast", json={"probabilities": [1]}), 400, "invalid_pool_id")
    expect(creator.client.post(f"/events/{draft['id']}/publish"), 200)
    taken_back(ann, pool_id)
    said(ann, pool_id, [0.5, 0.5])
    expect(creator.client.post(f"/pools/{pool_id}/pause"), 200)
    said(ann, pool_id, [0.4, 0.6])
    taken_back(ann, pool_id)
    taken_back(ann, pool_id)
    assert shown(ann.client, pool_id)["mine"] is None
    body = refused(put(ann, pool_id, [0.2, 0.3, 0.5], outcomes=3), 409, "slippage")
    assert body["details"] == {"outcomes": 2}
    refused(put(ann, pool_id, [0.5, 0.5], outcomes=3), 409, "slippage")
    refused(put(ann, pool_id, [0.2, 0.3, 0.5], outcomes=2), 400, "bad_request")
    refused(put(ann, pool_id, [0.2, 0.3, 0.5]), 400, "bad_request")

    expect(creator.client.post(f"/pools/{decided_id}/resolve", json={"won_side": 0}), 200)
    # Of several reasons the first of the contract's.
    refused(put(ann, decided_id, [0.2, 0.3, 0.5], outcomes=3), 409, "market_resolved")
    refused(ann.client.delete(f"/pools/{decided_id}/forecast"), 409, "market_resolved")
    service.clock.stop_at(finish_ms)
    token = service.sign_in(ann.email, ann.password)
    late = service.client(token)
    three = {"probabilities": [0.2, 0.3, 0.5], "outcomes": 3}
    refused(late.put(f"/pools/{pool_id}/forecast", json=three), 409, "market_closed")
    refused(late.delete(f"/pools/{pool_id}/forecast"), 409, "market_closed")


@proves(WHEN)
def test_sixty_are_taken_in_an_hour_and_pool(moving_service: Service) -> None:
    service = moving_service
    service.clock.stop_at(service.clock())
    ann, pool_id, other_id = service.user(), some_pool(service), some_pool(service)
    for number in range(60):
        said(ann, pool_id, [number // 2 / 100])
    answer = put(ann, pool_id, [0.5])
    refused(answer, 429, "rate_limited")
    assert answer.headers["Retry-After"] == "3600"
    refused(put(ann, pool_id, [0.5, 0.5]), 400, "bad_request")
    taken_back(ann, pool_id)
    refused(put(ann, pool_id, [0.5]), 429, "rate_limited")
    said(ann, other_id, [0.5])
    service.clock.advance(HOUR_MS)
    client = service.client(service.sign_in(ann.email, ann.password))
    expect(client.put(f"/pools/{pool_id}/forecast", json={"probabilities": [0.5]}), 200)


@proves(PUT, DELETE)
def test_of_copies_at_once_one_stands_and_all_are_answered(service: Service) -> None:
    ann, pool_id = service.user(), some_pool(service)
    path = f"/pools/{pool_id}/forecast"
    shots: list[Shot] = [("PUT", path, {"json": {"probabilities": [number % 3 / 10]}}) for number in range(12)]
    answers = service.together([*shots, ("DELETE", path, {}), ("DELETE", path, {})], tokens=[ann.token])
    assert [answer.status_code for answer in answers] == [200] * 14
    last = said(ann, pool_id, [0.9])
    page = shown(service.client(), pool_id)
    assert (page["forecasters"], len(page["forecasts"])) == (1, 1)
    assert page["forecasts"][0]["probabilities"] == last["probabilities"]


@proves(PUT)
def test_a_key_that_trades_forecasts_and_one_that_reads_does_not(service: Service) -> None:
    ann, pool_id = service.user(), some_pool(service)
    keys = [
        expect(ann.client.post("/users/me/keys", json={"name": scope, "scope": scope}), 201)["key"]
        for scope in ("trade", "read")
    ]
    trader, reader = map(service.client, keys)
    body = {"probabilities": [0.4]}
    expect(trader.put(f"/pools/{pool_id}/forecast", json=body), 200)
    refused(reader.put(f"/pools/{pool_id}/forecast", json=body), 403, "forbidden")
    refused(reader.delete(f"/pools/{pool_id}/forecast"), 403, "forbidden")
    assert of_person(reader)["forecasts"][0]["pool_id"] == pool_id
    expect(trader.delete(f"/pools/{pool_id}/forecast"), 200)
    refused(service.client().put(f"/pools/{pool_id}/forecast", json=body), 401, "unauthorized")
    refused(service.client().delete(f"/pools/{pool_id}/forecast"), 401, "unauthorized")


@proves(PAGE, MINE, NOTE)
def test_a_page_shows_what_stands_the_newest_first(moving_service: Service) -> None:
    service = moving_service
    service.clock.stop_at(service.clock())
    pool_id = some_pool(service)
    people = [service.user() for _ in range(4)]
    for number, person in enumerate(people):
        said(person, pool_id, [number / 10], note="A secret.")
        service.clock.advance(1000)
    said(people[0], pool_id, [0.0])
    taken_back(people[3], pool_id)
    expect(people[2].client.patch("/users/me", json={"profile_hidden": True}), 200)
    first = shown(service.client(), pool_id, limit=2)
    assert (first["forecasters"], first["hidden"], first["mine"], first["has_more"]) == (3, False, None, True)
    second = shown(service.client(), pool_id, limit=2, cursor=first["next_cursor"])
    assert (second["has_more"], second["next_cursor"]) == (False, None)
    rows = [*first["forecasts"], *second["forecasts"]]
    assert [row["user"]["id"] for row in rows] == [people[2].id, people[1].id, people[0].id]
    assert rows[0]["user"]["name"] == "Hidden trader"
    assert all(row.keys() == {"user", "probabilities", "since", "created_at"} for row in rows)
    assert rows[2]["since"] < rows[1]["since"] < rows[2]["created_at"]
    refused(
        people[0].client.get(f"/pools/{pool_id}/forecasts", params={"cursor": first["next_cursor"]}),
        400,
        "invalid_cursor",
    )
    assert shown(people[1].client, pool_id)["mine"]["note"] == "A secret."


@proves(OF_USERS, NOTE)
def test_a_person_is_shown_with_one_forecast_a_pool(service: Service) -> None:
    ann, bob = service.user(), service.user()
    assert of_person(ann.client) == {"forecasts": [], "next_cursor": None, "has_more": False}
    event = service.event(name_ru="Дерби", pools=[pool(), pool(["A", "B"])])
    first, second = (one["id"] for one in event["pools"])
    said(ann, first, [0.3], note="Mine.")
    said(ann, second, [0.5, 0.5])
    said(ann, first, [0.4], note="Newer.")
    taken_back(ann, second)
    expect(service.creator.client.post(f"/pools/{first}/resolve", json={"won_side": 1}), 200)
    rows = of_person(ann.client)["forecasts"]
    assert [row["pool_id"] for row in rows] == [first, second]
    names = {"event_id": event["id"], "event_name": event["name"], "event_name_ru": "Дерби"}
    assert rows[0] == names | {
        "pool_id": first,
        "pool_name": event["pools"][0]["name"],
        "pool_name_ru": "",
        "probabilities": [0.4],
        "note": "Newer.",
        "created_at": rows[0]["created_at"],
        "stands": True,
        "won_side": 1,
        "score": None,
        "coverage": None,
    }
    assert (rows[1]["stands"], rows[1]["won_side"]) == (False, None)
    others = of_person(bob.client, ann.id)["forecasts"]
    assert others == [{key: value for key, value in row.items() if key != "note"} for row in rows]
    assert of_person(service.client(), ann.id)["forecasts"] == others
    expect(ann.client.patch("/users/me", json={"profile_hidden": True}), 200)
    refused(bob.client.get(f"/users/{ann.id}/forecasts"), 404, "user_not_found")
    assert of_person(ann.client, ann.id)["forecasts"] == rows
    assert of_person(service.admin, ann.id)["forecasts"] == others
    refused(bob.client.get("/users/10000000/forecasts"), 404, "user_not_found")


@proves(OF_USERS)
def test_a_pool_keeps_its_place_in_a_traversal_whatever_is_said_meanwhile(service: Service) -> None:
    ann = service.user()
    pools = [one["id"] for one in service.event(pools=[pool() for _ in range(5)])["pools"]]
    for pool_id in pools:
        said(ann, pool_id, [0.5])
    first = of_person(ann.client, limit=2)
    assert [row["pool_id"] for row in first["forecasts"]] == pools[:2:-1]
    said(ann, pools[0], [0.1])
    said(ann, pools[4], [0.2])
    new = some_pool(service)
    said(ann, new, [0.9])
    rest, cursor = list[dict[str, Any]](), first["next_cursor"]
    while cursor is not None:
        page = of_person(ann.client, limit=1, cursor=cursor)
        rest, cursor = [*rest, *page["forecasts"]], page["next_cursor"]
    assert [row["pool_id"] for row in rest] == pools[2::-1]
    assert rest[-1]["probabilities"] == [0.1]
    assert [row["pool_id"] for row in of_person(ann.client)["forecasts"]][:3] == [new, pools[4], pools[0]]


@proves(SUB_ACCOUNTS)
def test_sub_accounts_have_none(service: Service) -> None:
    partner, event = service.partner(float_kopecks=10_000), service.event()
    market_id, pool_id = event["pools"][0]["markets"][0]["id"], event["pools"][0]["id"]
    order = {"external_user_id": "u", "market_id": market_id, "side": "yes", "stake_kopecks": 1000}
    user_id = expect(partner.client.post("/partner/bets", json=order), 201)["user_id"]
    refused(partner.client.put(f"/pools/{pool_id}/forecast", json={"probabilities": [0.5]}), 401, "unauthorized")
    refused(service.client().get(f"/users/{user_id}/forecasts"), 404, "user_not_found")


@proves(
    "forecasts: **Lists**: at a split a standing forecast goes on with λ of Other's part for the new outcome, "
    "raised and divided anew as p is;"
)
def test_a_forecast_of_a_list_goes_on_after_a_split(service: Service) -> None:
    ann, bob = service.user(), service.user()
    pool_id = open_list(service)["id"]
    before = said(ann, pool_id, [0.2, 0.2, 0.6])
    said(bob, pool_id, [0.5, 0.3, 0.2])
    taken_back(bob, pool_id)
    split(service, pool_id, "Dana", 0.25)
    mine = shown(ann.client, pool_id)["mine"]
    assert mine["id"] == before["id"]
    assert mine["probabilities"] == pytest.approx([0.2, 0.2, 0.45, 0.15], abs=1e-12)
    assert mine["market"] == pytest.approx([0.3, 0.2, 0.375, 0.125], abs=1e-9)
    # What was taken back before stays what it was.
    assert of_person(bob.client)["forecasts"][0]["probabilities"] == [0.5, 0.3, 0.2]
    # As given back now: the same.
    refused(put(ann, pool_id, [0.2, 0.2, 0.6], outcomes=3), 409, "slippage")
    assert said(ann, pool_id, mine["probabilities"], outcomes=4)["id"] == before["id"]
    low = said(ann, pool_id, [0.5, 0.5, 0, 0])["probabilities"]
    split(service, pool_id, "Eve", 0.5)
    # Other and the new outcome would be at half of 0.0005 / 1.001; of five outcomes the floor is 0.0004.
    parts = [*low[:2], 0.0004, low[3], 0.0004]
    found = shown(ann.client, pool_id)["mine"]["probabilities"]
    assert found == pytest.approx([part / sum(parts) for part in parts], abs=1e-12)
