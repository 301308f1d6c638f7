"""The client's interface: what a trader was worth at the end of each day, and is now."""

from __future__ import annotations

from datetime import datetime
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from foreknow.site.worth.tables import worth_days
from tests.support.kinds import ONCE
from tests.support.limit_orders import rest
from tests.support.orders import bet
from tests.support.proofs import proves
from tests.support.service import PASSWORD, Person, Service, expect, pool, refused
from tests.support.waiting import wait_until

WORTH = (
    "client: | 8a | GET /users/me/worth `?range=1m|1y|all` (Required) | "
    "`{points: [{at, worth_kopecks, added_kopecks}]}`"
)
BY_DAY = (
    "client: at the end of each UTC day since the first movement (≤ 1,000, thinned as charts are), the last one now: "
    "balance, `held_kopecks` and value of positions at the prices then"
)
ADDED = (
    "client: `added_kopecks`: all credits, grants and allowances till then, so that what trading earned is the "
    "difference."
)
KEPT = "client: Kept by day by a follower |"


def worth(person: Person, **query: str) -> list[dict[str, Any]]:
    points: list[dict[str, Any]] = expect(person.client.get("/users/me/worth", params=query), 200)["points"]
    assert all(point.keys() == {"at", "worth_kopecks", "added_kopecks"} for point in points)
    return points


def amounts(points: list[dict[str, Any]]) -> list[tuple[int, int]]:
    return [(point["worth_kopecks"], point["added_kopecks"]) for point in points]


def ms(text: str) -> int:
    return round(datetime.fromisoformat(text).timestamp() * 1000)


def sums(person: Person) -> int:
    """Return what the portfolio adds up to now."""
    shown = expect(person.client.get("/users/me/portfolio"), 200)
    return int(shown["balance_kopecks"] + shown["held_kopecks"] + shown["value_kopecks"])


