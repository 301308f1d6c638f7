"""Pools and amounts that are hard to price, for the hypothesis tests and the sweep."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise
from random import Random
from typing import NamedTuple

from foreknow.money.pricing import ADDITIONS_MAX, Addition, Lmsr, Side, prior_weights

SIDES = (Side.YES, Side.NO)
LIMIT = 10**15
MONEY_MAX = 9 * 10**15
B_MAX = 10**12


class Pool(NamedTuple):
    #: The liquidity at first.
    b: int
    weights: tuple[int, ...]
    q_yes: tuple[int, ...]
    q_no: tuple[int, ...]
    additions: tuple[Addition, ...] = ()

    def lmsr(self) -> Lmsr:
        return Lmsr.of(**self._asdict())

    @property
    def last_b(self) -> int:
        """The liquidity now."""
        return self.additions[-1].b if self.additions else self.b

    def net_shares(self) -> list[int]:
        """Return d of every outcome, the implicit one included."""
        return net_shares(self.q_yes, self.q_no)

    def exponents(self) -> list[Fraction]:
        """Return each outcome's exponent: the shares bought at each liquidity, divided by it."""
        levels = [self.b, *(addition.b for addition in self.additions)]
        moments = [net_shares(addition.q_yes, addition.q_no) for addition in self.additions]
        moments = [[0] * len(self.weights), *moments, self.net_shares()]
        return [
            sum(
                (Fraction(after - before, b) for b, (before, after) in zip(levels, pairwise(path), strict=True)),
                Fraction(),
            )
            for path in zip(*moments, strict=True)
        ]


def net_shares(q_yes: tuple[int, ...], q_no: tuple[int, ...]) -> list[int]:
    found = [yes - no for yes, no in zip(q_yes, q_no, strict=True)]
    return [*found, 0] if len(found) == 1 else found


def untouched(prior: list[float], b: int) -> Lmsr:
    """Return a market maker without trades."""
    return Lmsr.of(b=b, weights=prior_weights(prior), q_yes=[0] * len(prior), q_no=[0] * len(prior))


class Quotes(NamedTuple):
    """Quotes to compute for one pool."""

    pool: Pool
    #: (outcome, side, kopecks) and (outcome, side, shares).
    purchases: list[tuple[int, Side, int]]
    sales: list[tuple[int, Side, int]]


def log_uniform(random: Random, low: int, high: int) -> int:
    return min(high, max(low, round(math.exp(random.uniform(math.log(low), math.log(high))))))


def draw_pool(random: Random, outcomes_max: int = 100) -> Pool:
    b = random.choice((100, 1000, 100_000, 10**6, 10**12, 0, 0, 0, 0, 0)) or log_uniform(random, 100, 10**12)
    markets = random.choice((1, 1, 1, 2, 2, 3, 3, 4, 5, 0))
    if not markets:
        markets = log_uniform(random, 2, outcomes_max)
    weights = prior_weights(draw_prior(random, markets))
    if b < B_MAX // 2 and random.random() < 0.4:
        return Pool(b, weights, *draw_life(random, b, markets))
    q_yes, q_no = draw_holdings(random, b, markets)
    return Pool(b, weights, tuple(q_yes), tuple(q_no))


def draw_prior(random: Random, markets: int) -> list[float]:
    kind = random.choice(("equal", "equal", "equal", "random", "round", "extreme"))
    if markets == 1:
        return [{"equal": 0.5, "random": random.uniform(1e-4, 1 - 1e-4), "round": 0.07, "extreme": 1e-4}[kind]]
    if kind == "extreme":
        return [1e-4] * (markets - 1) + [1 - 1e-4 * (markets - 1)]
    if kind == "round":
        parts = [random.randint(1, 9) for _ in range(markets)]
    else:
        parts = [1 if kind == "equal" else random.randint(1, 10**9) for _ in range(markets)]
    return [max(1e-4, part / sum(parts)) for part in parts]


