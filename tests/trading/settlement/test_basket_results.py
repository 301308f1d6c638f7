"""Results of pools with baskets: corrected, cancelled, of a person who is deleted; each leg is paid and notified of."""

from __future__ import annotations

from typing import Any

import pytest

from tests.site.following.readers import wait_for_notices
from tests.support.baskets import CHECK_B, CHECK_PRIORS, RANGES, change, markets_of, stake
from tests.support.books import Auditor
from tests.support.disputes import leap
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.orders import balance
from tests.support.service import PASSWORD, Person, Service, expect, refused
from tests.support.waiting import wait_until
from tests.trading.settlement.windows import MINUTE_MS, disputable, shown

SOLD = 100


def traded(service: Service) -> tuple[dict[str, Any], Person, dict[int, int]]:
    """Make a pool of ranges with a dispute window, and a person's shares of each market by two baskets."""
    described = disputable(b=CHECK_B, probabilities=CHECK_PRIORS)
    described["metadata"]["shape"] = RANGES
    event = service.event(pools=[described])
    markets = markets_of(event["pools"][0])
    person = service.user(balance_kopecks=1_000)
    placed = [
        expect(stake(person, markets[1:2], 500, given=markets[:3]), 201),
        expect(change(person, {markets[1]: -SOLD, markets[2]: 300}), 201),
    ]
    shares: dict[int, int] = {}
    for leg in (leg for basket in placed for leg in basket["legs"]):
        shares[leg["market_id"]] = shares.get(leg["market_id"], 0) + leg["shares"]
    return event, person, shares


def test_a_corrected_result_pays_the_legs_that_won_at_last(fresh_service: Service) -> None:
    service = fresh_service
    event, person, shares = traded(service)
    pool = event["pools"][0]
    markets, left = markets_of(pool), balance(person)

    expect(service.creator.client.post(f"/pools/{pool['id']}/resolve", json={"value": "15"}), 200)
    refused(change(person, {markets[1]: -1}), 409, "market_closed")
    expect(service.admin.post(f"/pools/{pool['id']}/resolve", json={"value": "45.5"}), 200)
    assert shown(service, pool["id"])["resolution"]["value"] == "45.5"
    assert balance(person) == left
    # A further verdict has an hour at least.
    leap(service, service.clock() + 60 * MINUTE_MS, person)

    wait_until(lambda: balance(person) == left + shares[markets[4]])
    # The stake comes back: neither of its condition's outcomes won.
    assert shares[markets[4]] == 500
    closed = expect(person.client.get("/market/positions/completed"), 200)["positions"]
    # All that left a position: sold and settled.
    assert {row["market_id"]: row["amount"] for row in closed} == shares | {markets[1]: shares[markets[1]] + SOLD}
    notices = wait_for_notices(person, "position_settled", count=len(shares))
    assert len(notices) == len(shares)
    Auditor(service).audit()


def test_a_cancelled_event_pays_each_leg_its_value(service: Service) -> None:
    event, person, shares = traded(service)
    left = balance(person)
    values = {row["market_id"]: row["value_kopecks"] for row in _positions(person)}
    assert set(values) == set(shares)
    expect(service.admin.post(f"/events/{event['id']}/cancel"), 200)
    wait_until(lambda: balance(person) == left + sum(values.values()))
    rows = expect(person.client.get("/users/me/transactions"), 200)["transactions"]
    paid = {row["market_id"]: row["change_kopecks"] for row in rows if row["type"] == "settlement"}
    assert paid == values


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("value", ["15", "45"])
def test_baskets_of_a_deleted_person_stay_in_the_books_without_a_name(fresh_service: Service, value: str) -> None:
    service = fresh_service
    event, person, shares = traded(service)
    pool = event["pools"][0]
    before = expect(service.client().get(f"/events/{event['id']}/trades"), 200)["trades"]
    expect(person.client.post("/users/me/delete", json={"password": PASSWORD}), 200)

    after = expect(service.client().get(f"/events/{event['id']}/trades"), 200)["trades"]
    about = ("id", "basket_id", "legs", "amount_kopecks")
    assert [[row[name] for name in about] for row in after] == [[row[name] for name in about] for row in before]
    assert {row["user"]["id"] for row in after} == {None}
    expect(service.creator.client.post(f"/pools/{pool['id']}/resolve", json={"value": value}), 200)
    service.clock.advance(10 * MINUTE_MS)
    wait_until(lambda: shown(service, pool["id"])["resolution"]["state"] == "paid")
    assert len(shares) == 4
    Auditor(service).audit()


def _positions(person: Person) -> list[dict[str, Any]]:
    rows: list[dict[str, Any]] = expect(person.client.get("/market/positions"), 200)["positions"]
    return rows
