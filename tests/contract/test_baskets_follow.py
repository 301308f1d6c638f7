"""What follows a trade follows a basket: lists, statements, feed, live updates, charts, holders, alerts, results."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.clock import iso
from tests.site.activity.holders import holders_of
from tests.site.feed.listening import listening
from tests.site.following.readers import wait_for_notices
from tests.site.live.watching import viewing
from tests.support.baskets import CHECK_PRIORS, RANGES, change, markets_of, open_pool, stake
from tests.support.book import bps
from tests.support.books import Auditor
from tests.support.kinds import ONCE
from tests.support.lists import list_pool, split
from tests.support.orders import add_liquidity, balance, bet, sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool
from tests.support.waiting import wait_until

TRADES = (
    "baskets: Such a trade's `market_id` is its leg with the most money (of equals the first; of form 1 among T "
    "alone), `token_type` YES, `amount_kopecks` all of the piece, `shares` and `avg_price` x and the basket's of form "
    "1, else that leg's, with that market's probabilities before and after the piece; lists of trades gain `basket_id` "
    "and `legs` (null for others) with `{market_id, shares, amount_kopecks}` (positive, of a sale too), and `given` "
    "(market ids; of form 1 with one, else null), and `?market_id=` finds any leg."
)
ONE_ORDER = (
    "baskets: A basket is one order: one idempotency record, one row of every statement (type `basket`, with "
    "`basket_id`, the net, 0 too; no market), at most two trades (its purchase, then its sale; both of its "
    "`created_at`), each one message of the feed and one entry of every list, one of every count."
)


def legs_of(basket: dict[str, Any], *, sold: bool) -> list[dict[str, Any]]:
    """Return the legs of one of a basket's trades, as lists of trades show them."""
    return [
        {"market_id": leg["market_id"], "shares": abs(leg["shares"]), "amount_kopecks": leg["amount_kopecks"]}
        for leg in basket["legs"]
        if (leg["shares"] < 0) == sold
    ]


def statement(person: Person, **query: Any) -> list[dict[str, Any]]:
    """Return all of a person's transactions, newest first, in pages of two."""
    rows: list[dict[str, Any]] = []
    cursor: dict[str, Any] = {}
    while True:
        page = expect(person.client.get("/users/me/transactions", params={"limit": 2, **cursor, **query}), 200)
        rows += page["transactions"]
        if page["next_cursor"] is None:
            return rows
        assert len(page["transactions"]) == 2
        cursor = {"cursor": page["next_cursor"]}


@proves(TRADES, ONE_ORDER, "baskets: Volume counts a leg's part in its market, the whole in its pool.")
def test_a_basket_is_at_most_two_trades_of_every_list(service: Service) -> None:
    event = service.event(pools=[pool([f"Outcome {n}" for n in range(5)], b=1_000, probabilities=CHECK_PRIORS)])
    shown = event["pools"][0]
    markets = markets_of(shown)
    person = service.user(balance_kopecks=10_000)
    single = expect(bet(person, markets[0], "YES", 100), 201)
    first = expect(stake(person, markets[1:3], 500), 201)
    second = expect(change(person, {markets[1]: -200, markets[3]: 300, markets[4]: 100}), 201)

    trades = expect(person.client.get("/users/me/trades"), 200)["trades"]
    assert [(row["basket_id"], row["action"]) for row in trades] == [
        (second["id"], "sell"),
        (second["id"], "buy"),
        (first["id"], "buy"),
        (None, "buy"),
    ]
    sale, purchase, of_stake, of_bet = trades
    assert [row["given"] for row in trades] == [None] * 4
    assert min(leg["shares"] for leg in sale["legs"]) > 0 > min(leg["shares"] for leg in second["legs"])
    assert (of_bet["legs"], of_bet["id"]) == (None, single["id"])
    assert {row["created_at"] for row in (sale, purchase)} == {second["created_at"]}
    about = ("market_id", "token_type", "amount_kopecks", "shares", "avg_price", "order_id", "role")
    x, (least, most) = first["legs"][0]["shares"], first["legs"]
    assert most["amount_kopecks"] > least["amount_kopecks"]
    assert [of_stake[name] for name in about] == [markets[2], "YES", 500, x, first["avg_price"], None, None]
    assert of_stake["legs"] == legs_of(first, sold=False)
    prices = [(row["probability_before"], row["probability_after"]) for row in (of_stake, purchase, sale)]
    assert prices[0] == (first["probabilities_before"][2], first["probabilities_after"][2])
    bought = next(leg for leg in second["legs"] if leg["market_id"] == markets[3])
    assert [purchase[name] for name in about[:5]] == [
        markets[3],
        "YES",
        second["cost_kopecks"],
        300,
        bps(bought["amount_kopecks"], 300),
    ]
    assert prices[1][0] == second["probabilities_before"][3] < prices[1][1]
    assert prices[2][1] == second["probabilities_after"][1] < prices[2][0]
    assert [sale[name] for name in about[:4]] == [markets[1], "YES", second["payout_kopecks"], 200]
    assert (purchase["legs"], sale["legs"]) == (legs_of(second, sold=False), legs_of(second, sold=True))

    public = expect(service.client().get(f"/events/{event['id']}/trades"), 200)["trades"]
    assert [(row["id"], row["basket_id"], row["legs"]) for row in public] == [
        (row["id"], row["basket_id"], row["legs"]) for row in trades
    ]
    for market, found in ((0, [of_bet]), (1, [sale, of_stake]), (2, [of_stake]), (4, [purchase])):
        listed = expect(
            service.client().get(f"/events/{event['id']}/trades", params={"market_id": markets[market]}), 200
        )["trades"]
        assert [row["id"] for row in listed] == [row["id"] for row in found]

    now = expect(service.client().get(f"/pools/{shown['id']}"), 200)["markets"]
    parts = dict.fromkeys(markets, 0)
    parts[markets[0]] = 100
    for leg in first["legs"] + second["legs"]:
        parts[leg["market_id"]] += leg["amount_kopecks"]
    assert {market["id"]: market["volume"] for market in now} == parts
    details = expect(service.client().get(f"/events/{event['id']}/page"), 200)["pools"][0]
    assert (details["trades"], details["volume_kopecks"]) == (4, sum(parts.values()))


