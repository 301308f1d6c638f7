"""Decisions, "Trading": open and completed positions. Interface, "Closed position with details"."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

from tests.support.book import Book, bps
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

DETAILS = {
    *("id", "user_id", "market_id", "token_type", "amount", "avg_price", "pnl", "event_id", "event_name", "pool_id"),
    *("pool_name", "market_name"),
}


def bet(person: Person, market: int, side: str, stake: int) -> int:
    order = {"market_id": market, "token_type": side, "amount_kopecks": stake}
    return int(expect(person.client.post("/market/bets", json=order), 201)["shares"])


def sell(person: Person, market: int, side: str, shares: int | None = None) -> Any:
    order = {"market_id": market, "token_type": side} | ({"shares": shares} if shares else {})
    return expect(person.client.post("/market/positions/sell", json=order), 201)


def positions(person: Person, path: str = "/market/positions") -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = expect(person.client.get(path), 200)["positions"]
    return rows


@proves(
    "decisions: GET /market/positions | open positions, a page: fields of the closed ones, with `value_kopecks` "
    "instead of `won_side` and `closed_at`",
    "decisions: A position's current value = floor(shares · probability of its side).",
    "decisions: A position's cost: a bet adds its stake",
    "decisions: `avg_price` = round(10000 · cost ÷ shares) of what is held (of a closed one: of all that left it).",
    "decisions: of an open position: the sum over its sales so far.",
)
def test_an_open_position_shows_what_is_held_and_what_it_is_worth(service: Service) -> None:
    names, priors = ["Reds", "Blues"], [0.7, 0.3]
    event = service.event(name="The derby", pools=[pool(names, probabilities=priors, b=8_000, margin=0.05)])
    first, _ = event["pools"][0]["markets"]
    book = Book(b=8_000, probabilities=priors, margin=0.05)
    person = service.user(balance_kopecks=10_000)
    shares = 0
    for stake in (1_000, 333):
        shares += bet(person, first["id"], "NO", stake)
        book.buy(0, "NO", stake)
    sale = sell(person, first["id"], "NO", 700)
    book.sell(0, "NO", 700)
    left, cost = shares - 700, 1_333 - 1_333 * 700 // shares
    (row,) = positions(person)

    assert row.keys() == DETAILS | {"value_kopecks", "decided_kopecks", "reserved_shares"}
    assert row == {
        "id": row["id"],
        "user_id": person.id,
        "market_id": first["id"],
        "token_type": "NO",
        "amount": left,
        "avg_price": bps(cost, left),
        "pnl": sale["pnl"],
        "value_kopecks": book.worth(0, "NO", left),
        "decided_kopecks": None,
        "reserved_shares": 0,
        "event_id": event["id"],
        "event_name": "The derby",
        "pool_id": event["pools"][0]["id"],
        "pool_name": "Will it?",
        "market_name": "Reds",
    }


@proves(
    "decisions: A closed position appears when the shares of one market and side reach 0 by selling (`won_side` null)",
    "decisions: Buying again opens a new one. A closed position keeps its id; completed ones are ordered by their "
    "closing.",
    "interface: | avg_price | int | average entry price, basis points |",
    "interface: | closed_at | string ISO 8601 | close time |",
)
def test_a_position_sold_out_is_completed_and_buying_again_opens_another(service: Service) -> None:
    market = service.event()["pools"][0]["markets"][0]["id"]
    person = service.user(balance_kopecks=10_000)
    first = bet(person, market, "YES", 1_000)
    (opened,) = positions(person)
    earned = sell(person, market, "YES", 500)["payout_kopecks"]
    second = bet(person, market, "YES", 250)
    earned += sell(person, market, "YES")["payout_kopecks"]
    assert positions(person) == []
    (closed,) = positions(person, "/market/positions/completed")

    assert closed.keys() == DETAILS | {"won_side", "closed_at"}
    assert closed["id"] == opened["id"]
    assert (closed["amount"], closed["won_side"]) == (first + second, None)
    assert closed["pnl"] == earned - 1_250
    assert closed["avg_price"] == bps(1_250, first + second)
    assert datetime.fromisoformat(closed["closed_at"]).tzinfo is UTC
    bet(person, market, "YES", 100)
    (again,) = positions(person)
    assert again["id"] != closed["id"]
    assert positions(person, "/market/positions/completed") == [closed]


@proves("decisions: completed ones are ordered by their closing.", "decisions: newest first unless said")
def test_completed_positions_are_ordered_by_their_closing(moving_service: Service) -> None:
    service = moving_service
    markets = [service.event()["pools"][0]["markets"][0]["id"] for _ in range(4)]
    person = service.user(balance_kopecks=10_000)
    for market in markets:
        bet(person, market, "YES", 100)
    order = [markets[2], markets[0], markets[3], markets[1]]
    for market in order:
        sell(person, market, "YES")
        # Not in one millisecond.
        service.clock.advance(1)

    assert [row["market_id"] for row in positions(person, "/market/positions/completed")] == order[::-1]


@proves("decisions: newest first unless said")
def test_both_sides_of_a_market_are_two_positions(service: Service) -> None:
    market = service.event()["pools"][0]["markets"][0]["id"]
    person, other = service.user(balance_kopecks=1_000), service.user(balance_kopecks=1_000)
    yes, no = bet(person, market, "YES", 300), bet(person, market, "NO", 400)
    bet(other, market, "YES", 500)

    assert [(row["token_type"], row["amount"]) for row in positions(person)] == [("NO", no), ("YES", yes)]
    assert len(positions(other)) == 1


@proves("interface: - Errors: 401 UNAUTHORIZED.")
def test_positions_are_ones_own(service: Service) -> None:
    assert positions(service.user()) == []
    assert positions(service.user(), "/market/positions/completed") == []
    refused(service.client().get("/market/positions/completed"), 401, "UNAUTHORIZED")
    refused(service.client().get("/market/positions/completed?limit=0"), 401, "UNAUTHORIZED")
