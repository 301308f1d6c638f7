"""What resting orders hold, what their fills bring, and when that is paid (orders.md, "Holds", "Fees")."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import httpx
import pytest

from foreknow.kernel.units import AMOUNT_MAX
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.limit_orders import cancel, get_order, money, notices, orders_of, place, rest, stop_worker, work
from tests.support.orders import bet, open_market, sell
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, refused
from tests.support.waiting import wait_until


@proves(
    "orders: A resting buy moves price · rest from the balance to the pool's order account.",
    "orders: Balance + held is exact at every moment",
)
def test_a_resting_buy_holds_its_price_and_what_it_saves_stays_held(still_service: Service) -> None:
    service = still_service
    (market,) = open_market(service, probabilities=[0.5], b=100_000)
    maker, taker = service.user(balance_kopecks=10_000), service.user(balance_kopecks=100_000)
    order = rest(maker, market, "YES", "buy", shares=2_000, price=45)
    assert (order["held_kopecks"], money(maker)) == (900, (9_100, 900))

    expect(bet(taker, market, "NO", 40_000), 201)

    filled = get_order(maker, order["id"])
    assert (filled["status"], filled["filled_shares"], filled["fee_kopecks"]) == ("filled", 2_000, 0)
    assert filled["amount_kopecks"] <= 900
    assert sum(money(maker)) == 10_000 - filled["amount_kopecks"]
    work(service)
    assert money(maker) == (10_000 - filled["amount_kopecks"], 0)


@proves(
    (
        "orders: A resting sale reserves its shares: they stay in the position, but nothing else sells them: a sale's "
        "`shares` left out are the others, `insufficient_shares` counts these alone (none: refused)"
    ),
)
def test_a_resting_sale_reserves_its_shares_until_it_ends(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=100_000)
    person = service.user(balance_kopecks=50_000)
    shares = expect(bet(person, market, "YES", 20_000), 201)["shares"]
    lots = shares // 100 * 100
    rest(person, market, "YES", "sell", shares=lots - 1_000, price=90)
    (position,) = expect(person.client.get("/market/positions"), 200)["positions"]
    assert (position["amount"], position["reserved_shares"]) == (shares, lots - 1_000)
    free = shares - lots + 1_000

    error = refused(sell(person, market, "YES", free + 1), 409, "insufficient_shares")
    assert error["details"] == {"required": free + 1, "available": free}
    refused(place(person, market, "YES", "sell", shares=free // 100 * 100 + 100, price=90), 409, "insufficient_shares")
    sold = expect(sell(person, market, "YES"), 201)

    assert sold["shares"] == free
    error = refused(sell(person, market, "YES"), 409, "insufficient_shares")
    assert error["details"]["available"] == 0
    (order,) = orders_of(person)
    cancel(person, order["id"])
    assert expect(sell(person, market, "YES"), 201)["shares"] == lots - 1_000


@proves(
    (
        "orders: What a resting order's fills bring or save, and what its end leaves, stays in its `held_kopecks` "
        "until it is paid to the balance: within 2 s, over its limit too"
    ),
)
def test_a_fill_is_paid_soon_and_over_the_balance_limit(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=1_000_000)
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=1_000_000)
    shares = expect(bet(maker, market, "YES", 50_000), 201)["shares"] // 100 * 100
    order = rest(maker, market, "YES", "sell", shares=shares, price=60)
    service.credit(maker.id, AMOUNT_MAX - money(maker)[0])
    assert money(maker) == (AMOUNT_MAX, 0)

    expect(bet(taker, market, "YES", 900_000), 201)

    brought = shares // 100 * 60
    wait_until(lambda: money(maker) == (AMOUNT_MAX + brought, 0))
    assert get_order(maker, order["id"])["amount_kopecks"] == brought


@proves("orders: at once where its owner cancels it, ended or not, or meets it.")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("is_filled", [False, True])
def test_cancelling_pays_at_once_what_fills_brought(still_service: Service, is_filled: bool) -> None:
    service = still_service
    (market,) = open_market(service, probabilities=[0.5], b=100_000)
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=1_000_000)
    shares = expect(bet(maker, market, "YES", 50_000), 201)["shares"] // 100 * 100
    order = rest(maker, market, "YES", "sell", shares=shares, price=70)
    before, _ = money(maker)
    expect(bet(taker, market, "YES", 500_000 if is_filled else 30_000), 201)
    met = get_order(maker, order["id"])
    assert met["status"] == ("filled" if is_filled else "open")
    assert met["held_kopecks"] == met["amount_kopecks"] > 0

    ended = cancel(maker, order["id"])

    assert ended["status"] == ("filled" if is_filled else "cancelled")
    assert ended["held_kopecks"] == 0
    assert money(maker) == (before + met["amount_kopecks"], 0)
    # What else the fill has left is done later, and pays nothing twice.
    work(service)
    assert money(maker) == (before + met["amount_kopecks"], 0)


@proves("orders: Fills while resting, and all sales, pay none.")
def test_a_resting_order_pays_its_price_and_no_fee(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=100_000, margin=0.05)
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=100_000)
    order = rest(maker, market, "NO", "buy", shares=3_000, price=40)

    taken = expect(bet(taker, market, "YES", 90_000), 201)

    filled = get_order(maker, order["id"])
    assert (filled["status"], filled["amount_kopecks"], filled["fee_kopecks"]) == ("filled", 1_200, 0)
    assert taken["fee_kopecks"] > 0
    fills = expect(maker.client.get(f"/market/orders/{order['id']}/fills"), 200)["fills"]
    assert [(fill["role"], fill["fee_kopecks"], fill["amount_kopecks"]) for fill in fills] == [("maker", 0, 1_200)]


@proves("orders: Notifications: `order_filled` (a resting order is filled whole)")
def test_who_rested_is_notified_once_of_the_whole_fill(service: Service) -> None:
    (market,) = open_market(service, probabilities=[0.5], b=100_000)
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=1_000_000)
    shares = expect(bet(maker, market, "YES", 50_000), 201)["shares"] // 100 * 100
    order = rest(maker, market, "YES", "sell", shares=shares, price=70)

    expect(bet(taker, market, "YES", 30_000), 201)
    wait_until(lambda: money(maker)[1] == 0)
    assert get_order(maker, order["id"])["status"] == "open"
    assert notices(maker, "order_filled") == []
    expect(bet(taker, market, "YES", 500_000), 201)

    wait_until(lambda: notices(maker, "order_filled"))
    (notice,) = notices(maker, "order_filled")
    assert notice["params"]["shares"] == shares
    assert (notice["params"]["action"], notice["params"]["token_type"]) == ("sell", "YES")
    assert notice["params"]["amount_kopecks"] == shares // 100 * 70
    assert notices(taker, "order_filled") == []


@proves("orders: Notifications: `order_filled` (a resting order is filled whole)", "site: `app` false: no row.")
@pytest.mark.parametrize("is_on", [True, False])
def test_who_changes_their_settings_before_the_worker_comes_is_notified_as_they_were(
    still_service: Service, is_on: bool
) -> None:
    service = still_service
    (market,) = open_market(service, probabilities=[0.5], b=20_000)
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=50_000)
    rest(maker, market, "NO", "buy", shares=1_000, price=40)
    settings = "/users/me/notification-settings"
    expect(maker.client.put(settings, json={"order_filled": {"app": is_on}}), 200)
    service.clock.stop_at(service.clock() + 1_000)
    expect(bet(taker, market, "YES", 10_000), 201)
    service.clock.advance(1_000)

    expect(maker.client.put(settings, json={"order_filled": {"app": not is_on}}), 200)
    work(service)
    assert len(notices(maker, "order_filled")) == is_on


def test_a_fill_while_resting_shows_in_the_profit_chart_and_counts_its_trader(
    start_service: Callable[..., Service],
) -> None:
    service = start_service(begins_midweek=True)
    (market,) = open_market(service, probabilities=[0.5], b=100_000)
    maker, taker = service.user(balance_kopecks=50_000), service.user(balance_kopecks=100_000)
    buyer = service.user(balance_kopecks=10_000)
    viewer = service.user(stats_viewer=True)
    stop_worker(service)
    shares = expect(bet(maker, market, "YES", 5_000), 201)["shares"] // 100 * 100
    order = rest(maker, market, "YES", "sell", shares=shares, price=60)
    waiting = rest(buyer, market, "NO", "buy", shares=1_000, price=30)

    expect(bet(taker, market, "YES", 90_000), 201)

    assert get_order(buyer, waiting["id"])["status"] == get_order(maker, order["id"])["status"] == "filled"
    assert chart(maker.client) == []
    assert traders(viewer) == 2
    work(service)
    (fill,) = expect(maker.client.get(f"/market/orders/{order['id']}/fills"), 200)["fills"]
    assert [point["pnl"] for point in chart(maker.client)] == [fill["pnl"] / 100]
    assert traders(viewer) == 3
    work(service)
    assert traders(viewer) == 3


def chart(client: httpx.Client) -> list[dict[str, Any]]:
    """Return the points of a person's profit chart."""
    points: list[dict[str, Any]] = expect(client.get("/users/me/pnl/chart"), 200)["points"]
    return points


def traders(viewer: Person) -> int:
    """Return how many have traded today."""
    return int(expect(viewer.client.get("/admin/stats"), 200)["days"][-1]["active_traders"])
