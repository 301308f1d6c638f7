"""Open and completed positions over HTTP."""

from __future__ import annotations

from math import floor
from typing import Any

import pytest

from foreknow.trading.positions.valuation import BRIEF_MARKETS
from tests.site.portfolio.orders import bet, sell
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool, refused

COMPLETED = "/market/positions/completed"


def listed(person: Person, path: str = "/market/positions", **query: Any) -> dict[str, Any]:
    """Return a page."""
    page: dict[str, Any] = expect(person.client.get(path, params=query), 200)
    return page


@proves(
    "decisions: open positions, a page: fields of the closed ones, with `value_kopecks` instead of `won_side` and "
    "`closed_at`",
    "decisions: A position's current value = floor(shares · probability of its side)",
)
def test_an_open_position_says_what_it_cost_and_what_it_is_worth(service: Service) -> None:
    ada = service.user(balance_kopecks=100_000)
    event = service.event(name="Cup", pools=[pool(["Red", "Blue"], name="Who wins?", margin=0.05)])
    red, blue = (market["id"] for market in event["pools"][0]["markets"])
    first, second = bet(ada, red, 7_000), bet(ada, red, 5_001)
    no = bet(ada, blue, 300, "NO")

    page = listed(ada)

    price = expect(service.client().get("/pools/batch", params={"ids": event["pools"][0]["id"]}), 200)[0]["markets"]
    shares = first["shares"] + second["shares"]
    names = {"event_name": "Cup", "pool_name": "Who wins?"}
    ids = {"user_id": ada.id, "event_id": event["id"], "pool_id": event["pools"][0]["id"]}
    assert page == {
        "positions": [
            {
                "id": page["positions"][0]["id"],
                "market_id": blue,
                "token_type": "NO",
                "amount": no["shares"],
                "avg_price": round(10_000 * 300 / no["shares"]),
                "pnl": 0,
                "value_kopecks": floor(no["shares"] * (1 - price[1]["yes_probability"])),
                "market_name": "Blue",
                "reserved_shares": 0,
                "decided_kopecks": None,
                **names,
                **ids,
            },
            {
                "id": page["positions"][1]["id"],
                "market_id": red,
                "token_type": "YES",
                "amount": shares,
                "avg_price": round(10_000 * 12_001 / shares),
                "pnl": 0,
                "value_kopecks": floor(shares * price[0]["yes_probability"]),
                "market_name": "Red",
                "reserved_shares": 0,
                "decided_kopecks": None,
                **names,
                **ids,
            },
        ],
        "next_cursor": None,
        "has_more": False,
    }


@proves(
    "decisions: A closed position appears when the shares of one market and side reach 0 by selling (`won_side` null)",
    "decisions: Buying again opens a new one",
    "decisions: `pnl` of a sale: its payout less the cost it takes; of an open position: the sum over its sales so far",
)
def test_a_position_sold_to_the_last_share_is_completed_and_buying_again_opens_another(service: Service) -> None:
    ada = service.user(balance_kopecks=100_000)
    event = service.event()
    market_id = event["pools"][0]["markets"][0]["id"]
    bought = bet(ada, market_id, 10_000)
    part = sell(ada, market_id, 1_000)
    (held,) = listed(ada)["positions"]
    assert held["pnl"] == part["pnl"] == part["payout_kopecks"] - 10_000 * 1_000 // bought["shares"]
    assert listed(ada, COMPLETED) == {"positions": [], "next_cursor": None, "has_more": False}
    rest = sell(ada, market_id)
    again = bet(ada, market_id, 500)

    (closed,) = listed(ada, COMPLETED)["positions"]
    (opened,) = listed(ada)["positions"]

    assert closed == {
        "id": held["id"],
        "user_id": ada.id,
        "market_id": market_id,
        "token_type": "YES",
        "amount": bought["shares"],
        "avg_price": round(10_000 * 10_000 / bought["shares"]),
        "pnl": part["payout_kopecks"] + rest["payout_kopecks"] - 10_000,
        "won_side": None,
        "closed_at": rest["created_at"],
        "event_id": event["id"],
        "event_name": event["name"],
        "pool_id": event["pools"][0]["id"],
        "pool_name": event["pools"][0]["name"],
        "market_name": event["pools"][0]["markets"][0]["name"],
    }
    assert closed["pnl"] == part["pnl"] + rest["pnl"]
    assert opened["id"] > closed["id"]
    assert (opened["amount"], opened["pnl"]) == (again["shares"], 0)


