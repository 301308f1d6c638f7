"""Lists that grow: making one, splitting it, and what holders have afterwards (lists.md)."""

from __future__ import annotations

from typing import Any

import pytest

from tests.support.kinds import ONCE
from tests.support.lists import NAMES, PRIORS, add_outcome, held, list_pool, open_list, read_pool, split
from tests.support.orders import balance, bet
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused


def market_ids(pool: dict[str, Any]) -> list[int]:
    return [market["id"] for market in pool["markets"]]


@proves(
    'lists: A pool of shape `{"kind": "list"}` (2 … 100 markets, all named, no price rule) has **Other**: its last '
    "market at creation, whatever its name.",
    "lists: Pool + `other` (index; null)",
    "lists: (`[]`)",
    'baskets: `{"kind": "list"}` | lists.md',
)
def test_a_lists_last_market_is_other(service: Service) -> None:
    pool = open_list(service, names=["Ann", "Bob", "The others"])
    assert (pool["shape"], pool["other"], pool["splits"]) == ({"kind": "list"}, 2, [])
    (plain,) = service.event()["pools"]
    assert (plain["other"], plain["splits"]) == (None, [])


@proves("lists: Its names differ without regard to case.")
@ONCE
def test_a_list_is_named_and_its_names_differ(service: Service) -> None:
    def fields(**metadata: Any) -> list[str]:
        body = {"name": "Event", "pools": [{"metadata": {"shape": {"kind": "list"}, **metadata}}]}
        answer = refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")
        return list(answer["details"]["fields"])

    names = "pools[0].metadata.market_names"
    assert fields() == [names]
    assert fields(market_names=["Ann"]) == [names]
    assert fields(market_names=["Ann", "ANN"]) == [f"{names}[1]"]
    assert fields(market_names=["Жанна", "x", "жАННА"]) == [f"{names}[2]"]
    body = {"name": "Event", "pools": [{"metadata": {"shape": {"kind": "list", "x": 1}, "market_names": ["a", "b"]}}]}
    answer = refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")
    assert list(answer["details"]["fields"]) == ["pools[0].metadata.shape.x"]
    draft = service.event(publish=False, pools=[list_pool()])["pools"][0]
    refused(
        service.creator.client.patch(f"/pools/{draft['id']}", json={"market_names": ["a", "A", "b"]}),
        400,
        "bad_request",
    )


@proves(
    "lists: Template `candidates` + `other?` (false): one more, `Other` (`market_names_ru`: the names as sent, then "
    "`Другое`).",
    'lists: Market + `name_ru` (as sent with its split, else that of `market_names_ru` where it is text, else "")',
    "lists: a card's `pool` + `other`;",
)
@ONCE
def test_the_template_of_candidates_offers_other(service: Service) -> None:
    body = {"template": "candidates", "question": "Who?", "names": ["Ann", "Bob"]}
    (plain,) = expect(service.creator.client.post("/events/from-template", json=body), 201)["pools"]
    assert (plain["shape"], plain["other"], len(plain["markets"])) == (None, None, 2)
    event = expect(service.creator.client.post("/events/from-template", json=body | {"other": True}), 201)
    (pool,) = event["pools"]
    assert (pool["shape"], pool["other"]) == ({"kind": "list"}, 2)
    assert [market["name"] for market in pool["markets"]] == ["Ann", "Bob", "Other"]
    assert [market["name_ru"] for market in pool["markets"]] == ["Ann", "Bob", "Другое"]
    expect(service.creator.client.post(f"/events/{event['id']}/publish"), 200)
    cards = expect(service.client().get("/cards?sort=new&limit=100"), 200)["cards"]
    assert [card["pool"]["other"] for card in cards if card["event_id"] == event["id"]] == [2]
    grown = split(service, pool["id"], "Eve", name_ru="Ева")
    assert [market["name_ru"] for market in grown["markets"]] == ["Ann", "Bob", "Другое", "Ева"]
    assert split(service, pool["id"], "Joe")["markets"][4]["name_ru"] == ""
    names = [str(number) for number in range(100)]
    refused(
        service.creator.client.post("/events/from-template", json=body | {"names": names, "other": True}),
        400,
        "bad_request",
    )


