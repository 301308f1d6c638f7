"""PATCH /pools/{id}: texts and times of a new pool; later its end alone, while it is ahead."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.clock import iso
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

MINUTE, HOUR = 60_000, 3_600_000


def in_ms(service: Service, ms: int) -> str:
    return iso(service.clock() + ms)


@proves(
    "lifecycle: PATCH /pools/{id} | while `new`: `name, name_ru, rules, market_names`",
    "lifecycle: `live_at, finish_at`;",
)
def test_a_new_pool_takes_every_change(service: Service) -> None:
    event = service.event(publish=False, pools=[pool(["a", "b"]), pool()])
    first, second = event["pools"]
    client = service.creator.client
    changes = {
        "name": "Winner",
        "name_ru": "Победитель",
        "rules": "As announced.",
        "live_at": in_ms(service, HOUR),
        "finish_at": in_ms(service, 2 * HOUR),
    }
    answer = expect(client.patch(f"/pools/{first['id']}", json=changes | {"market_names": ["c", "d"]}), 200)
    names = [market["name"] for market in answer["markets"]]
    assert (answer | {"markets": []}, names) == (first | changes | {"markets": []}, ["c", "d"])
    # Given back as sent.
    assert answer["metadata"]["market_names"] == ["a", "b"]
    shown = expect(client.get(f"/events/{event['id']}"), 200)
    assert shown["pools"] == [answer, second]
    expect(client.post(f"/events/{event['id']}/publish"), 200)
    published = expect(service.client().get(f"/pools/{first['id']}"), 200)
    assert published | {"liquidity": []} == answer


def test_a_market_that_was_named_like_its_pool_follows_it(service: Service) -> None:
    event = service.event(publish=False, pools=[pool(), pool(["Will it?"]), pool()])
    client = service.creator.client
    named = []
    for one in event["pools"]:
        if one is event["pools"][2]:
            expect(client.patch(f"/pools/{one['id']}", json={"market_names": ["Mine"]}), 200)
        answer = expect(client.patch(f"/pools/{one['id']}", json={"name": "Will it rain?"}), 200)
        named.append(answer["markets"][0]["name"])
    # Not named, named in the configuration, named by an edit.
    assert named == ["Will it rain?", "Will it?", "Mine"]


def test_no_change_changes_nothing_whatever_the_state(service: Service) -> None:
    event = service.event()
    one = event["pools"][0]
    for _ in range(2):
        for body in ({}, {"name": None, "finish_at": None, "market_names": None}):
            assert expect(service.creator.client.patch(f"/pools/{one['id']}", json=body), 200) == one
        expect(service.creator.client.post(f"/pools/{one['id']}/resolve", json={"won_side": 0}), 200)
        one = expect(service.client().get(f"/pools/{one['id']}"), 200)


@proves(
    "lifecycle: while the old one (if any) is ahead,",
)
def test_the_end_of_a_pool_that_trades_moves_both_ways(fresh_service: Service) -> None:
    service = fresh_service
    client = service.creator.client
    event = service.event(pools=[pool(finish_at=in_ms(service, MINUTE))])
    pool_id, market_id = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    trader = service.user(balance_kopecks=10_000).client
    bet = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    later = in_ms(service, 3 * MINUTE)
    assert expect(client.patch(f"/pools/{pool_id}", json={"finish_at": later}), 200)["finish_at"] == later
    service.clock.advance(2 * MINUTE)
    expect(trader.post("/market/bets", json=bet), 201)
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["status"] == "active"
    sooner = in_ms(service, 1_000)
    expect(client.patch(f"/pools/{pool_id}", json={"finish_at": sooner}), 200)
    service.clock.advance(1_000)
    refused(trader.post("/market/bets", json=bet), 409, "market_closed")
    assert expect(service.client().get(f"/events/{event['id']}"), 200)["status"] == "closed"
    refused(client.patch(f"/pools/{pool_id}", json={"finish_at": later}), 409, "invalid_state")


@proves(
    "lifecycle: while the old one (if any) is ahead,",
)
def test_a_pool_without_an_end_gets_one(service: Service) -> None:
    event = service.event(pools=[pool(), pool(finish_at=in_ms(service, 2 * HOUR))])
    client = service.creator.client
    finish_at = in_ms(service, HOUR)
    answer = expect(client.patch(f"/pools/{event['pools'][0]['id']}", json={"finish_at": finish_at}), 200)
    assert answer["finish_at"] == finish_at


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("change", [{"name": "x"}, {"name_ru": "x"}, {"rules": "x"}, {"market_names": ["x"]}])
@proves(
    "lifecycle: later `finish_at` alone",
)
def test_nothing_but_the_end_of_a_published_pool_changes(service: Service, change: dict[str, Any]) -> None:
    finish_at = in_ms(service, HOUR)
    event = service.event(pools=[pool(finish_at=finish_at)])
    path = f"/pools/{event['pools'][0]['id']}"
    for body in (change, change | {"finish_at": in_ms(service, 2 * HOUR)}, {"live_at": in_ms(service, MINUTE)}):
        refused(service.creator.client.patch(path, json=body), 409, "invalid_state")
    assert expect(service.client().get(path), 200) == event["pools"][0]


@proves(
    "lifecycle: without verdict, the new one ahead: else 409 `invalid_state`.",
)
def test_the_new_end_must_be_ahead_and_the_pool_without_a_result(service: Service) -> None:
    event = service.event(pools=[pool(finish_at=in_ms(service, HOUR)), pool(), pool()])
    client = service.creator.client
    open_path, resolved_path, cancelled_path = (f"/pools/{one['id']}" for one in event["pools"])
    for moment in (in_ms(service, 0), in_ms(service, -HOUR), "2020-01-01T00:00:00Z"):
        refused(client.patch(open_path, json={"finish_at": moment}), 409, "invalid_state")
    expect(client.post(f"{resolved_path}/resolve", json={"won_side": 0}), 200)
    refused(client.patch(resolved_path, json={"finish_at": in_ms(service, HOUR)}), 409, "invalid_state")
    expect(client.post(f"/events/{event['id']}/cancel"), 200)
    refused(client.patch(cancelled_path, json={"finish_at": in_ms(service, HOUR)}), 409, "invalid_state")


@ONCE
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"name": "x" * 201}, "name"),
        ({"rules": "x" * 20_001}, "rules"),
        ({"market_names": []}, "market_names"),
        ({"market_names": ["a"]}, "market_names"),
        ({"market_names": ["a", "b", "c"]}, "market_names"),
        ({"market_names": ["a", " "]}, "market_names[1]"),
        ({"live_at": "2027-01-01T00:00:00"}, "live_at"),
        ({"live_at": "2027-01-01T00:00:00Z", "finish_at": "2027-01-01T00:00:00Z"}, "finish_at"),
        ({"live_at": "2098-01-01T00:00:00Z"}, "finish_at"),
        ({"finish_at": "2000-01-01T00:00:00Z"}, "finish_at"),
        ({"finish_at": "9999-12-31T23:59:59-01:00"}, "finish_at"),
        ({"margin": 0.1}, "margin"),
        ({"metadata": {}}, "metadata"),
    ],
)
@proves(
    "lifecycle: PATCH /pools/{id} | while `new`: `name, name_ru, rules, market_names` (as many),",
)
def test_changes_are_checked_like_a_creation(service: Service, body: dict[str, Any], field: str) -> None:
    times: dict[str, Any] = {"live_at": "2001-01-01T00:00:00Z", "finish_at": "2097-01-01T00:00:00Z"}
    event = service.event(publish=False, pools=[pool(["a", "b"], **times)])
    path = f"/pools/{event['pools'][0]['id']}"
    answer = service.creator.client.patch(path, json=body)
    assert list(refused(answer, 400, "bad_request")["details"]["fields"]) == [field]
    assert expect(service.creator.client.get(path), 200) == event["pools"][0]


def test_an_end_before_the_beginning_is_refused_after_publication_too(service: Service) -> None:
    event = service.event(pools=[pool(live_at=in_ms(service, HOUR), finish_at=in_ms(service, 2 * HOUR))])
    answer = service.creator.client.patch(
        f"/pools/{event['pools'][0]['id']}", json={"finish_at": in_ms(service, HOUR // 2)}
    )
    refused(answer, 400, "bad_request")


@ONCE
def test_who_may_edit_a_pool_and_what_strangers_see(service: Service) -> None:
    new, active = (service.event(publish=publish)["pools"][0]["id"] for publish in (False, True))
    stranger = service.user(creator=True).client
    refused(service.client().patch(f"/pools/{new}", json={}), 401, "unauthorized")
    refused(stranger.patch(f"/pools/{new}", json={}), 404, "pool_not_found")
    refused(stranger.patch(f"/pools/{active}", json={}), 403, "forbidden")
    refused(stranger.patch(f"/pools/{2**62}", json={"market_names": []}), 400, "bad_request")
    refused(stranger.patch("/pools/x", content=b"{"), 400, "invalid_pool_id")
    expect(service.admin.patch(f"/pools/{new}", json={"name": "By an admin", "rules": "New"}), 200)
    log = expect(service.admin.get("/admin/log"), 200)["entries"][0]
    assert (log["action"], log["target"], log["details"]) == (
        "pool.edit",
        f"pool:{new}",
        {"fields": ["name", "rules"]},
    )


@proves(
    "lifecycle: Texts are filled anew → 200 Pool",
)
def test_texts_are_filled_in_again_with_the_new_end(service: Service) -> None:
    first, moved = "2096-11-20T15:00:00.000Z", "2096-11-21T16:30:00.000Z"
    texts: dict[str, Any] = {
        "name": "Until {finish_at:time}",
        "name_ru": "До {finish_at:day}",
        "rules": "Ends {finish_at}.",
    }
    main = pool(["Up on {finish_at:day}", "Down"], finish_at=first, **texts)
    event = service.event(
        name="No. {number} until {finish_at}",
        loop_interval_minutes=60,
        pools=[main, pool(name="{finish_at}", finish_at=first)],
    )
    client = service.creator.client
    answer = expect(client.patch(f"/pools/{event['pools'][0]['id']}", json={"finish_at": moved}), 200)
    assert (answer["name"], answer["name_ru"]) == ("Until 16:30", "До 21 ноября")
    assert answer["rules"] == "Ends 21 November 2096, 16:30."
    assert answer["markets"][0]["name"] == "Up on 21 November"
    shown = expect(service.client().get(f"/events/{event['id']}"), 200)
    assert shown["name"] == "No. 1 until 21 November 2096, 16:30"
    assert shown["pools"][1]["name"] == "20 November 2096, 15:00"
    found = expect(service.client().get("/events", params={"q": "until 21 November 2096"}), 200)["events"]
    assert event["id"] in [one["id"] for one in found]


@ONCE
def test_placeholders_of_a_new_pool_are_checked_and_shown_as_written(service: Service) -> None:
    finish_at = "2096-11-20T15:00:00Z"
    event = service.event(publish=False, loop_interval_minutes=60, pools=[pool(["a", "b"], finish_at=finish_at)])
    client, path = service.creator.client, f"/pools/{event['pools'][0]['id']}"
    wrong: list[tuple[dict[str, Any], str]] = [
        ({"name": "{live_at}"}, "name"),
        ({"rules": "{"}, "rules"),
        ({"market_names": ["a", "{low}"]}, "market_names[1]"),
    ]
    for body, field in wrong:
        answer = refused(client.patch(path, json=body), 400, "bad_request")
        assert list(answer["details"]["fields"]) == [field]
    # With the time comes its placeholder.
    named = {"live_at": "2096-11-19T00:00:00Z", "name": "From {live_at:day}", "market_names": ["a {number}", "b"]}
    answer = expect(client.patch(path, json=named), 200)
    assert (answer["name"], answer["markets"][0]["name"]) == ("From {live_at:day}", "a {number}")
    published = expect(client.post(f"/events/{event['id']}/publish"), 200)["pools"][0]
    assert (published["name"], published["markets"][0]["name"]) == ("From 19 November", "a 1")


def test_lists_by_the_end_follow_it(service: Service) -> None:
    tag = f"tag-{service.clock()}"
    made = [service.event(tags=[tag], pools=[pool(finish_at=in_ms(service, hours * HOUR))]) for hours in (2, 3)]
    body = {"finish_at": in_ms(service, 4 * HOUR)}
    expect(service.creator.client.patch(f"/pools/{made[0]['pools'][0]['id']}", json=body), 200)
    listed = expect(service.client().get("/events", params={"tag": tag, "sort": "closing"}), 200)["events"]
    assert [one["id"] for one in listed] == [made[1]["id"], made[0]["id"]]


def test_a_bet_that_comes_with_a_shorter_end_is_before_it_or_refused(fresh_service: Service) -> None:
    """The bet is decided by the time at which it got the lock, and by the end that it found there."""
    service = fresh_service
    trader = service.user(balance_kopecks=100_000)
    event = service.event(pools=[pool(finish_at=in_ms(service, HOUR))])
    pool_id, market_id = event["pools"][0]["id"], event["pools"][0]["markets"][0]["id"]
    bet = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    end_ms = service.clock() + 200
    shots: list[Any] = [("POST", "/market/bets", {"json": bet})] * 30
    shots.insert(15, ("PATCH", f"/pools/{pool_id}", {"json": {"finish_at": iso(end_ms)}}))
    tokens = [trader.token] * 15 + [service.creator.token] + [trader.token] * 15
    answers = service.together(shots, tokens=tokens)
    edited = answers.pop(15)
    while service.clock() <= end_ms:
        answers += service.together([shots[0]] * 5, tokens=[trader.token])
    finish_at = iso(end_ms) if edited.status_code == 200 else event["pools"][0]["finish_at"]
    taken = [answer.json()["created_at"] for answer in answers if answer.status_code == 201]
    assert all(created_at < finish_at for created_at in taken)
    assert {answer.status_code for answer in answers} <= {201, 409}
    if edited.status_code == 200:
        refused(trader.client.post("/market/bets", json=bet), 409, "market_closed")
