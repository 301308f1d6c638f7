"""What lists show of the time before a split, and what follows from one (lists.md, "The past")."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import pytest

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS, iso
from tests.site.live.watching import viewing
from tests.support.kinds import ONCE
from tests.support.lists import NAMES, PRIORS, add_outcome, held, list_pool, open_list, read_pool, split
from tests.support.orders import balance, bet
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, refused
from tests.support.waiting import wait_until


def ids(pool: dict[str, Any]) -> list[int]:
    return [market["id"] for market in pool["markets"]]


def prices(pool: dict[str, Any]) -> list[float]:
    return [market["yes_probability"] for market in pool["markets"]]


def sign_in(service: Service, *people: Person) -> None:
    """Sign people in again, whose tokens have ended."""
    service.sign_out_shared()
    for person in people:
        person.client.headers["Authorization"] = f"Bearer {service.sign_in(person.email, PASSWORD)}"


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


@proves(
    "lists: **The past.**",
    "lists: Before a split the new outcome's probability is λ of Other's then, and Other's is 1 − λ of it; before "
    "several they are taken one after the other, the earliest first: so pays a void at a moment, so compare `_24h`, "
    "`moved`, `event_moved`.",
    "lists: Pool charts keep Other whole there and hold 0 for the new one, whose own chart and `spark` begin at the "
    "split;",
    "lists: is shown last and comes last in `top`, whose four go by price.",
)
def test_the_time_before_is_shown_as_it_was(moving_service: Service) -> None:
    service = moving_service
    event = service.event(pools=[list_pool()])
    (pool,) = event["pools"]
    ann, _, other = ids(pool)
    person = service.user(balance_kopecks=5_000)
    shares = expect(bet(person, other, "YES", 300), 201)["shares"]
    service.clock.advance(2 * DAY_MS)
    sign_in(service, person)
    expect(bet(person, ann, "YES", 400), 201)
    before = prices(read_pool(service, pool["id"]))
    moment = iso(service.clock())
    service.clock.advance(DAY_MS + HOUR_MS)
    sign_in(service, person)

    first = split(service, pool["id"], "Dana")
    second = split(service, pool["id"], "Eve", 0.5)

    then = [before[0], before[1], before[2] * 0.75 * 0.5, before[2] * 0.25, before[2] * 0.75 * 0.5]
    assert prices(second) == pytest.approx(then, rel=1e-9)
    (page,) = expect(service.client().get(f"/events/{event['id']}/page"), 200)["pools"]
    assert page["probabilities_24h"] == pytest.approx(then, rel=1e-9)
    cards = expect(service.client().get("/cards", params={"q": event["name"]}), 200)["cards"]
    card = next(one for one in cards if one["event_id"] == event["id"])["pool"]
    assert card["outcomes"] == 5
    by_price = sorted(range(5), key=lambda index: -then[index])[:4]
    expected = [index for index in by_price if index != 2] + [index for index in by_price if index == 2]
    assert [one["outcome_index"] for one in card["top"]] == expected
    assert [one["probability_24h"] for one in card["top"]] == pytest.approx([then[index] for index in expected])
    at_ms = ms(first["splits"][0]["at"])
    for name in ("1h", "1d", "1w", "1m", "all"):
        charts = expect(service.client().get(f"/pools/{pool['id']}/charts", params={"range": name}), 200)[name]
        assert charts[-1]["values"] == pytest.approx(prices(second))
        for point in charts:
            assert len(point["values"]) == 5
            assert sum(point["values"]) == pytest.approx(1)
            if ms(point["timestamp"]) < at_ms:
                assert point["values"][3:] == [0, 0]
    new = expect(service.client().get(f"/markets/{ids(first)[3]}/chart"), 200)
    assert (ms(new[0]["timestamp"]), new[0]["probability"]) == (at_ms, pytest.approx(then[3]))
    own = expect(service.client().get(f"/markets/{other}/chart"), 200)
    assert own[-1]["probability"] == pytest.approx(then[2])
    assert own[-2]["probability"] == pytest.approx(before[2])

    held_before = balance(person)
    expect(service.admin.post(f"/pools/{pool['id']}/resolve", json={"void": True, "at": moment}), 200)
    paid = [int(shares * then[index]) for index in (2, 3, 4)]
    of_ann = balance(person) - held_before - sum(paid)
    assert of_ann > 0
    rows = expect(person.client.get("/users/me/transactions", params={"limit": 100}), 200)["transactions"]
    settled = {row["market_id"]: row["change_kopecks"] for row in rows if row["type"] == "settlement"}
    assert [settled[ids(second)[index]] for index in (2, 3, 4)] == paid


@proves("lists: /ws/live sends `state` with more `probabilities`: read the event again.")
def test_who_watches_is_sent_the_state(service: Service) -> None:
    event = service.event(pools=[list_pool()])
    with viewing(service) as viewer:
        (now,) = viewer.watch(event["id"])
        assert len(now["pools"][0]["probabilities"]) == 3
        split(service, event["pools"][0]["id"], "Dana")
        state = viewer.state(lambda one: len(one["pools"][0]["probabilities"]) == 4)
        assert state["pools"][0]["probabilities"][3] == pytest.approx(0.125)


@proves("lists: alerts on Other take it as new priors.")
def test_an_alert_on_other_is_reached_by_a_split(service: Service) -> None:
    pool = open_list(service)
    person = service.user()
    ann, _, other = ids(pool)
    expect(person.client.put(f"/markets/{other}/alert", json={"below": 4_000}), 200)
    expect(person.client.put(f"/markets/{ann}/alert", json={"below": 1_000}), 200)
    split(service, pool["id"], "Dana")

    def alerts() -> list[dict[str, Any]]:
        shown = expect(person.client.get("/notifications"), 200)["notifications"]
        return [one for one in shown if one["type"] == "price_alert"]

    wait_until(alerts)
    (notice,) = alerts()
    assert notice["params"]["after_bps"] == 3_750
    (left,) = expect(person.client.get("/users/me/alerts"), 200)["alerts"]
    assert left["market_id"] == ann


def test_who_holds_the_new_outcome_is_listed(service: Service) -> None:
    pool = open_list(service)
    person = service.user(balance_kopecks=1_000)
    other = ids(pool)[2]
    shares = expect(bet(person, other, "YES", 300), 201)["shares"]
    split(service, pool["id"], "Dana")

    def holders() -> list[Any]:
        shown = expect(service.client().get(f"/pools/{pool['id']}/holders"), 200)["markets"]
        return [[one["shares"] for one in market["yes"]] for market in shown]

    wait_until(lambda: holders() == [[], [], [shares], [shares]])
    assert held(person).keys() == {other, ids(read_pool(service, pool["id"]))[3]}


@proves("lists: /record counts a list as it then stood: what came later is Other's.")
def test_the_record_counts_a_list_as_it_then_stood(moving_service: Service) -> None:
    service = moving_service
    tag = f"lists-{service.clock()}"
    finish_at = iso(service.clock() + 10 * DAY_MS)
    event = service.event(tags=[tag], pools=[list_pool(b=100_000, finish_at=finish_at)])
    (pool,) = event["pools"]
    traders = [service.user(balance_kopecks=1_000) for _ in range(5)]
    for trader in traders:
        expect(bet(trader, ids(pool)[0], "YES", 500), 201)
    then = prices(read_pool(service, pool["id"]))
    service.clock.advance(8 * DAY_MS)
    service.sign_out_shared()
    split(service, pool["id"], "Dana")
    service.clock.advance(DAY_MS)
    service.sign_out_shared()
    expect(service.creator.client.post(f"/pools/{pool['id']}/resolve", json={"won_side": 3}), 200)

    def record(horizon: str) -> dict[str, Any]:
        shown: dict[str, Any] = expect(service.client().get("/record", params={"tag": tag, "horizon": horizon}), 200)
        return shown

    wait_until(lambda: record("mid")["pools"] == 1)
    mid = record("mid")
    assert mid["markets"] == 3
    # Other won, as it then stood.
    errors = [(then[index] - (index == 2)) ** 2 for index in range(3)]
    assert mid["brier"] == pytest.approx(sum(errors) / 3)
    hour = record("1h")
    assert hour["markets"] == 4
    late = [then[0], then[1], then[2] * 0.75, then[2] * 0.25]
    assert hour["brier"] == pytest.approx(sum((late[index] - (index == 3)) ** 2 for index in range(4)) / 4)
    first = [*PRIORS[:2], PRIORS[2] * 0.75, PRIORS[2] * 0.25]
    assert hour["base_brier"] == pytest.approx(sum((first[index] - (index == 3)) ** 2 for index in range(4)) / 4)


@proves(
    "lists: `liquidity` keeps each step's outcomes.",
    "lists: Later instances of a series begin with the list as sent.",
)
def test_a_series_begins_with_the_list_as_sent(moving_service: Service) -> None:
    service = moving_service
    finish_at = iso(service.clock() + HOUR_MS)
    event = service.event(pools=[list_pool(finish_at=finish_at)], loop_interval_minutes=60, tags=[])
    grown = split(service, event["pools"][0]["id"], "{number} {{")
    assert [len(step["q_yes"]) for step in grown["liquidity"]] == [3]
    body = {"lmsr_b_kopecks": 2_000, "probabilities": prices(grown)}
    raised = expect(service.creator.client.post(f"/pools/{grown['id']}/liquidity", json=body), 200)
    assert [len(step["probabilities"]) for step in raised["liquidity"]] == [3, 4]
    # Texts are filled in again where an end moves; the added name stays as it was sent.
    moved = {"finish_at": iso(service.clock() + HOUR_MS + MINUTE_MS)}
    edited = expect(service.creator.client.patch(f"/pools/{grown['id']}", json=moved), 200)
    assert [market["name"] for market in edited["markets"]] == [*NAMES, "{number} {{"]
    service.clock.advance(2 * HOUR_MS)
    service.sign_out_shared()
    series = expect(service.client().get(f"/events/{event['id']}"), 200)["series"]["id"]

    def instances() -> list[dict[str, Any]]:
        shown: list[dict[str, Any]] = expect(service.client().get("/events", params={"series": series}), 200)["events"]
        return shown

    wait_until(lambda: len(instances()) == 2)
    (next_pool,) = instances()[0]["pools"]
    assert [market["name"] for market in next_pool["markets"]] == list(NAMES)
    assert (next_pool["splits"], next_pool["other"]) == ([], 2)


@proves("lists: event page: `may` + `outcome`, `house` + `other_bound_kopecks` (c; null).")
@ONCE
def test_the_event_page_says_who_may_and_what_it_costs(service: Service) -> None:
    event = service.event(pools=[list_pool()])
    (pool,) = event["pools"]

    def page(client: Any) -> dict[str, Any]:
        shown: dict[str, Any] = expect(client.get(f"/events/{event['id']}/page"), 200)
        return shown

    shown = page(service.creator.client)
    assert "outcome" in shown["may"]
    assert shown["pools"][0]["house"]["other_bound_kopecks"] == 694
    assert page(service.client())["may"] == []
    split(service, pool["id"], "Dana")
    assert page(service.creator.client)["pools"][0]["house"]["other_bound_kopecks"] == 694 + 288
    expect(service.creator.client.post(f"/pools/{pool['id']}/resolve", json={"won_side": 0}), 200)
    assert "outcome" not in page(service.creator.client)["may"]
    plain = service.event()
    shown = expect(service.creator.client.get(f"/events/{plain['id']}/page"), 200)
    assert shown["pools"][0]["house"]["other_bound_kopecks"] is None
    assert "outcome" not in shown["may"]


def test_what_is_over_or_full_is_not_split(moving_service: Service) -> None:
    service = moving_service
    ended = open_list(service, finish_at=iso(service.clock() + MINUTE_MS))
    names = [f"Name {number}" for number in range(99)]
    many = [list_pool([*names, "Other"], probabilities=[0.01] * 100) for _ in range(9)]
    few = list_pool([*names[:98], "Other"], probabilities=[*[0.01] * 98, 0.02])
    service.clock.advance(2 * MINUTE_MS)
    service.sign_out_shared()
    refused(add_outcome(service.creator.client, ended["id"], "Dana"), 409, "invalid_state")
    almost = service.event(pools=[*many, few, {"metadata": {"lmsr_b_kopecks": 1_000}}])["pools"]
    refused(add_outcome(service.creator.client, almost[9]["id"], "Dana", probability=0.005), 409, "invalid_state")


def test_a_bet_beside_a_split_on_two_servers_means_what_its_trader_knew(start_service: Any) -> None:
    first, second = start_service(), start_service()
    pool = open_list(first, b=100_000)
    other = ids(pool)[2]
    traders = [first.user(balance_kopecks=10_000) for _ in range(8)]
    shot = {"json": {"market_id": other, "token_type": "YES", "amount_kopecks": 100, "outcomes": 3}}
    with ThreadPoolExecutor(3) as threads:
        bets = [
            threads.submit(
                one.together, [("POST", "/market/bets", shot)] * 24, tokens=[trader.token for trader in traders]
            )
            for one in (first, second)
        ]
        made = threads.submit(
            first.together,
            [
                (
                    "POST",
                    f"/pools/{pool['id']}/outcomes",
                    {"json": {"name": "Dana", "share": 0.25, "probability": 0.128}},
                )
            ],
            tokens=[first.creator.token],
        )
        answers = [answer for some in bets for answer in some.result()]
        (answer,) = made.result()
    grown = expect(answer, 201)
    new = ids(grown)[3]
    for one in answers:
        if one.status_code != 201:
            refused(one, 409, "slippage")
    # Every server trades the new market at once.
    late = {"market_id": new, "token_type": "YES", "amount_kopecks": 100, "outcomes": 4}
    for one in (first, second):
        expect(one.client(token=traders[0].token).post("/market/bets", json=late), 201)
    bought = {trader.id: 0 for trader in traders}
    for position, one in enumerate(answers):
        if one.status_code == 201:
            bought[traders[position % 24 % 8].id] += one.json()["shares"]
    shown = {trader.id: held(trader) for trader in traders}
    for trader in traders[1:]:
        amounts = [one["amount"] for one in shown[trader.id].values()]
        assert amounts in ([bought[trader.id]] * 2, [])