@proves(
    "lists: Out of it new outcomes are taken while people trade.",
    "lists: **Split.**",
    "lists: POST /pools/{id}/outcomes (its creator, admin) `{name (1–200), name_ru? (0–200), share, probability}` → "
    "201 Pool.",
    "lists: `splits: [{at, outcome_index, share, b, subsidy_kopecks (paid for it), probability (its first price), "
    "q_yes, turned (bool)}]`",
    "lists: The new outcome gets the next `outcome_index`; Other keeps its own",
    "lists: **Holders.**",
    "lists: From that moment YES of Other is YES of both, as many each; the new position is `opened_at` then with "
    "floor(cost · λ) of the cost; the rest and `pnl` stay.",
    "lists: The POST answers when all are turned",
)
def test_the_contracts_example_over_http(service: Service) -> None:
    pool = open_list(service)
    person = service.user(balance_kopecks=1_000)
    other = market_ids(pool)[2]
    bought = expect(bet(person, other, "YES", 300, outcomes=3), 201)
    assert bought["shares"] == 530
    before = read_pool(service, pool["id"])

    grown = split(service, pool["id"], "Dana")

    assert grown == read_pool(service, pool["id"])
    (made,) = grown["splits"]
    assert made == {
        "at": made["at"],
        "outcome_index": 3,
        "share": 0.25,
        "b": 1000,
        "subsidy_kopecks": 471,
        "probability": grown["markets"][3]["yes_probability"],
        "q_yes": 530,
        "turned": True,
    }
    prices = [market["yes_probability"] for market in grown["markets"]]
    assert [round(price, 4) for price in prices] == [0.2223, 0.1482, 0.4721, 0.1574]
    was = [market["yes_probability"] for market in before["markets"]]
    assert prices[:2] == pytest.approx(was[:2], rel=1e-12)
    assert [market["outcome_index"] for market in grown["markets"]] == [0, 1, 2, 3]
    new = grown["markets"][3]
    assert (new["name"], new["q_yes"], new["volume"]) == ("Dana", 530, 0)
    assert grown["other"] == 2
    positions = expect(person.client.get("/market/positions"), 200)["positions"]
    costs = {one["market_id"]: (one["amount"], one["value_kopecks"], one["pnl"]) for one in positions}
    assert costs == {other: (530, 250, 0), new["id"]: (530, 83, 0)}
    shown = expect(person.client.get("/users/me/positions"), 200)["positions"]
    assert {one["market_id"]: one["cost_kopecks"] for one in shown} == {other: 225, new["id"]: 75}
    assert next(one["opened_at"] for one in shown if one["market_id"] == new["id"]) == made["at"]
    assert expect(bet(person, new["id"], "YES", 200, outcomes=4), 201)["shares"] == 878
    assert split(service, pool["id"], "Eve", 0.5)["splits"][1]["subsidy_kopecks"] == 0
    prices = [market["yes_probability"] for market in read_pool(service, pool["id"])["markets"]]
    body = {"lmsr_b_kopecks": 1700, "probabilities": prices}
    raised = expect(service.creator.client.post(f"/pools/{pool['id']}/liquidity", json=body), 200)
    assert raised["liquidity"][1]["subsidy_kopecks"] == 1477
    assert split(service, pool["id"], "Joe", 0.1)["splits"][2]["subsidy_kopecks"] == 3184