@proves(TRADES)
def test_a_stake_on_a_condition_names_it_in_every_list_of_trades(service: Service) -> None:
    event = service.event(pools=[list_pool()])
    shown = event["pools"][0]
    first, second, other = markets_of(shown)
    person = service.user(balance_kopecks=10_000)
    expect(stake(person, [second], 500, given=[second, first]), 201)
    # A later outcome is none of those that it was about.
    later = max(markets_of(split(service, shown["id"], "Dana")))
    with viewing(service) as viewer:
        viewer.watch(event["id"])
        expect(stake(person, [later], 500, given=[later, other, second]), 201)
        conditions = [[second, other, later], [first, second]]
        # The earlier one may still come.
        while (seen_live := viewer.trade())["given"] == conditions[1]:
            pass

    for address in ("/users/me/trades", f"/events/{event['id']}/trades"):
        trades = expect(person.client.get(address), 200)["trades"]
        assert [row["given"] for row in trades] == conditions
        assert [len(row["legs"]) for row in trades] == [2, 2]
    assert seen_live["given"] == conditions[0]


@proves(ONE_ORDER)
def test_a_statement_has_a_line_for_each_basket(service: Service) -> None:
    shown = open_pool(service, CHECK_PRIORS)
    markets = markets_of(shown)
    person = service.user(balance_kopecks=10_000)
    placed = [expect(stake(person, markets[1:3], 500), 201)]
    for _ in range(3):
        placed.append(expect(change(person, {markets[1]: -20, markets[3]: 30}), 201))
        placed.append(expect(change(person, {markets[2]: -50}), 201))
    expect(bet(person, markets[0], "NO", 100), 201)

    rows = statement(person)
    lines = [row for row in rows if row["type"] == "basket"]
    assert [(row["basket_id"], row["change_kopecks"]) for row in lines] == [
        (one["id"], one["net_kopecks"]) for one in reversed(placed)
    ]
    for row in lines:
        assert (row["market_id"], row["market_name"], row["token_type"]) == (None, "", None)
        assert row["event_id"] == rows[0]["event_id"]
    assert [row["type"] for row in rows] == ["bet"] + ["basket"] * 7 + ["credit"]
    assert sum(row["change_kopecks"] for row in rows) == balance(person)
    assert len({row["id"] for row in rows}) == len(rows)


