"""Price alerts of lists whose trades are read after a split: Other had the price of then, new outcome included."""

from __future__ import annotations

from typing import Any

from foreknow.site.following import FollowingService
from tests.site.following.readers import notices
from tests.support.baskets import stake
from tests.support.lists import list_pool, read_pool, split
from tests.support.orders import bet
from tests.support.service import Person, Service, expect
from tests.support.waiting import wait_until

RICH = 10_000_000
B = 100_000
ANN, BOB, OTHER = range(3)


class Watched:
    """A list that no one follows until `follow`: what happens before is read then."""

    def __init__(self, service: Service) -> None:
        """Make it, and who trades."""
        self.service = service
        service.server.run(service.app.services.following.stop())
        self.trader = service.user(balance_kopecks=RICH)
        (self.pool,) = service.event(pools=[list_pool(b=B)])["pools"]

    def prices(self) -> list[float]:
        """Return the prices of all outcomes."""
        return [market["yes_probability"] for market in read_pool(self.service, self.pool["id"])["markets"]]

    def market(self, outcome: int) -> int:
        """Return the id of an outcome's market."""
        return int(read_pool(self.service, self.pool["id"])["markets"][outcome]["id"])

    def bet(self, outcome: int, amount_kopecks: int) -> list[float]:
        """Let the trader bet; return the prices then."""
        outcomes = len(self.prices())
        expect(bet(self.trader, self.market(outcome), "YES", amount_kopecks, outcomes=outcomes), 201)
        return self.prices()

    def alert(self, outcome: int, **limits: int) -> Person:
        """Let a new person wait for a price, in basis points."""
        person = self.service.user()
        expect(person.client.put(f"/markets/{self.market(outcome)}/alert", json=limits), 200)
        return person

    def follow(self, last: Person) -> None:
        """Read all trades, and notify; `last` is notified of the last one."""
        following = FollowingService(self.service.app.db)

        def is_done() -> bool:
            self.service.server.run(following.follow())
            return bool(reached(last))

        wait_until(is_done)


def bps(price: float) -> int:
    return round(price * 10_000)


def reached(person: Person) -> list[int]:
    """Return the prices that a person was notified of."""
    return [int(notice["params"]["after_bps"]) for notice in notices(person, "price_alert")]


def waits(person: Person) -> bool:
    """Whether a person's alert is still there."""
    found: list[Any] = expect(person.client.get("/users/me/alerts"), 200)["alerts"]
    return bool(found)


def test_a_trade_on_other_before_a_split_left_the_whole_price(fresh_service: Service) -> None:
    listed = Watched(fresh_service)
    soon, later = listed.alert(OTHER, above=5100), listed.alert(OTHER, above=6000)
    prices = listed.bet(OTHER, 6_000)
    # With the new outcome's quarter counted twice it would be 0.65.
    assert 0.51 < prices[OTHER] < 0.53
    split(fresh_service, listed.pool["id"], "Dana", 0.25)

    listed.follow(last=soon)

    assert reached(soon) == [bps(prices[OTHER])]
    assert reached(later) == []
    assert waits(later)


def test_trades_between_two_splits_are_read_as_the_list_then_stood(fresh_service: Service) -> None:
    listed = Watched(fresh_service)
    first = [listed.alert(OTHER, above=5100), listed.alert(ANN, below=2950)]
    high = [listed.alert(OTHER, above=7000), listed.alert(ANN, above=4500), listed.alert(BOB, below=500)]
    whole = listed.bet(OTHER, 6_000)
    split(fresh_service, listed.pool["id"], "Dana", 0.25)
    second = [listed.alert(OTHER, above=4000), listed.alert(3, below=1290)]
    once = listed.bet(OTHER, 6_000)
    third = listed.alert(OTHER, below=bps(once[OTHER]) - 20)
    expect(stake(listed.trader, [listed.market(ANN), listed.market(BOB)], 8_000, outcomes=4), 201)
    after_basket = listed.prices()
    fourth = listed.alert(ANN, above=bps(after_basket[ANN]) + 50)
    last = listed.bet(ANN, 6_000)
    split(fresh_service, listed.pool["id"], "Eve", 0.5)

    listed.follow(last=fourth)

    assert [reached(one) for one in first] == [[bps(whole[OTHER])], [bps(whole[ANN])]]
    assert [reached(one) for one in second] == [[bps(once[OTHER])], [bps(once[3])]]
    assert reached(third) == [bps(after_basket[OTHER])]
    assert reached(fourth) == [bps(last[ANN])]
    assert [reached(one) for one in high] == [[]] * 3
    assert all(waits(one) for one in high)