@proves(
    "lists: `share` λ: 0.01 … 0.99, whole hundredths; `probability`: 0 … 1, where the new outcome is expected to start."
)
@ONCE
def test_the_body_is_checked(service: Service) -> None:
    pool = open_list(service)
    client, path = service.creator.client, f"/pools/{pool['id']}/outcomes"
    right = {"name": "Dana", "share": 0.25, "probability": 0.125}
    for wrong in (
        {"share": 0},
        {"share": 0.005},
        {"share": 1},
        {"share": 0.255},
        {"share": "0.25"},
        {"name": ""},
        {"name": "  "},
        {"name": "x" * 201},
        {"name_ru": "x" * 201},
        {"probability": 1.01},
        {"probability": -0.1},
        {"more": 1},
    ):
        refused(client.post(path, json=right | wrong), 400, "bad_request")
    for missing in right:
        refused(client.post(path, json={key: right[key] for key in right if key != missing}), 400, "bad_request")
    assert read_pool(service, pool["id"])["splits"] == []
    refused(service.user().client.post(path, json=right), 403, "forbidden")
    refused(service.client().post(path, json=right), 401, "unauthorized")
    refused(client.post("/pools/999999999/outcomes", json=right), 404, "pool_not_found")
    assert expect(service.admin.post(path, json=right | {"share": 0.29, "probability": 0.145}), 201)["splits"]


@proves(
    "lists: Braces are text.",
    "lists: The name and share of one of its splits again: 200 Pool, in any state, nothing moves; no key.",
    "lists: A paused pool is split too.",
)
def test_the_same_again_moves_nothing(service: Service) -> None:
    pool = open_list(service)
    client = service.creator.client
    expect(client.post(f"/pools/{pool['id']}/pause"), 200)
    grown = split(service, pool["id"], "{live_at} {{")
    assert grown["markets"][3]["name"] == "{live_at} {{"
    assert grown["markets"][3]["paused"] is True
    body = {"name": "{live_at} {{", "share": 0.25, "probability": 0.9}
    assert expect(client.post(f"/pools/{pool['id']}/outcomes", json=body), 200) == grown
    refused(client.post(f"/pools/{pool['id']}/outcomes", json=body | {"share": 0.26}), 409, "name_taken")
    expect(client.post(f"/pools/{pool['id']}/resolve", json={"won_side": 3, "outcomes": 4}), 200)
    again = expect(client.post(f"/pools/{pool['id']}/outcomes", json=body), 200)
    assert len(again["splits"]) == 1


@proves(
    "lists: 409, in this order: `invalid_state` (no list, not published, past `finish_at`, with a verdict, 100 "
    "outcomes, 1,000 markets in the event, the last split still being turned), `name_taken`, `slippage` (λ · Other's "
    "price over 0.005 from `probability`), `house_limit`.",
)
@ONCE
def test_what_cannot_be_split_is_refused_in_order(service: Service) -> None:
    client = service.creator.client
    (plain,) = service.event()["pools"]
    refused(add_outcome(client, plain["id"], "Dana"), 409, "invalid_state")
    draft = service.event(publish=False, pools=[list_pool()])["pools"][0]
    refused(add_outcome(client, draft["id"], "Ann", probability=0.9), 409, "invalid_state")
    pool = open_list(service)
    refused(add_outcome(client, pool["id"], "aNN", probability=0.9), 409, "name_taken")
    refused(add_outcome(client, pool["id"], "Dana", probability=0.1301), 409, "slippage")
    expect(add_outcome(client, pool["id"], "Dana", probability=0.1299), 201)
    refused(add_outcome(client, pool["id"], "DANA"), 409, "name_taken")
    expect(client.post(f"/pools/{pool['id']}/resolve", json={"won_side": 0}), 200)
    refused(add_outcome(client, pool["id"], "Ann", probability=0.9), 409, "invalid_state")
    names = [f"Name {number}" for number in range(99)]
    full = open_list(service, names=[*names, "Other"], probabilities=[0.01] * 100)
    refused(add_outcome(client, full["id"], "Dana"), 409, "invalid_state")