@proves(
    "decisions: Of a closed position: as in the interface, and null also where its pool had no winner",
    "decisions: completed ones are ordered by their closing",
)
def test_settled_positions_say_which_side_of_their_market_won(service: Service) -> None:
    ada = service.user(balance_kopecks=100_000)
    won, void = service.event(pools=[pool(["A", "B"])]), service.event()
    a, b = (market["id"] for market in won["pools"][0]["markets"])
    single = void["pools"][0]["markets"][0]["id"]
    bets = {(market_id, side): bet(ada, market_id, 1_000, side) for market_id in (a, b) for side in ("YES", "NO")}
    bet(ada, single, 1_000)
    expect(service.creator.client.post(f"/pools/{won['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    expect(service.creator.client.post(f"/pools/{void['pools'][0]['id']}/resolve", json={"void": True}), 200)

    rows = listed(ada, COMPLETED)["positions"]

    assert listed(ada)["positions"] == []
    assert (rows[0]["market_id"], rows[0]["won_side"]) == (single, None)
    assert {(row["market_id"], row["token_type"]): row["won_side"] for row in rows[1:]} == {
        (a, "YES"): 0,
        (a, "NO"): 0,
        (b, "YES"): 1,
        (b, "NO"): 1,
    }
    for row in rows[1:]:
        shares = bets[row["market_id"], row["token_type"]]["shares"]
        wins = (row["market_id"], row["token_type"]) in {(a, "YES"), (b, "NO")}
        assert (row["amount"], row["pnl"]) == (shares, (shares if wins else 0) - 1_000)


@proves(
    "interface: limit (int, optional, maximum positions per page)",
    "decisions: A full traversal under concurrent writes shows every row that matched from its start to its end "
    "exactly once",
)
@pytest.mark.parametrize("path", ["/market/positions", COMPLETED])
def test_pages_show_every_position_once_while_others_come_and_go(service: Service, path: str) -> None:
    ada = service.user(balance_kopecks=1_000_000)
    event = service.event(pools=[pool([f"Outcome {number}" for number in range(12)])])
    market_ids = [market["id"] for market in event["pools"][0]["markets"]]
    for market_id in market_ids[:10]:
        bet(ada, market_id, 200)
        if path == COMPLETED:
            sell(ada, market_id)
    seen: list[int] = []
    query: dict[str, Any] = {"limit": 3}
    for turn in range(4):
        page = listed(ada, path, **query)
        assert page["has_more"] is (page["next_cursor"] is not None)
        seen += [row["market_id"] for row in page["positions"]]
        if turn < 2:
            bet(ada, market_ids[10 + turn], 200)
            sell(ada, market_ids[10 + turn])
        query["cursor"] = page["next_cursor"]

    assert query["cursor"] is None
    assert seen == market_ids[9::-1]


@proves("decisions: A cursor is signed and bound to its list, caller and filters (not to the limit)")
@ONCE
def test_a_cursor_opens_no_other_list(service: Service) -> None:
    ada, bob = service.user(balance_kopecks=10_000), service.user(balance_kopecks=10_000)
    event = service.event(pools=[pool(["A", "B", "C"])])
    for market in event["pools"][0]["markets"]:
        for person in (ada, bob):
            bet(person, market["id"], 200)
    cursor = listed(ada, limit=1)["next_cursor"]

    assert len(listed(ada, limit=2, cursor=cursor)["positions"]) == 2
    for client, path in ((bob.client, "/market/positions"), (ada.client, COMPLETED)):
        refused(client.get(path, params={"cursor": cursor}), 400, "invalid_cursor")
    for other in ("", "x", cursor[:-1], f"{cursor}A"):
        refused(ada.client.get("/market/positions", params={"cursor": other}), 400, "invalid_cursor")
    for limit in ("0", "101", "-1", "1.0", "x", "01"):
        refused(ada.client.get("/market/positions", params={"limit": limit}), 400, "invalid_limit")


@proves("interface: The completed-positions endpoint uses the upper-case code UNAUTHORIZED")
@ONCE
@pytest.mark.parametrize("headers", [{}, {"Authorization": "Bearer nonsense"}, {"Authorization": "Basic eDp5"}])
def test_only_completed_positions_refuse_strangers_in_upper_case(service: Service, headers: dict[str, str]) -> None:
    client = service.client(headers=headers)

    refused(client.get(COMPLETED), 401, "UNAUTHORIZED")
    refused(client.get("/market/positions"), 401, "unauthorized")
    refused(client.get("/users/me/pnl/chart"), 401, "unauthorized")


def test_positions_that_depend_on_very_many_prices_are_valued_like_others(service: Service) -> None:
    """They take longer, so SQLite values them off the event loop."""
    ada, partner = service.user(balance_kopecks=100_000), service.partner(float_kopecks=100_000)
    pools = [pool([f"Outcome {number}" for number in range(100)], name=f"Pool {n}") for n in range(6)]
    event = service.event(pools=pools)
    market_ids = [found["markets"][0]["id"] for found in event["pools"]]
    assert sum(len(found["markets"]) for found in event["pools"]) > BRIEF_MARKETS
    for market_id in market_ids:
        bet(ada, market_id, 700)
        order = {"external_user_id": "ivan", "market_id": market_id, "side": "yes", "stake_kopecks": 700}
        expect(partner.client.post("/partner/bets", json=order), 201)

    rows = listed(ada)["positions"]
    first = listed(ada, limit=3)
    second = listed(ada, limit=3, cursor=first["next_cursor"])
    assert [row["market_id"] for row in rows] == market_ids[::-1]
    assert rows == first["positions"] + second["positions"]
    state = expect(partner.client.get("/partner/users/ivan"), 200)
    ids = ",".join(str(found["id"]) for found in event["pools"])
    shown = expect(service.client().get("/pools/batch", params={"ids": ids}), 200)
    prices = [found["markets"][0]["yes_probability"] for found in shown]
    for position, price in zip(state["positions"], prices, strict=True):
        assert position["value_kopecks"] == floor(position["shares"] * price)
