"""Owners who cancel limit orders that have ended with their pool, before the worker comes (orders.md, "Ends")."""

from __future__ import annotations

import pytest

from foreknow.kernel.clock import iso
from tests.support.limit_orders import cancel, get_order, money, notices, orders_of, rest, work
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

AHEAD_MS = 300_000


@proves(
    "orders: `orders_ended` (one a pool and person, at `finish_at`, a verdict or cancellation, and at each split).",
    "orders: at once where its owner cancels it, ended or not, or meets it.",
    "orders: | DELETE /market/orders/{id} | 200 Order as it now is; an ended one stays so |",
)
@pytest.mark.parametrize("cause", ["finish", "decision"])
@pytest.mark.parametrize("way", ["one", "each", "all"])
def test_who_cancels_what_has_ended_is_notified_once_of_all(still_service: Service, cause: str, way: str) -> None:
    service = still_service
    finish_at_ms = service.clock() + AHEAD_MS
    described = pool(["a", "b"], finish_at=iso(finish_at_ms))
    # Nothing is paid, which would end orders first.
    described["metadata"]["resolution"] = {"kind": "manual", "dispute_minutes": 10}
    (made,) = service.event(pools=[described])["pools"]
    markets = [market["id"] for market in made["markets"]]
    maker, other = service.user(balance_kopecks=10_000), service.user(balance_kopecks=10_000)
    orders = [rest(maker, market, "YES", "buy", shares=1_000, price=price) for market in markets for price in (10, 20)]
    expiring = rest(maker, markets[0], "YES", "buy", shares=1_000, price=5, expires_at=iso(finish_at_ms - 1))
    theirs = rest(other, markets[0], "YES", "buy", shares=1_000, price=15)
    service.clock.stop_at(finish_at_ms - (0 if cause == "finish" else 1))
    if cause == "decision":
        expect(service.admin.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 200)
    expected = ("cancelled", "closed" if cause == "finish" else "resolved")

    if way == "all":
        answer = expect(
            maker.client.post("/market/orders/cancel", json={"order_ids": [one["id"] for one in orders]}), 200
        )
        assert (answer["orders"], answer["has_more"]) == ([], False)
    for order in orders[: {"one": 1, "each": 4, "all": 0}[way]]:
        shown = cancel(maker, order["id"])
        assert (shown["status"], shown["reason"], shown["held_kopecks"]) == (*expected, 0)
    assert money(maker) == (10_000, 0)

    work(service)

    assert {(one["status"], one["reason"]) for one in orders_of(maker, status="cancelled")} == {expected}
    assert get_order(maker, expiring["id"])["status"] == "expired"
    (notice,) = notices(maker, "orders_ended")
    assert notice["params"]["order_count"] == 4
    assert cancel(other, theirs["id"])["status"] == "cancelled"
    assert [one["params"]["order_count"] for one in notices(other, "orders_ended")] == [1]


def test_an_end_that_cannot_be_written_refuses_its_cancelling_alone(still_service: Service) -> None:
    service = still_service
    finish_at_ms = service.clock() + AHEAD_MS
    ends, stays = service.event(pools=[pool(finish_at=iso(finish_at_ms)), pool()])["pools"]
    maker, other = service.user(balance_kopecks=10_000), service.user(balance_kopecks=10_000)
    order = rest(maker, ends["markets"][0]["id"], "YES", "buy", shares=1_000, price=20)
    service.clock.stop_at(finish_at_ms)

    with service.without("notifications"):
        refused(maker.client.delete(f"/market/orders/{order['id']}"), 500, "internal_error")
        expect(bet(other, stays["markets"][0]["id"], "YES", 100), 201)

    assert cancel(maker, order["id"])["reason"] == "closed"
    assert money(maker) == (10_000, 0)
    assert len(notices(maker, "orders_ended")) == 1
