"""Whole lives of pools with resting orders: every decision is the contract's, and what must always hold does."""

from __future__ import annotations

from collections import Counter
from random import Random

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.support.lengths import LONG, length
from tests.trading.book.cases import draw_pool
from tests.trading.book.life import Life


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
