"""Open positions say what the result that their pool has will pay for them, as it is paid then."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.trading.settlement.store import payments
from tests.support.orders import balance, bet
from tests.support.partner_orders import bet as partner_bet
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect
from tests.support.waiting import wait_until
from tests.trading.settlement.windows import disputable, set_pool, state

PATHS = ("/market/positions", "/users/me/positions")


def decided(person: Person) -> list[int | None]:
    """Return `decided_kopecks` of a person's open positions, newest first, which all lists agree on."""
    lists = [expect(person.client.get(path), 200)["positions"] for path in PATHS]
    found = [[one["decided_kopecks"] for one in rows] for rows in lists]
    assert found[0] == found[1]
    return found[0]


@proves("results: Open positions, partners' too, + `decided_kopecks` (what each will be paid; else null).")
@pytest.mark.parametrize("result", [{"won_side": 1}, {"payouts": [0.25, 0.75]}, {"void": True}])
def test_a_position_says_what_the_result_will_pay(service: Service, result: dict[str, Any]) -> None:
    (made,) = service.event(pools=[disputable(["Reds", "Blues"])])["pools"]
    reds, blues = (market["id"] for market in made["markets"])
    ann, partner = service.user(balance_kopecks=10_000), service.partner(float_kopecks=10_000)
    for market_id, side in ((reds, "YES"), (reds, "NO"), (blues, "YES")):
        expect(bet(ann, market_id, side, 1_500), 201)
    expect(partner_bet(partner, "kim", blues, 2_000), 201)

    def of_partner() -> int | None:
        (one,) = expect(partner.client.get("/partner/users/kim"), 200)["positions"]
        found: int | None = one["decided_kopecks"]
        return found

    assert (decided(ann), of_partner()) == ([None] * 3, None)
    # A first result says what it pays, and so does the one that replaces it.
    expect(service.creator.client.post(f"/pools/{made['id']}/resolve", json={"won_side": 0}), 200)
    first = decided(ann)
    assert [bool(one) for one in first] == [False, False, True]
    assert of_partner() == 0
    expect(service.user(admin=True).client.post(f"/pools/{made['id']}/resolve", json=result), 200)
    wanted, of_kim = decided(ann), of_partner()
    assert wanted != first
    before = balance(ann)
    set_pool(service, made["id"], disputable_until_ms=1)
    _pay_now(service, made["id"])
    wait_until(lambda: state(service, made["id"]) == "paid")
    assert balance(ann) - before == sum(one or 0 for one in wanted)
    assert expect(partner.client.get("/partner/users/kim"), 200)["balance_kopecks"] == of_kim
    assert decided(ann) == []


def _pay_now(service: Service, pool_id: int) -> None:
    change = payments.update().where(payments.c.pool_id == pool_id).values(due_at_ms=1)
    service.server.run(service.app.db.write(lambda tx: tx.execute(change)))
