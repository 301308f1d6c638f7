"""Whole lives of pools with resting orders: every decision is the contract's, and what must always hold does."""

from __future__ import annotations

from collections import Counter
from random import Random

import msgspec
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from foreknow.money.pricing import Addition, Side
from foreknow.trading.book import Arrival, ArrivingLimit, Book, Resting, decide
from tests.money.pricing.cases import Pool
from tests.support.lengths import LONG, length
from tests.trading.book.cases import arrival, contents, draw_incoming, draw_pool
from tests.trading.book.life import Life, answer


@LONG
def test_every_decision_is_the_contracts() -> None:
    seen: Counter[str] = Counter()

    @settings(max_examples=length(short=60, long=3_000), deadline=None, suppress_health_check=list(HealthCheck))
    @given(seed=st.integers(0, 2**64))
    def live(seed: int) -> None:
        # All at once from a seed: a life needs more choices than are drawn one by one.
        random = Random(seed)
        life = Life(random, draw_pool(random))
        for _ in range(length(short=40, long=70)):
            life.step()
        seen.update(life.seen)

    live()
    assert min(seen[kind] for kind in ("met", "sets", "swept", "self trades")) >= 20, seen


@LONG
@settings(max_examples=length(short=20, long=500), deadline=None, suppress_health_check=list(HealthCheck))
@given(seed=st.integers(0, 2**64))
def test_yes_and_no_exchanged_give_the_mirror(seed: int) -> None:
    random = Random(seed)
    pool = draw_pool(random)
    while len(pool.q_yes) > 1:
        pool = draw_pool(random)
    life = Life(random, pool)
    for _ in range(30):
        life.step()
        order = arrival(draw_incoming(random, life.market_maker, life.next_id, life.users))
        mirror = Book(1, map(mirrored, contents(life.book)))
        decision = decide(life.market_maker, life.book, order)
        assert answer(decide(mirrored_pool(life.world.pool).lmsr(), mirror, mirrored_arrival(order))) == answer(
            decision
        )


def other(side: Side) -> Side:
    return Side.NO if side is Side.YES else Side.YES


def mirrored(order: Resting) -> Resting:
    return msgspec.structs.replace(order, side=other(order.side), level_percent=100 - order.level_percent)


def mirrored_arrival(order: Arrival) -> Arrival:
    terms = order.terms
    if isinstance(terms, ArrivingLimit):
        terms = msgspec.structs.replace(terms, level_percent=100 - terms.level_percent)
    return msgspec.structs.replace(order, side=other(order.side), terms=terms)


def mirrored_pool(pool: Pool) -> Pool:
    additions = tuple(Addition(addition.b, addition.q_no, addition.q_yes) for addition in pool.additions)
    return Pool(pool.b, pool.weights[::-1], pool.q_no, pool.q_yes, additions)