@proves(
    "baskets: The feed's `market` of it (of form 1: of T): one outcome's name; for neighbouring outcomes of a number "
    "or date, not all, their range named like an outcome (`10 – 30 °C`); else the names joined by `, `, cut at 200.",
    ONE_ORDER,
)
@ONCE
def test_the_feed_names_a_range(service: Service) -> None:
    ranges = markets_of(open_pool(service, [0.2] * 5, shape=RANGES))
    plain = markets_of(open_pool(service, [0.2] * 5))
    person = service.user(balance_kopecks=100_000)

    with listening(service) as feed:
        assert feed.message()["type"] == "initial"
        for outcomes, name in (
            ([1, 2], "10 – 30 °C"),
            ([0, 1], "Below 20 °C"),
            ([3, 4], "30 °C or above"),
            ([0, 2], "Below 10 °C, 20 – 30 °C"),
            ([3], "30 – 40 °C"),
        ):
            expect(stake(person, [ranges[one] for one in outcomes], 500), 201)
            trade = feed.message()["trade"]
            assert (trade["market"], trade["amount"], trade["token"]) == (name, 500, "YES")
        # Of a stake on a condition the set alone; of all outcomes their names.
        expect(stake(person, ranges[1:2], 500, given=ranges[1:4]), 201)
        assert feed.message()["trade"]["market"] == "10 – 20 °C"
        expect(change(person, dict.fromkeys(ranges, 10)), 201)
        assert feed.message()["trade"]["market"] == "Below 10 °C, 10 – 20 °C, 20 – 30 °C, 30 – 40 °C, 40 °C or above"
        both = expect(change(person, {ranges[1]: -100, ranges[2]: -100, ranges[4]: 100}), 201)
        amounts = [(one["trade"]["market"], one["trade"]["amount"]) for one in feed.messages(2)]
        assert amounts == [("40 °C or above", both["cost_kopecks"]), ("10 – 30 °C", both["payout_kopecks"])]
        expect(stake(person, plain[1:3], 500), 201)
        assert feed.message()["trade"]["market"] == "Outcome 1, Outcome 2"


