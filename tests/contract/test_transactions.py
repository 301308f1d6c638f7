"""The client's interface: every movement of a person's money. Random lives add up to the balance."""

from __future__ import annotations

import random
from typing import Any

import pytest

from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.lengths import LONG, length
from tests.support.orders import balance
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

SHAPE = (
    "client: | 9 | GET /users/me/transactions (Required) | page `transactions`: `{id, type: "
    "bet|sale|settlement|credit, change_kopecks, event_id, event_name, event_name_ru, market_id, market_name, "
    "token_type, note, created_at}`"
)
SUM = "client: they add up to the balance |"
FIELDS = {
    *("id", "type", "change_kopecks", "event_id", "event_name", "event_name_ru", "market_id", "market_name"),
    *("token_type", "note", "order_id", "basket_id", "created_at"),
}
PATH = "/users/me/transactions"


def transactions(person: Person, *, limit: int = 100) -> list[dict[str, Any]]:
    """Return all pages, the newest first."""
    rows: list[dict[str, Any]] = []
    query: dict[str, Any] = {"limit": limit}
    while True:
        page = expect(person.client.get(PATH, params=query), 200)
        assert page.keys() == {"transactions", "next_cursor", "has_more"}
        assert len(page["transactions"]) <= limit
        rows += page["transactions"]
        if not page["has_more"]:
            return rows
        query["cursor"] = page["next_cursor"]


def order(person: Person, path: str, market: int, side: str = "YES", **fields: int) -> dict[str, Any]:
    body = {"market_id": market, "token_type": side, **fields}
    receipt: dict[str, Any] = expect(person.client.post(path, json=body), 201)
    return receipt


@proves(SHAPE, SUM)
def test_what_moved_the_money_is_listed_with_what_it_was_about(service: Service) -> None:
    event = service.event(name="Cup", name_ru="Кубок", pools=[pool(["Red", "Blue"], margin=0.1)])
    red, blue = (market["id"] for market in event["pools"][0]["markets"])
    person = service.user()
    expect(
        service.admin.post(f"/admin/users/{person.id}/credit", json={"amount_kopecks": 5_000, "note": "Welcome"}), 201
    )
    order(person, "/market/bets", red, amount_kopecks=1_000)
    bought = order(person, "/market/bets", blue, "NO", amount_kopecks=500)
    sale = order(person, "/market/positions/sell", red, shares=300)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(service.admin.post(f"/admin/users/{person.id}/credit", json={"amount_kopecks": -70}), 201)
    rows = transactions(person)

    assert all(row.keys() == FIELDS for row in rows)
    about = {"event_id": event["id"], "event_name": "Cup", "event_name_ru": "Кубок", "note": ""}
    of_red = about | {"market_id": red, "market_name": "Red", "token_type": "YES"}
    of_blue = about | {"market_id": blue, "market_name": "Blue", "token_type": "NO"}
    nothing = {"event_id": None, "event_name": "", "event_name_ru": "", "market_id": None, "market_name": ""}
    credit = {"type": "credit", "token_type": None, **nothing}
    shown = [{name: row[name] for name in FIELDS - {"id", "order_id", "basket_id", "created_at"}} for row in rows]
    settled = sorted(shown[1:3], key=lambda row: row["market_id"])
    won = settled[0]["change_kopecks"]
    assert [shown[0], *settled, *shown[3:]] == [
        credit | {"change_kopecks": -70, "note": ""},
        of_red | {"type": "settlement", "change_kopecks": won},
        of_blue | {"type": "settlement", "change_kopecks": bought["shares"]},
        of_red | {"type": "sale", "change_kopecks": sale["payout_kopecks"]},
        of_blue | {"type": "bet", "change_kopecks": -500},
        of_red | {"type": "bet", "change_kopecks": -1_000},
        credit | {"change_kopecks": 5_000, "note": "Welcome"},
    ]
    assert rows[3]["created_at"] == sale["created_at"]
    assert sum(row["change_kopecks"] for row in rows) == balance(person)


@proves(SHAPE, SUM)
def test_a_position_that_lost_is_a_settlement_of_nothing(service: Service) -> None:
    event = service.event()
    market = event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=1_000)
    order(person, "/market/bets", market, amount_kopecks=1_000)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)

    assert [(row["type"], row["change_kopecks"]) for row in transactions(person)] == [
        ("settlement", 0),
        ("bet", -1_000),
        ("credit", 1_000),
    ]