class Days:
    """Days that end one after the other, with people who sign in again on each."""

    def __init__(self, service: Service) -> None:
        self.service = service
        service.clock.to_midweek()
        service.clock.stop_at(service.clock())
        service.sign_out_shared()
        self.people: list[Person] = []

    def person(self, **fields: Any) -> Person:
        self.people.append(self.service.user(**fields))
        return self.people[-1]

    def end(self) -> int:
        """Stand at the end of the day; return when that is."""
        clock = self.service.clock
        clock.stop_at(-(-clock() // DAY_MS) * DAY_MS)
        self._sign_in()
        return clock()

    def go_on(self, days: int = 0) -> None:
        """Go on to noon, some days later."""
        self.service.clock.advance(DAY_MS // 2 + days * DAY_MS)
        self._sign_in()

    def _sign_in(self) -> None:
        self.service.sign_out_shared()
        for person in self.people:
            person.client.headers["Authorization"] = f"Bearer {self.service.sign_in(person.email, PASSWORD)}"


@proves(WORTH, BY_DAY, ADDED, KEPT)
def test_each_day_ends_with_what_one_then_had(moving_service: Service) -> None:
    service = moving_service
    days = Days(service)
    person, other = days.person(), days.person(balance_kopecks=100_000)
    event = service.event(pools=[pool(["A", "B"], b=20_000, margin=0.02)])
    markets = [market["id"] for market in event["pools"][0]["markets"]]
    assert worth(person) == []
    service.credit(person.id, 50_000)
    expect(bet(person, markets[0], "YES", 8_000), 201)
    expected = {days.end(): (sums(person), 50_000)}

    # Someone else moves the price; an order holds money, and some is filled.
    days.go_on()
    expect(bet(other, markets[0], "YES", 9_000), 201)
    order = rest(person, markets[1], "YES", "buy", shares=2_000, price=20)
    assert order["held_kopecks"] > 0
    expected |= {days.end(): (sums(person), 50_000)}
    days.go_on()
    expect(bet(other, markets[1], "NO", 12_000), 201)
    expect(service.admin.post(f"/admin/users/{person.id}/credit", json={"amount_kopecks": -2_000, "note": "-"}), 201)
    expected |= {days.end(): (sums(person), 48_000)}

    # The result is final, and paid; nothing moves for two days.
    days.go_on()
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    wait_until(lambda: expect(person.client.get("/users/me/portfolio"), 200)["open"] == 0)
    paid = (sums(person), 48_000)
    expected |= {days.end() + day * DAY_MS: paid for day in range(3)}
    days.go_on(2)
    service.credit(person.id, 700)

    wait_until(lambda: len(worth(person)) == len(expected) + 1)
    points = worth(person)
    assert [ms(point["at"]) for point in points] == [*expected, service.clock()]
    assert amounts(points) == [*expected.values(), (paid[0] + 700, 48_700)]
    assert len({worth_kopecks for worth_kopecks, _ in expected.values()}) >= 4
    assert worth(person, range="all") == worth(person, range="1m") == worth(person, range="1y") == points


@proves(WORTH, BY_DAY)
def test_a_month_and_a_year_are_the_last_thirty_days_and_the_last_365(moving_service: Service) -> None:
    service = moving_service
    days = Days(service)
    person = days.person(balance_kopecks=1_000)
    first_ms = days.end()
    days.go_on(399)
    wait_until(lambda: len(worth(person)) == 401)
    for name, count in (("all", 400), ("1y", 365), ("1m", 30)):
        points = worth(person, range=name)
        assert amounts(points) == [(1_000, 1_000)] * (count + 1)
        ends = [first_ms + day * DAY_MS for day in range(400)][-count:]
        assert [ms(point["at"]) for point in points] == [*ends, service.clock()]


@proves(KEPT)
def test_a_day_is_kept_within_minutes_of_its_end_and_nothing_of_the_next_is_in_it(moving_service: Service) -> None:
    service = moving_service
    days = Days(service)
    person = days.person(balance_kopecks=1_000)
    end_ms = days.end()
    service.clock.advance(5 * MINUTE_MS)
    service.credit(person.id, 300)
    service.clock.advance(6 * MINUTE_MS)
    wait_until(lambda: len(worth(person)) == 2)
    assert amounts(worth(person)) == [(1_000, 1_000), (1_300, 1_300)]
    assert ms(worth(person)[0]["at"]) == end_ms
    service.clock.advance(HOUR_MS)


@proves(WORTH)
@ONCE
@pytest.mark.parametrize("range_", ["1d", "", "ALL", "1w"])
def test_another_range_is_a_bad_request(service: Service, range_: str) -> None:
    refused(service.admin.get("/users/me/worth", params={"range": range_}), 400, "bad_request")


@proves(WORTH)
@ONCE
def test_what_one_was_worth_is_shown_to_oneself(service: Service) -> None:
    refused(service.client().get("/users/me/worth"), 401, "unauthorized")


@proves(KEPT, "site: all that is kept of the caller, one JSON, streamed; no secrets; once an hour (429) |")
def test_the_days_are_exported_and_go_with_the_account(moving_service: Service) -> None:
    service = moving_service
    days = Days(service)
    person = days.person(balance_kopecks=1_000)
    day = days.end() // DAY_MS
    days.go_on()
    wait_until(lambda: len(worth(person)) == 2)
    kept = expect(person.client.get("/users/me/export"), 200)["tables"]["worth_days"]
    assert kept == [{"user_id": person.id, "day": day, "worth_kopecks": 1_000, "added_kopecks": 1_000}]

    expect(person.client.post("/users/me/delete", json={"password": PASSWORD}), 200)
    days.people.clear()
    mine = sa.select(worth_days).where(worth_days.c.user_id == person.id)
    wait_until(lambda: service.look(lambda tx: tx.execute(mine).all()) == [])
    # Nor does the next day keep any.
    days.end()
    days.go_on()
    look_again = days.person(balance_kopecks=1)
    days.end()
    days.go_on()
    wait_until(lambda: len(worth(look_again)) == 2)
    assert service.look(lambda tx: tx.execute(mine).all()) == []
