"""The client's interface: a trader's positions with their costs, and sums of what they have."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
import sqlalchemy as sa

from tests.support.book import bps
from tests.support.kinds import ONCE
from tests.support.orders import balance
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

POSITIONS = (
    "client: | 7 | GET /users/me/positions (Required) `?state=open|closed&event_id=` | page `positions`: the fields of "
    "the open or closed ones, and `cost_kopecks, opened_at, event_name_ru, pool_name_ru, outcome_index`"
)
CLOSED = "client: closed + `proceeds_kopecks, void: bool` |"
PORTFOLIO = (
    "client: | 8 | GET /users/me/portfolio (Required) | `{balance_kopecks, value_kopecks, cost_kopecks, "
    "realized_kopecks, open, closed}` |"
)
BOTH = {
    *("id", "user_id", "market_id", "token_type", "amount", "avg_price", "pnl", "event_id", "event_name", "pool_id"),
    *("pool_name", "market_name", "cost_kopecks", "opened_at", "event_name_ru", "pool_name_ru", "outcome_index"),
}


def bet(person: Person, market: int, stake: int, side: str = "YES") -> int:
    order = {"market_id": market, "token_type": side, "amount_kopecks": stake}
    return int(expect(person.client.post("/market/bets", json=order), 201)["shares"])


def sell(person: Person, market: int, shares: int | None = None, side: str = "YES") -> dict[str, Any]:
    order = {"market_id": market, "token_type": side, "shares": shares}
    sale: dict[str, Any] = expect(person.client.post("/market/positions/sell", json=order), 201)
    return sale


def resolve(service: Service, event: dict[str, Any], **resolution: Any) -> None:
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json=resolution), 200)


def positions(person: Person, **query: Any) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = expect(person.client.get("/users/me/positions", params=query), 200)["positions"]
    return rows


def portfolio(person: Person) -> dict[str, int]:
    sums: dict[str, int] = expect(person.client.get("/users/me/portfolio"), 200)
    assert sums.keys() == {
        "balance_kopecks",
        "held_kopecks",
        "value_kopecks",
        "cost_kopecks",
        "realized_kopecks",
        "open",
        "closed",
    }
    return sums


@proves(POSITIONS)
def test_an_open_position_shows_what_is_held_cost(service: Service) -> None:
    of_pool = pool(["Reds", "Blues"], margin=0.05, name="Winner", name_ru="Победитель")
    event = service.event(name="The derby", name_ru="Дерби", pools=[of_pool])
    blues = event["pools"][0]["markets"][1]["id"]
    person = service.user(balance_kopecks=10_000)
    shares = bet(person, blues, 3_000)
    sale = sell(person, blues, 1_000)
    (row,) = positions(person)
    (older,) = expect(person.client.get("/market/positions"), 200)["positions"]

    assert row.keys() == BOTH | {"value_kopecks", "decided_kopecks", "reserved_shares"}
    assert {name: row[name] for name in older} == older
    cost = 3_000 - 3_000 * 1_000 // shares
    assert (row["amount"], row["cost_kopecks"], row["pnl"]) == (shares - 1_000, cost, sale["pnl"])
    assert row["avg_price"] == bps(cost, shares - 1_000)
    assert (row["event_name_ru"], row["pool_name_ru"], row["outcome_index"]) == ("Дерби", "Победитель", 1)
    opened = datetime.fromisoformat(row["opened_at"])
    assert opened <= datetime.fromisoformat(sale["created_at"])


@proves(POSITIONS, CLOSED)
def test_closed_positions_sold_won_lost_and_void_stand_in_one_list(service: Service) -> None:
    events = [service.event(pools=[pool(["A", "B"], name_ru="Кто?")]) for _ in range(4)]
    sold, won, lost, void = ([market["id"] for market in event["pools"][0]["markets"]] for event in events)
    person = service.user(balance_kopecks=100_000)
    shares = {market: bet(person, market, 1_000) for market in (sold[0], won[0], lost[0], void[0])}
    paid = {sold[0]: sell(person, sold[0])["payout_kopecks"], won[0]: shares[won[0]], lost[0]: 0}
    resolve(service, events[1], won_side=0)
    resolve(service, events[2], won_side=1)
    before = balance(person)
    resolve(service, events[3], void=True)
    paid[void[0]] = balance(person) - before
    rows = positions(person, state="closed")

    assert [row["market_id"] for row in rows] == [void[0], lost[0], won[0], sold[0]]
    older = expect(person.client.get("/market/positions/completed"), 200)["positions"]
    for row, plain in zip(rows, older, strict=True):
        market = row["market_id"]
        assert row.keys() == BOTH | {"won_side", "closed_at", "proceeds_kopecks", "void"}
        assert {name: row[name] for name in plain} == plain
        assert (row["amount"], row["cost_kopecks"]) == (shares[market], 1_000)
        assert row["proceeds_kopecks"] == paid[market] == 1_000 + row["pnl"]
        assert row["void"] is (market == void[0])
        assert (row["pool_name_ru"], row["outcome_index"]) == ("Кто?", 0)
    assert [row["won_side"] for row in rows] == [None, 1, 0, None]


@proves(CLOSED)
def test_neither_a_split_payment_nor_a_sale_before_a_void_is_void(service: Service) -> None:
    split, voided = service.event(), service.event()
    person = service.user(balance_kopecks=10_000)
    first, second = (event["pools"][0]["markets"][0]["id"] for event in (split, voided))
    bet(person, first, 1_000)
    bet(person, second, 1_000)
    sell(person, second)
    resolve(service, split, payouts=[0.4, 0.6])
    resolve(service, voided, void=True)

    assert [(row["market_id"], row["won_side"], row["void"]) for row in positions(person, state="closed")] == [
        (first, None, False),
        (second, None, False),
    ]


@proves(POSITIONS)
@pytest.mark.parametrize("state", ["open", "closed"])
def test_positions_of_one_event_alone_are_a_list_too(service: Service, state: str) -> None:
    event, other = service.event(pools=[pool(["A", "B"]), pool()]), service.event()
    inside = [market["id"] for each in event["pools"] for market in each["markets"]]
    outside = other["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=100_000)
    order = [inside[1], outside, inside[0], inside[2]]
    for market in order:
        bet(person, market, 500)
        bet(person, market, 500, "NO")
    if state == "closed":
        for market in order:
            sell(person, market)
            sell(person, market, side="NO")
    wanted = [market for market in reversed(order) if market != outside for _ in range(2)]
    query = {"state": state, "event_id": event["id"]}

    assert [row["market_id"] for row in positions(person, **query)] == wanted
    walked: list[int] = []
    page: dict[str, Any] = {"next_cursor": None, "has_more": True}
    while page["has_more"]:
        cursor = {"cursor": page["next_cursor"]} if page["next_cursor"] else {}
        page = expect(person.client.get("/users/me/positions", params=query | {"limit": 4} | cursor), 200)
        walked += [row["market_id"] for row in page["positions"]]
    assert walked == wanted
    assert positions(person, state=state, event_id=2**63 - 1) == []
    assert len(positions(person, state=state)) == 8


@proves(POSITIONS)
@ONCE
def test_a_cursor_of_one_state_or_event_is_no_cursor_of_another(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"])])
    person = service.user(balance_kopecks=10_000)
    for market in event["pools"][0]["markets"]:
        bet(person, market["id"], 500)
    path = "/users/me/positions"
    whole = expect(person.client.get(path, params={"limit": 1}), 200)["next_cursor"]
    of_event = {"event_id": event["id"], "limit": 1}
    part = expect(person.client.get(path, params=of_event), 200)["next_cursor"]

    assert whole
    assert part
    for query in ({"cursor": part}, {"cursor": whole, "event_id": event["id"]}, {"cursor": whole, "state": "closed"}):
        refused(person.client.get(path, params=query), 400, "invalid_cursor")
    refused(person.client.get("/market/positions", params={"cursor": whole}), 400, "invalid_cursor")


@proves(POSITIONS)
@ONCE
@pytest.mark.parametrize("query", ["state=won", "state=", "event_id=0", "event_id=x", "event_id=01", "event_id=1.0"])
def test_another_state_or_a_broken_event_is_a_bad_request(service: Service, query: str) -> None:
    refused(service.admin.get(f"/users/me/positions?{query}"), 400, "bad_request")


@proves(POSITIONS, PORTFOLIO)
@ONCE
def test_what_one_has_is_shown_to_oneself(service: Service) -> None:
    for path in ("/users/me/positions", "/users/me/portfolio"):
        refused(service.client().get(path), 401, "unauthorized")
    assert positions(service.user()) == []


@proves(PORTFOLIO)
def test_a_portfolio_sums_up_what_the_lists_show(service: Service) -> None:
    events = [service.event(pools=[pool(["A", "B"], margin=0.02)]) for _ in range(3)]
    markets = [event["pools"][0]["markets"][0]["id"] for event in events]
    person = service.user(balance_kopecks=50_000)
    assert portfolio(person) == {
        "balance_kopecks": 50_000,
        "held_kopecks": 0,
        "value_kopecks": 0,
        "cost_kopecks": 0,
        "realized_kopecks": 0,
        "open": 0,
        "closed": 0,
    }
    for market in markets:
        bet(person, market, 4_000)
        bet(person, market, 1_000, "NO")
    sell(person, markets[0], 500)
    sell(person, markets[0], side="NO")
    resolve(service, events[1], won_side=1)
    held, closed = positions(person, limit=100), positions(person, state="closed", limit=100)

    assert portfolio(person) == {
        "balance_kopecks": balance(person),
        "held_kopecks": 0,
        "value_kopecks": sum(row["value_kopecks"] for row in held),
        "cost_kopecks": sum(row["cost_kopecks"] for row in held),
        "realized_kopecks": sum(row["pnl"] for row in [*held, *closed]),
        "open": len(held),
        "closed": len(closed),
    }
    assert (len(held), len(closed)) == (3, 3)
    points = expect(person.client.get("/users/me/pnl/chart"), 200)["points"]
    assert portfolio(person)["realized_kopecks"] == round(points[-1]["pnl"] * 100)


@proves(PORTFOLIO)
def test_what_a_release_before_left_uncounted_is_counted_by_the_next_look(service: Service) -> None:
    market = service.event()["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=50_000)

    def close_one() -> None:
        bet(person, market, 500)
        sell(person, market)

    def change(statement: str) -> None:
        service.server.run(
            service.app.db.write(lambda tx: tx.execute(sa.text(f"{statement} WHERE user_id = {person.id}")))
        )

    close_one()
    close_one()
    # As the release before leaves them: no count at all, and later points that were not counted.
    change("UPDATE pnl_totals SET closed_positions = NULL, closed_ordinal = NULL")
    close_one()
    assert portfolio(person)["closed"] == 3
    change("UPDATE pnl_totals SET closed_positions = closed_positions - 1, closed_ordinal = closed_ordinal - 1")
    close_one()
    assert portfolio(person)["closed"] == 4
    close_one()
    assert portfolio(person)["closed"] == 5