class Life:
    """What a few people do in some events, at random."""

    def __init__(self, service: Service, chance: random.Random) -> None:
        self._service = service
        self._chance = chance
        self.people = [service.user(balance_kopecks=20_000) for _ in range(2)]
        self._open = [
            service.event(pools=[pool(["A", "B"], b=5_000, margin=chance.choice([0, 0.07])), pool(b=3_000)])
            for _ in range(3)
        ]

    def go_on(self) -> None:
        """Do one thing; a refused order moves nothing."""
        person, event = self._chance.choice(self.people), self._chance.choice(self._open)
        each = self._chance.choice(event["pools"])
        market, side = self._chance.choice(each["markets"])["id"], self._chance.choice(["YES", "NO"])
        body = {"market_id": market, "token_type": side}
        match self._chance.randrange(12):
            case 0:
                amount = self._chance.choice([1, 900, -1, -400])
                note = {"amount_kopecks": amount, "note": self._chance.choice(["", "gift"])}
                answer = self._service.admin.post(f"/admin/users/{person.id}/credit", json=note)
                assert answer.status_code in {201, 409}
            case 1 | 2 | 3:
                shares = self._chance.choice([{}, {"shares": self._chance.randrange(1, 300)}])
                answer = person.client.post("/market/positions/sell", json=body | shares)
                assert answer.status_code in {201, 400, 409}
            case _:
                stake = {"amount_kopecks": self._chance.randrange(1, 2_000)}
                assert person.client.post("/market/bets", json=body | stake).status_code in {201, 400, 409}

    def end(self) -> None:
        """Resolve some pools in every way, cancel an event, and leave the rest open."""
        creator = self._service.creator.client
        for each, resolution in zip(
            self._open[0]["pools"], ({"payouts": [0.4, 0.6]}, {"won_side": self._chance.randrange(2)}), strict=True
        ):
            expect(creator.post(f"/pools/{each['id']}/resolve", json=resolution), 200)
        expect(creator.post(f"/pools/{self._open[1]['pools'][0]['id']}/resolve", json={"void": True}), 200)
        expect(creator.post(f"/events/{self._open[2]['id']}/cancel"), 200)
        del self._open[2]


@proves(SUM)
@LONG
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("seed", range(length(short=2, long=3)))
def test_random_lives_add_up_to_the_balance_on_pages_of_any_size(service: Service, seed: int) -> None:
    chance = random.Random(seed)
    life = Life(service, chance)
    for _ in range(40):
        life.go_on()
    life.end()
    # Of the first two events some pools are settled: orders there are refused.
    for _ in range(15):
        life.go_on()

    for person in life.people:
        rows = transactions(person)
        assert sum(row["change_kopecks"] for row in rows) == balance(person)
        assert len({row["id"] for row in rows}) == len(rows)
        times = [row["created_at"] for row in rows]
        assert times == sorted(times, reverse=True)
        for limit in (1, 3, 7):
            assert transactions(person, limit=limit) == rows
        portfolio = expect(person.client.get("/users/me/portfolio"), 200)
        credited = sum(row["change_kopecks"] for row in rows if row["type"] == "credit")
        in_shares = portfolio["cost_kopecks"] - portfolio["realized_kopecks"]
        assert portfolio["balance_kopecks"] == credited - in_shares


@proves(SHAPE)
def test_transactions_are_ones_own(service: Service) -> None:
    refused(service.client().get(PATH), 401, "unauthorized")
    assert transactions(service.user()) == []
    person, other = service.user(balance_kopecks=1_000), service.user(balance_kopecks=1_000)
    expect(service.admin.post(f"/admin/users/{person.id}/credit", json={"amount_kopecks": 1}), 201)
    cursor = expect(person.client.get(PATH, params={"limit": 1}), 200)["next_cursor"]
    assert cursor
    refused(other.client.get(PATH, params={"cursor": cursor}), 400, "invalid_cursor")
    assert [row["change_kopecks"] for row in transactions(person)] == [1, 1_000]


@proves(SHAPE)
def test_what_happens_meanwhile_moves_no_row_to_another_page(service: Service) -> None:
    market = service.event()["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=5_000)
    for stake in (100, 200, 300):
        order(person, "/market/bets", market, amount_kopecks=stake)
    first = expect(person.client.get(PATH, params={"limit": 2}), 200)
    order(person, "/market/positions/sell", market)
    service.credit(person.id, 7)
    rest = expect(person.client.get(PATH, params={"limit": 10, "cursor": first["next_cursor"]}), 200)

    shown = [row["change_kopecks"] for row in [*first["transactions"], *rest["transactions"]]]
    assert shown == [-300, -200, -100, 5_000]