@proves(
    "lists: A verdict is paid after that.",
    "lists: Each turned position is one row of its statements and webhooks: type `split`, the new market, `side`, "
    "`shares`, of 0; and a notice `outcome_added`.",
)
def test_holders_are_notified_and_paid(service: Service) -> None:
    pool = open_list(service, names=NAMES, probabilities=PRIORS)
    person, partner = service.user(balance_kopecks=1_000), service.partner(float_kopecks=1_000)
    other = market_ids(pool)[2]
    expect(bet(person, other, "YES", 300), 201)
    body = {"external_user_id": "u", "market_id": other, "side": "yes", "stake_kopecks": 100}
    shares = expect(partner.client.post("/partner/bets", json=body), 201)["shares"]

    grown = split(service, pool["id"], "Dana")

    new = grown["markets"][3]["id"]
    rows = expect(person.client.get("/users/me/transactions"), 200)["transactions"]
    assert [(row["type"], row["change_kopecks"], row["market_id"], row["token_type"]) for row in rows[:2]] == [
        ("split", 0, new, "YES"),
        ("bet", -300, other, "YES"),
    ]
    first = expect(person.client.get("/users/me/transactions", params={"limit": 1}), 200)
    rest = {"limit": 100, "cursor": first["next_cursor"]}
    assert (
        first["transactions"] + expect(person.client.get("/users/me/transactions", params=rest), 200)["transactions"]
        == rows
    )
    (notice,) = [
        one
        for one in expect(person.client.get("/notifications"), 200)["notifications"]
        if one["type"] == "outcome_added"
    ]
    assert (notice["params"]["market_name"], notice["params"]["shares"]) == ("Dana", 530)
    lines = expect(partner.client.get("/partner/transactions"), 200)["transactions"]
    line = lines[0]
    assert (line["type"], line["market_id"], line["side"], line["shares"]) == ("split", new, "yes", shares)
    assert (line["float_change_kopecks"], line["balance_change_kopecks"]) == (0, 0)
    assert [one["type"] for one in lines] == ["split", "bet", "deposit"]
    only = expect(partner.client.get("/partner/transactions", params={"type": "split"}), 200)["transactions"]
    assert only == [line]

    expect(service.creator.client.post(f"/pools/{pool['id']}/resolve", json={"won_side": 3, "outcomes": 4}), 200)

    assert balance(person) == 700 + 530
    assert held(person) == {}


@proves("lists: A split is no trade.", "lists: Nothing undoes it.")
def test_a_split_is_no_trade(service: Service) -> None:
    event = service.event(pools=[list_pool()])
    (pool,) = event["pools"]
    expect(bet(service.user(balance_kopecks=1_000), market_ids(pool)[2], "YES", 300), 201)
    split(service, pool["id"], "Dana")
    page = expect(service.client().get(f"/events/{event['id']}/page"), 200)
    assert (page["volume_kopecks"], page["pools"][0]["trades"]) == (300, 1)
    trades = expect(service.client().get(f"/events/{event['id']}/trades"), 200)["trades"]
    assert len(trades) == 1
    for method in ("DELETE", "PUT", "PATCH"):
        refused(service.creator.client.request(method, f"/pools/{pool['id']}/outcomes"), 405, "method_not_allowed")


@proves("lists: `slippage` (λ · Other's price over 0.005 from `probability`), `house_limit`.")
def test_a_split_over_the_creators_limit_is_refused(start_service: Any) -> None:
    service = start_service(house_limit_kopecks=2_000)
    pool = open_list(service)
    refused(add_outcome(service.creator.client, pool["id"], "Dana", probability=0.9), 409, "slippage")
    answer = refused(add_outcome(service.creator.client, pool["id"], "Dana"), 409, "house_limit")
    assert answer["details"] == {"required": 471, "available": 390}
    assert split(service, pool["id"], "Dana", 0.5)["splits"][0]["subsidy_kopecks"] == 0
