"""A correction in a dispute window changes what shares are paid, and leaves when and why orders ended (orders.md)."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.clock import iso
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.limit_orders import get_order, orders_of, rest, stop_worker, work
from tests.support.proofs import proves
from tests.support.service import Service, expect
from tests.trading.settlement.windows import MINUTE_MS, disputable


@proves(
    "orders: a verdict (with a dispute window: its opening)",
    "orders: The earliest end counts, at a tie the first named.",
    "orders: an ended order stays so.",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("later", ["expires_at", "finish_at"])
def test_an_order_that_a_decision_ended_stays_so_after_a_correction(fresh_service: Service, later: str) -> None:
    service = fresh_service
    stop_worker(service)
    end = iso(service.clock() + 2 * MINUTE_MS)
    finish: dict[str, Any] = {later: end} if later == "finish_at" else {}
    (made,) = service.event(pools=[disputable(["Reds", "Blues"], **finish)])["pools"]
    maker = service.user(balance_kopecks=10_000)
    market = made["markets"][0]["id"]
    expiry = {later: end} if later == "expires_at" else {}
    order = rest(maker, market, "YES", "buy", shares=1_000, price=20, **expiry)
    decided = expect(service.creator.client.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 200)
    decided_at = decided["resolution"]["decided_at"]

    service.clock.advance(3 * MINUTE_MS)
    service.sign_out_shared()
    expect(service.admin.post(f"/pools/{made['id']}/resolve", json={"won_side": 1}), 200)

    for _ in range(2):
        shown = get_order(maker, order["id"])
        assert (shown["status"], shown["reason"], shown["updated_at"]) == ("cancelled", "resolved", decided_at)
        assert [one["id"] for one in orders_of(maker, status="cancelled")] == [order["id"]]
        # Once that is written, too.
        work(service)
