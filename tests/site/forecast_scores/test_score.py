"""The score: equal to the definition, 0 for who copies, nothing after one's own trade, no gain without knowing."""

from __future__ import annotations

import itertools
import math
import random

import pytest

from foreknow.site.forecasts.reading import Earned
from tests.site.forecast_scores.random_lives import USERS, random_life, swept
from tests.site.forecast_scores.reference import DAY_MS, Life, Stood, Trade, raised

EXACT = 1e-6
COPIED = 1e-9


def test_it_is_the_definition_on_random_lives(pytestconfig: pytest.Config) -> None:
    lives = 100_000 if pytestconfig.getoption("--long") else 300
    scored = 0
    for number in range(lives):
        life = random_life(random.Random(number))
        found = swept(life)
        for user in range(USERS):
            score, coverage = life.earned(user)
            earned = found.get(user, Earned())
            if score is None or coverage is None:
                assert earned == Earned(), number
                continue
            scored += 1
            assert earned.score is not None
            assert earned.coverage is not None
            assert abs(earned.score - score) < EXACT, number
            assert abs(earned.coverage - coverage) < EXACT, number
    assert scored > lives / 2


def test_who_copies_the_price_gets_nothing() -> None:
    scored = 0
    for number in range(200):
        life = random_life(random.Random(number))
        changes = [*life.prices, (life.published_ms + life.whole_ms, (0.5,))]
        life.forecasts = [one for one in life.forecasts if one.user]
        for (from_ms, values), (until_ms, _) in itertools.pairwise(changes):
            sides = (values[0], 1 - values[0]) if len(values) == 1 else values
            kept = [float(one) for one in raised(sides)][: len(values)]
            if from_ms < until_ms:
                life.forecasts.append(Stood(user=0, probabilities=kept, from_ms=from_ms, until_ms=until_ms))
        earned = swept(life).get(0, Earned())
        if earned.score is not None:
            scored += 1
            assert abs(earned.score) < COPIED, number
    assert scored > 20


def test_after_ones_own_trade_nothing_counts_while_one_holds_or_for_a_day() -> None:
    begin_ms, hour_ms = 1_700_000_000_000, 3_600_000
    life = Life(
        winner=0, published_ms=begin_ms, first_finish_ms=begin_ms + 10 * DAY_MS, decided_ms=[begin_ms + 9 * DAY_MS]
    )
    life.prices = [(begin_ms, (0.5,)), (begin_ms + 6 * DAY_MS, (0.9,))]
    life.trades = [Trade(at_ms=begin_ms, user=user, position=user, shares=1) for user in range(10, 15)]
    life.forecasts = [Stood(user=user, probabilities=(0.9,), from_ms=begin_ms, until_ms=None) for user in range(3)]
    # One never trades; one sells again within an hour; one holds to the end.
    bought_ms = begin_ms + 2 * DAY_MS
    life.trades += [Trade(at_ms=bought_ms, user=user, position=user, shares=7) for user in (1, 2)]
    life.trades.append(Trade(at_ms=bought_ms + hour_ms, user=1, position=1, shares=-7))
    found = swept(life)
    of_day = 10 * math.log(0.9 / 0.5)
    counted = {0: (6, 9), 1: (6 - 25 / 24, 9 - 25 / 24), 2: (2, 2)}
    for user, (gaining, covered) in counted.items():
        score, coverage = found[user]
        assert score is not None
        assert coverage is not None
        assert abs(score - of_day * gaining) < EXACT
        assert abs(coverage - covered / 10) < EXACT


def test_the_examples_of_the_docs_are_right() -> None:
    begin_ms = 1_700_000_000_000
    for winner, wanted in ((0, (23.5, 2.2)), (1, (-27.3, -27.7))):
        end_ms = begin_ms + 10 * DAY_MS
        life = Life(winner=winner, published_ms=begin_ms, first_finish_ms=end_ms, decided_ms=[end_ms])
        life.prices = [(begin_ms, (0.5,)), (begin_ms + 6 * DAY_MS, (0.9,))]
        life.trades = [Trade(at_ms=begin_ms, user=user, position=user, shares=1) for user in range(10, 15)]
        life.forecasts = [
            Stood(user=0, probabilities=(0.8,), from_ms=begin_ms, until_ms=None),
            Stood(user=1, probabilities=(0.95,), from_ms=begin_ms + 6 * DAY_MS, until_ms=None),
        ]
        found = swept(life)
        assert tuple(round(found[user].score or 0, 1) for user in range(2)) == wanted
