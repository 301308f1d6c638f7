"""Random histories of bets, orders, cancels, ends and results: the books stay right, and every hold comes back."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import hypothesis.strategies as st
from hypothesis import HealthCheck, given, settings

from foreknow.kernel.clock import iso
from tests.support.books import Auditor
from tests.support.lengths import LONG, length
from tests.support.limit_orders import money, orders_of
from tests.support.orders import add_liquidity
from tests.support.proofs import proves
from tests.support.service import Person, Service, expect, pool
from tests.support.waiting import wait_until

SECOND_MS = 1_000
#: The most that a history lets pass, well within an access token's time.
STEP_MS = 2 * SECOND_MS

_person, _market, _side = st.integers(0, 2), st.integers(0, 3), st.sampled_from(["YES", "NO"])
_order = st.fixed_dictionaries(
    {
        "action": st.sampled_from(["buy", "buy", "sell"]),
        "shares": st.integers(10, 60).map(lambda lots: 100 * lots),
        "price_bps": st.integers(5, 95).map(lambda percent: 100 * percent),
    },
    optional={"expires_in_ms": st.integers(SECOND_MS, 5 * SECOND_MS)},
)
STEPS = st.one_of(
    st.tuples(st.just("order"), _person, _market, _side, _order),
    st.tuples(st.just("order"), _person, _market, _side, _order),
    st.tuples(st.just("bet"), _person, _market, _side, st.integers(100, 20_000)),
    st.tuples(st.just("sell"), _person, _market, _side, st.integers(100, 5_000)),
    st.tuples(st.just("cancel"), _person, _market),
    st.tuples(st.just("wait"), st.integers(1, STEP_MS)),
    st.tuples(st.just("pause"), st.integers(0, 1), st.booleans()),
    st.tuples(st.just("liquidity"), st.integers(0, 1), st.integers(1, 5)),
)


@dataclass(slots=True)
class World:
    """A match and a question of three outcomes, and three people who trade there."""

    service: Service
    people: Sequence[Person]
    pools: Sequence[dict[str, Any]]
    b: list[int]

    @property
    def markets(self) -> list[int]:
        """The markets of both pools."""
        return [market["id"] for made in self.pools for market in made["markets"]]

    def do(self, name: str, *values: Any) -> None:
        """Take a step; what the service refuses changes nothing."""
        getattr(self, name)(*values)

    def order(self, person: int, market: int, side: str, terms: dict[str, Any]) -> None:
        """Place a limit order."""
        body = {"market_id": self.markets[market], "token_type": side, **terms}
        if (ahead_ms := body.pop("expires_in_ms", None)) is not None:
            body["expires_at"] = iso(self.service.clock() + ahead_ms)
        self._send(person, "/market/orders", body)

    def bet(self, person: int, market: int, side: str, stake: int) -> None:
        """Bet."""
        body = {"market_id": self.markets[market], "token_type": side, "amount_kopecks": stake}
        self._send(person, "/market/bets", body)

    def sell(self, person: int, market: int, side: str, shares: int) -> None:
        """Sell to the market maker, or to orders."""
        self._send(
            person, "/market/positions/sell", {"market_id": self.markets[market], "token_type": side, "shares": shares}
        )

    def cancel(self, person: int, market: int) -> None:
        """Cancel one's orders of a market."""
        self._send(person, "/market/orders/cancel", {"market_id": self.markets[market]})

    def wait(self, ms: int) -> None:
        """Let time pass."""
        self.service.clock.advance(ms)

    def pause(self, number: int, paused: bool) -> None:
        """Pause a pool, or resume it."""
        verb = "pause" if paused else "resume"
        expect(self.service.admin.post(f"/pools/{self.pools[number]['id']}/{verb}"), 200)

    def liquidity(self, number: int, factor: int) -> None:
        """Raise a pool's b."""
        self.b[number] += 1_000 * factor
        expect(add_liquidity(self.service.admin, self.pools[number]["id"], self.b[number]), 200)

    def _send(self, person: int, path: str, body: dict[str, Any]) -> None:
        answer = self.people[person].client.post(path, json=body)
        assert answer.status_code in (200, 201, 400, 409), answer.text


def begin(service: Service) -> World:
    """Make people and pools."""
    described = [pool(probabilities=[0.4], b=4_000, margin=0.02), pool(["A", "B", "C"], b=4_000)]
    made = service.event(pools=described)["pools"]
    return World(service, [service.user(balance_kopecks=60_000) for _ in range(3)], made, [4_000, 4_000])


def _holds_nothing(person: Person) -> bool:
    return money(person)[1] == 0


@LONG
@proves(
    # Audits of all rows after each history say so.
    (
        "orders: Hence always: best up < best down in every market; best ups of several markets sum to at most 9900, "
        "best downs (one in every market) to at least 10100;"
    ),
    "orders: no order ever paid more or got less than its price, before the margin;",
    "orders: Balance + held is exact at every moment",
)
@given(steps=st.lists(STEPS, min_size=10, max_size=40), winner=st.integers(0, 2))
@settings(
    max_examples=length(short=4, long=300), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
def test_after_any_history_the_books_are_right_and_every_hold_is_back(
    moving_service: Service, steps: list[tuple[Any, ...]], winner: int
) -> None:
    world = begin(moving_service)
    for step in steps:
        world.do(*step)
    Auditor(moving_service).audit()

    match, three = world.pools
    expect(moving_service.admin.post(f"/pools/{match['id']}/resolve", json={"won_side": winner % 2}), 200)
    expect(moving_service.admin.post(f"/pools/{three['id']}/resolve", json={"won_side": winner}), 200)

    for person in world.people:
        wait_until(partial(_holds_nothing, person))
        assert orders_of(person, status="open") == []
        assert expect(person.client.get("/market/positions"), 200)["positions"] == []
    Auditor(moving_service).audit()