def test_live_updates_show_a_baskets_trades(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B", "C"], b=1_000)])
    markets = markets_of(event["pools"][0])
    person = service.user(balance_kopecks=10_000)
    with viewing(service) as viewer:
        viewer.watch(event["id"])
        first = expect(stake(person, markets[:2], 500), 201)
        trade = viewer.trade()
        assert (trade["basket_id"], trade["legs"]) == (first["id"], legs_of(first, sold=False))
        swap = expect(change(person, {markets[0]: -100, markets[2]: 100}), 201)
        seen = [viewer.trade() for _ in range(2)]
        assert [(one["action"], one["basket_id"]) for one in seen] == [("buy", swap["id"]), ("sell", swap["id"])]
        prices = viewer.prices(lambda one: one["trades"] == 3)
        assert prices["probabilities"] == pytest.approx(swap["probabilities_after"])


@proves(
    "baskets: Legs are ordinary positions of their markets from then on: value, sale, settlement, PnL, statements, "
    "holders."
)
def test_legs_are_ordinary_positions(service: Service) -> None:
    shown = open_pool(service, CHECK_PRIORS)
    markets = markets_of(shown)
    person = service.user(balance_kopecks=10_000)
    basket = expect(stake(person, markets[1:3], 500), 201)
    x = basket["legs"][0]["shares"]
    held = expect(person.client.get("/market/positions"), 200)["positions"]
    assert {row["market_id"]: (row["amount"], row["cost_kopecks"]) for row in _positions(person)} == {
        leg["market_id"]: (x, leg["amount_kopecks"]) for leg in basket["legs"]
    }
    prices = basket["probabilities_after"]
    assert {row["market_id"]: row["value_kopecks"] for row in held} == {
        markets[1]: int(x * prices[1]),
        markets[2]: int(x * prices[2]),
    }
    # More of a leg is bought, and a part of it is sold, as of any position.
    bought = expect(bet(person, markets[1], "YES", 100), 201)["shares"]
    sold = expect(sell(person, markets[1], "YES", 300), 201)
    cost = basket["legs"][0]["amount_kopecks"] + 100
    assert sold["pnl"] == sold["payout_kopecks"] - cost * 300 // (x + bought)
    expect(service.creator.client.post(f"/pools/{shown['id']}/resolve", json={"won_side": 1}), 200)
    wait_until(lambda: balance(person) == sold["balance_kopecks"] + x + bought - 300)
    closed = expect(person.client.get("/market/positions/completed"), 200)["positions"]
    assert {row["market_id"]: row["won_side"] for row in closed} == {markets[1]: 0, markets[2]: 1}
    lost = next(row for row in closed if row["market_id"] == markets[2])
    assert lost["pnl"] == -basket["legs"][1]["amount_kopecks"]


def _positions(person: Person) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = expect(person.client.get("/users/me/positions"), 200)["positions"]
    return rows


def test_charts_holders_and_profits_follow_a_basket(service: Service) -> None:
    event = service.event(pools=[pool(["A", "B", "C"], b=1_000)])
    shown = event["pools"][0]
    markets = markets_of(shown)
    person = service.user(balance_kopecks=10_000)
    first = expect(stake(person, markets[:2], 500), 201)
    x = first["legs"][0]["shares"]
    holders = holders_of(service, event, (1, 0), (1, 0), (0, 0))["markets"]
    assert [[one["shares"] for one in market["yes"]] for market in holders] == [[x], [x], []]

    swap = expect(change(person, {markets[0]: -x, markets[1]: -100, markets[2]: 100}), 201)
    holders = holders_of(service, event, (0, 0), (1, 0), (1, 0))["markets"]
    assert [[one["shares"] for one in market["yes"]] for market in holders] == [[], [x - 100], [100]]

    chart = expect(service.client().get(f"/markets/{markets[0]}/chart"), 200)
    assert [point["probability"] for point in chart][:2] == pytest.approx(
        [first["probabilities_before"][0], first["probabilities_after"][0]]
    )
    assert chart[-1]["probability"] == pytest.approx(swap["probabilities_after"][0])
    profit = sum(leg["pnl"] for leg in swap["legs"] if leg["pnl"] is not None)
    points = expect(person.client.get("/users/me/pnl/chart"), 200)["points"]
    assert [point["pnl"] for point in points] == [profit / 100]
    portfolio = expect(person.client.get("/users/me/portfolio"), 200)
    assert (portfolio["realized_kopecks"], portfolio["open"], portfolio["closed"]) == (profit, 2, 1)
    (closed,) = expect(person.client.get("/market/positions/completed"), 200)["positions"]
    assert (closed["market_id"], closed["amount"], closed["pnl"]) == (markets[0], x, swap["legs"][0]["pnl"])


def test_an_alert_is_reached_by_a_basket_in_any_of_its_markets(service: Service) -> None:
    shown = open_pool(service, CHECK_PRIORS)
    markets = markets_of(shown)
    watcher, trader = service.user(), service.user(balance_kopecks=100_000)
    for market, limits in ((markets[1], {"above": 2500}), (markets[0], {"below": 700}), (markets[4], {"above": 5000})):
        expect(watcher.client.put(f"/markets/{market}/alert", json=limits), 200)
    expect(stake(trader, markets[1:3], 900), 201)
    wait_for_notices(watcher, "price_alert", count=2)
    left = expect(watcher.client.get("/users/me/alerts"), 200)["alerts"]
    assert [alert["market_id"] for alert in left] == [markets[4]]


def test_a_void_at_a_moment_pays_the_prices_before_a_basket(moving_service: Service) -> None:
    service = moving_service
    shown = open_pool(service, CHECK_PRIORS)
    markets = markets_of(shown)
    person = service.user(balance_kopecks=10_000)
    service.clock.stop_at(service.clock())
    first = expect(stake(person, markets[1:3], 500), 201)
    moment_ms = service.clock()
    service.clock.stop_at(moment_ms + 1_000)
    expect(add_liquidity(service.creator.client, shown["id"], 2_000), 200)
    second = expect(change(person, {markets[1]: -200, markets[3]: 300}), 201)
    expect(stake(person, markets[:1], 300, given=markets[:3]), 201)
    before = balance(person)

    body = {"void": True, "at": iso(moment_ms)}
    expect(service.admin.post(f"/pools/{shown['id']}/resolve", json=body), 200)
    rows = [row for row in statement(person) if row["type"] == "settlement"]
    paid = {row["market_id"]: row["change_kopecks"] for row in rows}
    x = first["legs"][0]["shares"]
    assert paid[markets[1]] == int((x - 200) * first["probabilities_after"][1])
    assert paid[markets[2]] == int(x * first["probabilities_after"][2])
    assert second["probabilities_after"][1] < first["probabilities_after"][1]
    assert balance(person) == before + sum(paid.values())
    Auditor(service).audit()


def test_a_persons_export_has_the_legs_of_baskets(service: Service) -> None:
    markets = markets_of(open_pool(service, CHECK_PRIORS))
    person = service.user(balance_kopecks=10_000)
    expect(bet(person, markets[0], "YES", 100), 201)
    basket = expect(stake(person, markets[1:3], 500), 201)
    trades = expect(person.client.get("/users/me/export"), 200)["tables"]["trades"]
    of_basket, of_bet = trades
    assert [(leg["market_id"], leg["shares"], leg["amount_kopecks"]) for leg in of_basket["legs"]] == [
        (leg["market_id"], leg["shares"], leg["amount_kopecks"]) for leg in basket["legs"]
    ]
    assert of_basket["basket_id"] == basket["id"]
    assert "legs" not in of_bet
