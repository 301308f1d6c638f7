"""Bundles that are hard to price, for the hypothesis tests and the sweep."""

from __future__ import annotations

from random import Random
from typing import NamedTuple

from tests.money.pricing.cases import MONEY_MAX, Pool, draw_amount, log_uniform


class Stake(NamedTuple):
    """A stake on a set, given a larger one (None: all)."""

    outcomes: frozenset[int]
    given: frozenset[int] | None
    kopecks: int


class Bundles(NamedTuple):
    """Bundles to price in one pool; `changes` are shares by outcome, bought or (negative) sold."""

    pool: Pool
    stakes: list[Stake]
    changes: list[dict[int, int]]


def draw_bundles(random: Random, pool: Pool, count: int = 4) -> Bundles:
    """Draw bundles of a pool with two or more markets."""
    return Bundles(
        pool,
        [draw_stake(random, pool) for _ in range(count)],
        [draw_changes(random, pool) for _ in range(count)],
    )


def draw_stake(random: Random, pool: Pool) -> Stake:
    everything = list(range(len(pool.q_yes)))
    random.shuffle(everything)
    size = random.choice((2, 2, 2, len(everything), len(everything), random.randint(2, len(everything))))
    given = everything[:size]
    outcomes = given[: random.choice((1, size // 2, random.randint(1, size - 1)))]
    if random.random() < 0.3:
        # The sum of a set that nearly covers what it is bought against, and the reverse.
        given.sort(key=pool.net_shares().__getitem__, reverse=random.random() < 0.5)
        outcomes = given[: len(outcomes)]
    kopecks = draw_amount(random, pool, random.choice(outcomes), MONEY_MAX)
    if size == 2 and random.random() < 0.5:
        # Of two equal outcomes, what they are apart buys twice as many shares.
        kopecks = max(1, abs(pool.net_shares()[given[0]] - pool.net_shares()[given[1]]) + random.choice((-1, 0, 0, 1)))
    return Stake(frozenset(outcomes), frozenset(given) if size < len(everything) else None, kopecks)


def draw_changes(random: Random, pool: Pool) -> dict[int, int]:
    kind = random.choice(("any", "any", "few", "all", "swap", "swap", "equal"))
    everything = range(len(pool.q_yes))
    some = random.sample(everything, random.choice((1, len(everything), random.randint(1, len(everything)))))
    if kind == "any":
        return {outcome: random.choice((1, -1)) * draw_amount(random, pool, outcome, MONEY_MAX) for outcome in some}
    if kind == "few":
        return {outcome: random.choice((1, 1, -1)) * random.randint(1, 12) for outcome in some}
    if kind == "all":
        # Shares of the size of b, up or down alike.
        sign = random.choice((1, -1))
        return {outcome: sign * log_uniform(random, 1, 40 * pool.last_b) for outcome in everything}
    sign, apart = random.choice((1, -1)), log_uniform(random, 1, 10**15)
    if kind == "equal":
        # Of every outcome as many, or all but a hair.
        changes = dict.fromkeys(everything, sign * apart)
        changes[random.choice(everything)] += random.choice((0, 0, 1, -1))
        return changes
    # Outcomes change places: equally likely at first, the bundle costs what each place moves up, a whole number.
    places = list(everything)
    for _ in range(random.choice((1, 1, len(places)))):
        i, j = random.choice(places), random.choice(places)
        places[i], places[j] = places[j], places[i]
    net_shares = pool.net_shares()
    moves = [net_shares[place] - net_shares[outcome] for outcome, place in enumerate(places)]
    level = (-min(moves) if sign > 0 else -max(moves)) + random.choice((0, 0, 1, -1)) * random.randint(0, 3)
    return {outcome: move + level for outcome, move in enumerate(moves) if move + level}