def draw_life(random: Random, b: int, markets: int) -> tuple[tuple[int, ...], tuple[int, ...], tuple[Addition, ...]]:
    """Draw the shares sold in a pool that began with liquidity `b`, and the additions to it."""
    levels = draw_levels(random, b, random.choice((1, 1, 1, 2, 2, 3, 5, ADDITIONS_MAX)))
    kind = random.choice(("any", "any", "untouched", "since", "hair"))
    if kind == "untouched":
        held = [([0] * markets, [0] * markets) for _ in levels]
    elif kind == "hair":
        held = [([shares, *[0] * (markets - 1)], [0] * markets) for shares in hair(b, levels[0])]
        held = [held[0], *[held[1]] * len(levels)]
    else:
        held = [draw_holdings(random, level, markets) for level in levels]
    if len(held) == len(levels):
        held.append(held[-1] if kind == "since" else draw_holdings(random, levels[-1], markets))
    moments = [(tuple(q_yes), tuple(q_no)) for q_yes, q_no in held]
    additions = tuple(Addition(level, *moment) for level, moment in zip(levels, moments, strict=False))
    return *moments[-1], additions


def hair(b: int, level: int) -> tuple[int, int]:
    """Return shares at liquidity `b`, and later in all at `level`, that leave an exponent of 1/lcm(b, level)."""
    common = math.gcd(b, level)
    first = pow(level // common, -1, b // common) if b > common else 0
    return first, first + (1 - first * (level // common)) // (b // common)


def draw_levels(random: Random, b: int, count: int) -> list[int]:
    """Draw rising liquidity: round, the next whole numbers, or any."""
    kind = random.choice(("round", "next", "any"))
    levels: set[int] = set()
    if kind == "any":
        while len(levels) < count:
            levels.add(log_uniform(random, b + 1, B_MAX))
    else:
        step = 1 if kind == "next" else -(-b // random.randint(1, 5))
        levels.update(b + step * steps for steps in range(1, count + 1) if b + step * steps <= B_MAX)
    return sorted(levels)


def draw_holdings(random: Random, b: int, markets: int) -> tuple[list[int], list[int]]:
    kind = random.choice(("none", "few", "near", "near", "far", "any", "any", "ladder", "limits", "one apart"))
    scale = {"few": 5, "near": 4 * b, "far": random.randint(20, 900) * b}.get(kind, LIMIT)
    step = log_uniform(random, 1, LIMIT // (2 * markets))

    def shares() -> int:
        if kind == "limits":
            return random.choice((-LIMIT, 0, LIMIT, LIMIT - random.randint(0, 3)))
        if kind == "any":
            return random.choice((1, 1, -1)) * log_uniform(random, 1, LIMIT)
        return random.randint(-scale if random.random() < 0.1 else 0, scale)

    if kind in ("none", "one apart"):
        q_yes, q_no = [0] * markets, [0] * markets
        if kind == "one apart":
            q_yes[random.randrange(markets)] = log_uniform(random, 1, LIMIT)
    elif kind == "ladder":
        levels = list(range(markets))
        random.shuffle(levels)
        q_yes, q_no = [step * level for level in levels], [0] * markets
    else:
        q_yes, q_no = [shares() for _ in range(markets)], [shares() for _ in range(markets)]
    return [max(-LIMIT, min(LIMIT, q)) for q in q_yes], [max(-LIMIT, min(LIMIT, q)) for q in q_no]


def draw_amount(random: Random, pool: Pool, outcome: int, high: int) -> int:
    """An order's amount: any, of the size of b, tiny, or one whose value is (nearly) whole."""
    kind = random.choice(("any", "near", "tiny", "aimed", "aimed", "aimed"))
    net_shares = pool.net_shares()
    if kind == "tiny":
        amount = random.randint(1, 12)
    elif kind == "near":
        amount = random.randint(1, 40 * pool.last_b)
    elif kind == "any":
        amount = log_uniform(random, 1, high)
    else:
        # Between equal outcomes, s = d_j − d_i buys a whole number of shares and x = 2·(d_i − d_j) sells for one.
        apart = abs(
            random.choice(net_shares)
            - random.choice((net_shares[outcome], net_shares[outcome], random.choice(net_shares)))
        )
        amount = random.choice((1, 1, 2, 2, len(net_shares))) * apart + random.choice((-1, 0, 0, 1))
        if not apart:
            amount = len(net_shares) * random.randint(1, 1000)
    return max(1, min(high, amount))


def draw_quotes(random: Random, pool: Pool, outcomes: int = 2) -> Quotes:
    """Draw quotes for some outcomes of a pool, on both sides."""
    quotes = Quotes(pool, [], [])
    for _ in range(outcomes):
        outcome = random.randrange(len(pool.q_yes))
        for side in SIDES:
            quotes.purchases.append((outcome, side, draw_amount(random, pool, outcome, MONEY_MAX)))
            quotes.sales.append((outcome, side, draw_amount(random, pool, outcome, LIMIT)))
    return quotes
