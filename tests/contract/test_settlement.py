"""Decisions, "Pricing" and "Trading": what a settlement pays, what becomes of positions, where money goes."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from tests.support.book import Book, bps
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.orders import balance
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool

FLOOR = "decisions: Settlement: floor(shares · payout)."
NO = "decisions: NO pays 1 − the payout of its market."
VOID = "decisions: A void pays every share its market's last probability (or that of a named moment), not its stake:"


def bet(person: Person, market_id: int, side: str, stake: int) -> dict[str, Any]:
    order = {"market_id": market_id, "token_type": side, "amount_kopecks": stake}
    placed: dict[str, Any] = expect(person.client.post("/market/bets", json=order), 201)
    return placed


def closed(person: Person) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = expect(person.client.get("/market/positions/completed"), 200)["positions"]
    return rows


@proves(
    FLOOR,
    NO,
    "decisions: a payout of 0.29 on 100 shares is 29.",
    "decisions: Units: one share (a share cent) pays one kopeck if it wins",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("resolution", "yes_pays"),
    [
        ({"won_side": 0}, Fraction(1)),
        ({"won_side": 1}, Fraction(0)),
        ({"payouts": [0.29, 0.71]}, Fraction(29, 100)),
        ({"payouts": [0.1, 0.9]}, Fraction(1, 10)),
        ({"payouts": [0.3333333333333333, 0.6666666666666667]}, Fraction(3333333333333333, 10**16)),
    ],
)
def test_a_yes_no_question_pays_both_sides(service: Service, resolution: dict[str, Any], yes_pays: Fraction) -> None:
    event = service.event(pools=[pool(b=10_000)])
    market = event["pools"][0]["markets"][0]["id"]
    yes, no = service.user(balance_kopecks=1_000), service.user(balance_kopecks=1_000)
    yes_shares = bet(yes, market, "YES", 777)["shares"]
    no_shares = bet(no, market, "NO", 333)["shares"]
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json=resolution), 200)

    assert balance(yes) == 1_000 - 777 + int(yes_shares * yes_pays)
    assert balance(no) == 1_000 - 333 + int(no_shares * (1 - yes_pays))


@proves(FLOOR, NO)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("resolution", "pays"),
    [
        ({"won_side": 1}, [Fraction(0), Fraction(1), Fraction(0)]),
        ({"payouts": [0.07, 0.29, 0.64]}, [Fraction(7, 100), Fraction(29, 100), Fraction(64, 100)]),
        ({"payouts": [0.5, 0.5, 0]}, [Fraction(1, 2), Fraction(1, 2), Fraction(0)]),
    ],
)
def test_a_pool_of_several_pays_every_side_of_every_outcome(
    service: Service, resolution: dict[str, Any], pays: list[Fraction]
) -> None:
    event = service.event(pools=[pool(["A", "B", "C"], probabilities=[0.5, 0.3, 0.2], b=5_000)])
    markets = [market["id"] for market in event["pools"][0]["markets"]]
    person = service.user(balance_kopecks=10_000)
    expected = 10_000
    for index, market in enumerate(markets):
        for side, stake in (("YES", 211 + index), ("NO", 487 + index)):
            shares = bet(person, market, side, stake)["shares"]
            paid = pays[index] if side == "YES" else 1 - pays[index]
            expected += int(shares * paid) - stake
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json=resolution), 200)

    assert balance(person) == expected
    assert expect(person.client.get("/market/positions"), 200)["positions"] == []
    assert len(closed(person)) == 6


@proves(VOID, "decisions: every unresolved pool is voided (`won_side` −1, its markets resolved)")
@pytest.mark.parametrize("way", ["void", "cancel"])
def test_a_void_pays_the_last_probability(service: Service, way: str) -> None:
    names, priors = ["A", "B", "C"], [0.6, 0.3, 0.1]
    event = service.event(pools=[pool(names, probabilities=priors, b=3_000)])
    markets = [market["id"] for market in event["pools"][0]["markets"]]
    book = Book(b=3_000, probabilities=priors)
    person = service.user(balance_kopecks=10_000)
    held: list[tuple[int, str, int]] = []
    for outcome, side, stake in ((0, "YES", 500), (1, "YES", 700), (2, "NO", 900), (1, "NO", 300)):
        shares = bet(person, markets[outcome], side, stake)["shares"]
        assert shares == book.buy(outcome, side, stake)
        held.append((outcome, side, shares))
    before = balance(person)
    if way == "void":
        expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"void": True}), 200)
    else:
        expect(service.creator.client.post(f"/events/{event['id']}/cancel"), 200)

    assert balance(person) == before + sum(book.worth(*position) for position in held)
    assert {row["won_side"] for row in closed(person)} == {None}


@proves(
    "decisions: A closed position appears when the shares of one market and side reach 0 by selling "
    "(`won_side` null) or at settlement",
    "decisions: `pnl` everything it earned less everything it cost, in kopecks.",
    "interface: | won_side | int or null | 0 = YES won, 1 = NO won, null = manually closed |",
    "interface: Closed position won_side: 0, 1 or null as defined in section 2.",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("won_side", [0, 1])
def test_a_settled_position_tells_what_it_earned(service: Service, won_side: int) -> None:
    event = service.event(pools=[pool(["A", "B"], b=10_000)])
    pool_id, markets = event["pools"][0]["id"], [market["id"] for market in event["pools"][0]["markets"]]
    person = service.user(balance_kopecks=10_000)
    bought = bet(person, markets[0], "YES", 1_000)["shares"]
    sale = {"market_id": markets[0], "token_type": "YES", "shares": bought // 3}
    payout = expect(person.client.post("/market/positions/sell", json=sale), 201)["payout_kopecks"]
    bought_more = bet(person, markets[0], "YES", 500)["shares"]
    (opened,) = expect(person.client.get("/market/positions"), 200)["positions"]
    expect(service.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": won_side}), 200)
    (row,) = closed(person)

    left = bought + bought_more - bought // 3
    settled = left if won_side == 0 else 0
    assert row == {
        **{name: opened[name] for name in ("id", "user_id", "market_id", "token_type", "event_id", "event_name")},
        **{name: opened[name] for name in ("pool_id", "pool_name", "market_name")},
        "amount": bought + bought_more,
        "avg_price": bps(1_500, bought + bought_more),
        "pnl": payout + settled - 1_500,
        "won_side": won_side,
        "closed_at": row["closed_at"],
    }
    assert row["user_id"] == person.id


@proves("decisions: Of a closed position: as in the interface, and null also where its pool had no winner.")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("resolution", [{"payouts": [0.4, 0.6]}, {"void": True}])
def test_a_position_without_a_winner_has_no_won_side(service: Service, resolution: dict[str, Any]) -> None:
    event = service.event(pools=[pool(["A", "B"])])
    person = service.user(balance_kopecks=1_000)
    for market in event["pools"][0]["markets"]:
        bet(person, market["id"], "YES", 500)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json=resolution), 200)

    assert [row["won_side"] for row in closed(person)] == [None, None]


@proves("interface: | won_side | int or null | 0 = YES won, 1 = NO won, null = manually closed |")
@ONCE
def test_won_side_of_a_position_belongs_to_its_own_market(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"])])
    first, second = (market["id"] for market in event["pools"][0]["markets"])
    person = service.user(balance_kopecks=1_000)
    for market in (first, second):
        for side in ("YES", "NO"):
            bet(person, market, side, 100)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)

    # The second outcome won: YES won in its market, NO in the first.
    assert {(row["market_id"], row["token_type"], row["won_side"]) for row in closed(person)} == {
        *((first, "YES", 1), (first, "NO", 1), (second, "YES", 0), (second, "NO", 0)),
    }


@proves("decisions: `balance_limit` (a settlement is paid even over it)")
def test_a_settlement_is_paid_even_over_the_limit_of_a_balance(service: Service) -> None:
    event = service.event(pools=[pool(b=100)])
    market = event["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=1_000)
    shares = bet(person, market, "YES", 1_000)["shares"]
    service.credit(person.id, 9 * 10**15)
    assert shares > 0
    sale = {"market_id": market, "token_type": "YES"}
    answer = person.client.post("/market/positions/sell", json=sale)
    assert (answer.status_code, answer.json()["error"]) == (409, "balance_limit")
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)

    assert balance(person) == 9 * 10**15 + shares


@proves(
    "decisions: Of a closed position: as in the interface, and null also where its pool had no winner.",
    "decisions: PnL chart: cumulative realized profit in roubles after every sale and every settled position",
    "interface: - 200: object with points, an array of PnL chart points (cumulative pnl, float64).",
)
def test_the_profit_chart_grows_with_every_sale_and_settlement(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B"], b=10_000)])
    first, second = (market["id"] for market in event["pools"][0]["markets"])
    person = service.user(balance_kopecks=10_000)
    assert expect(person.client.get("/users/me/pnl/chart"), 200) == {"points": []}
    shares = bet(person, first, "YES", 1_001)["shares"]
    bet(person, second, "YES", 2_000)
    sale = {"market_id": first, "token_type": "YES", "shares": shares // 2}
    pnl = expect(person.client.post("/market/positions/sell", json=sale), 201)["pnl"]
    chart = expect(person.client.get("/users/me/pnl/chart"), 200)["points"]
    assert [point["pnl"] for point in chart] == [pnl / 100]
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 1}), 200)

    chart = expect(person.client.get("/users/me/pnl/chart"), 200)["points"]
    assert all(point.keys() == {"timestamp", "pnl"} for point in chart)
    assert len(chart) == 3
    assert [point["timestamp"] for point in chart] == sorted(point["timestamp"] for point in chart)
    assert chart[-1]["pnl"] == sum(row["pnl"] for row in closed(person)) / 100
    assert chart[-1]["pnl"] == pytest.approx((balance(person) - 10_000) / 100)
    assert expect(service.client().get(f"/users/{person.id}/pnl/chart"), 200)["points"] == chart
