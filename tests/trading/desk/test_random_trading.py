"""Random traders against a simple model: every receipt, balance and position matches exact prices."""

from __future__ import annotations

import random
from typing import Any

import pytest

from foreknow.money.pricing import Lmsr, Side, average_price_bps, fee_kopecks, prior_weights
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.lengths import LONG, length
from tests.support.service import Person, Service, expect, pool

ROUNDS = length(short=60, long=120)
PROBABILITIES = [0.2, 0.3, 0.5]


class Model:
    """The expected results of orders, in dictionaries."""

    def __init__(self, *, b: int, margin: float, people: list[Person], balance_kopecks: int) -> None:
        self.market_maker = Lmsr.of(b=b, weights=prior_weights(PROBABILITIES), q_yes=[0, 0, 0], q_no=[0, 0, 0])
        self.margin = margin
        self.balances = {person.id: balance_kopecks for person in people}
        self.held: dict[tuple[int, int, Side], int] = {}

    def buy(self, user_id: int, outcome: int, side: Side, stake: int) -> dict[str, int] | None:
        """Return the receipt's numbers, or None if the order must fail."""
        fee = fee_kopecks(stake_kopecks=stake, margin=self.margin)
        shares = self.market_maker.shares_bought(outcome, side, stake - fee)
        if shares < 1 or stake > self.balances[user_id]:
            return None
        self.market_maker = self.market_maker.traded(outcome, side, shares)
        self.balances[user_id] -= stake
        self.held[user_id, outcome, side] = self.held.get((user_id, outcome, side), 0) + shares
        return {"shares": shares, "fee_kopecks": fee, "balance_kopecks": self.balances[user_id]}

    def sell(self, user_id: int, outcome: int, side: Side, shares: int) -> dict[str, int] | None:
        """Return the receipt's numbers, or None if the order must fail."""
        if self.held.get((user_id, outcome, side), 0) < shares:
            return None
        payout = self.market_maker.sale_payout_kopecks(outcome, side, shares)
        if payout < 1:
            return None
        self.market_maker = self.market_maker.traded(outcome, side, -shares)
        self.balances[user_id] += payout
        self.held[user_id, outcome, side] -= shares
        average = average_price_bps(money_kopecks=payout, shares=shares)
        return {"payout_kopecks": payout, "avg_price": average, "balance_kopecks": self.balances[user_id]}


@LONG
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("seed", "margin", "b"), [(1, 0.0, 500), (2, 0.07, 1_000_000), (3, 0.5, 100)])
def test_random_orders_get_exactly_what_the_model_says(service: Service, seed: int, margin: float, b: int) -> None:
    chance = random.Random(seed)
    people = [service.user(balance_kopecks=50_000) for _ in range(3)]
    event = service.event(pools=[pool(["A", "B", "C"], b=b, probabilities=PROBABILITIES, margin=margin)])
    markets = [market["id"] for market in event["pools"][0]["markets"]]
    model = Model(b=b, margin=margin, people=people, balance_kopecks=50_000)

    for _ in range(ROUNDS):
        person, outcome, side = chance.choice(people), chance.randrange(3), chance.choice(list(Side))
        order: dict[str, Any] = {"market_id": markets[outcome], "token_type": side.value}
        if chance.random() < 0.6:
            stake = chance.choice([1, 7, 100, 2_500, chance.randrange(1, 60_000)])
            answer = person.client.post("/market/bets", json=order | {"amount_kopecks": stake})
            expected = model.buy(person.id, outcome, side, stake)
        else:
            held = model.held.get((person.id, outcome, side), 0)
            shares = chance.choice([1, max(1, held // 2), max(1, held), held + 1])
            answer = person.client.post("/market/positions/sell", json=order | {"shares": shares})
            expected = model.sell(person.id, outcome, side, shares)
        if expected is None:
            assert answer.status_code in {400, 409}, answer.text
        else:
            receipt = expect(answer, 201)
            assert {name: receipt[name] for name in expected} == expected
            assert receipt["probability_after"] == model.market_maker.probability(outcome)

    for person in people:
        page = expect(person.client.get("/market/positions?limit=100"), 200)
        shown = {(row["market_id"], row["token_type"]): row["amount"] for row in page["positions"]}
        wanted = {
            (markets[outcome], side.value): shares
            for (user_id, outcome, side), shares in model.held.items()
            if user_id == person.id and shares
        }
        assert shown == wanted
