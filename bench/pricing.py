"""CPU time of prices: `python -m bench pricing`.

Prints microseconds for each thing a trade asks of the market maker, also as a multiple of one `log1p` and one `expm1`
called from Python in the same run, and how many of a long run of realistic quotes floats could not decide.
"""

from __future__ import annotations

import argparse
import math
import timeit
from collections.abc import Callable
from functools import partial
from random import Random

from foreknow.money.pricing import Lmsr, Side, exact, prior_weights

SIDES = (Side.YES, Side.NO)


def microseconds(work: Callable[[], object]) -> float:
    """The fastest of several rounds: other work only ever adds time."""
    timer = timeit.Timer(work)
    rounds, _ = timer.autorange()
    calls = max(1, rounds // 4)
    return min(timer.repeat(7, calls)) / calls * 1e6


def pool(markets: int, b: int = 1_000_000) -> Lmsr:
    """A pool after some trades."""
    weights = prior_weights([0.42] if markets == 1 else [1 / markets] * markets)
    random = Random(markets)
    q_yes, q_no = ([random.randint(0, b) for _ in range(markets)] for _ in SIDES)
    return Lmsr.of(b=b, weights=weights, q_yes=q_yes, q_no=q_no)


def bet(lmsr: Lmsr) -> object:
    """The prices that the desk computes for one bet."""
    before = lmsr.probability(0)
    after = lmsr.traded(0, Side.YES, lmsr.shares_bought(0, Side.YES, 5_000))
    return before, after.within_limit(), after.liabilities_kopecks(), after.probability(0)


def rebuilt(lmsr: Lmsr) -> Lmsr:
    return Lmsr.of(b=lmsr.b, weights=lmsr.weights, q_yes=lmsr.q_yes, q_no=lmsr.q_no)


def print_times() -> None:
    x = 0.005
    pair = microseconds(lambda: math.log1p(math.expm1(x) * 0.5))
    print(f"one log1p and one expm1: {pair:.3f} µs; all below in µs (and as a multiple of that)\n")
    tasks: dict[str, Callable[[Lmsr], object]] = {
        "shares for kopecks": lambda lmsr: lmsr.shares_bought(0, Side.YES, 5_000),
        "kopecks for shares": lambda lmsr: lmsr.sale_payout_kopecks(0, Side.NO, 5_000),
        "value of shares": lambda lmsr: lmsr.value_kopecks(0, Side.YES, 5_000),
        "the pool after a trade": lambda lmsr: lmsr.traded(0, Side.YES, 5_000),
        "the pool from its row": rebuilt,
        "one price": lambda lmsr: lmsr.probability(0),
        "all prices": lambda lmsr: lmsr.probabilities(),
        "the order book": lambda lmsr: lmsr.depth(0),
        "a whole bet": bet,
    }
    sizes = (1, 2, 10, 100)
    print("markets in the pool".ljust(26), *(f"{size:>16}" for size in sizes))
    pools = [pool(size) for size in sizes]
    for lmsr in pools:
        lmsr.probabilities()
    for name, task in tasks.items():
        times = [microseconds(partial(task, lmsr)) for lmsr in pools]
        print(name.ljust(26), *(f"{time:8.2f} ({time / pair:4.1f}×)" for time in times))


def print_share_beyond_floats(quotes: int) -> None:
    """Trade in pools of 1,000 to 1,000,000 roubles of liquidity, and price every position after every trade."""
    decided_exactly = 0
    largest = exact.largest

    def counted(low: int, high: int, holds: Callable[[int], bool]) -> int:
        nonlocal decided_exactly
        decided_exactly += 1
        return largest(low, high, holds)

    exact.largest = counted
    random = Random(2003)
    asked = 0
    while asked < quotes:
        markets = random.choice((1, 1, 1, 2, 3, 5, 10, 30))
        b = random.choice((100_000, 1_000_000, 10_000_000, 100_000_000))
        prior = [random.uniform(0.02, 0.98)] if markets == 1 else [random.uniform(1, 9) for _ in range(markets)]
        lmsr = Lmsr.of(b=b, weights=prior_weights(prior), q_yes=[0] * markets, q_no=[0] * markets)
        for _ in range(200):
            outcome, side = random.randrange(markets), random.choice(SIDES)
            money = round(math.exp(random.uniform(math.log(100), math.log(b))))
            lmsr = lmsr.traded(outcome, side, lmsr.shares_bought(outcome, side, money))
            held = lmsr.q(outcome)[side is Side.NO]
            lmsr.value_kopecks(outcome, side, held)
            sold = random.randint(1, held)
            lmsr.sale_payout_kopecks(outcome, side, sold)
            if random.random() < 0.4:
                lmsr = lmsr.traded(outcome, side, -sold)
            asked += 3
    exact.largest = largest
    print(f"\n{decided_exactly} of {asked:,} realistic quotes needed more than floats")


def main(arguments: list[str]) -> None:
    """Print the times of prices."""
    parser = argparse.ArgumentParser(prog="bench pricing", description=__doc__)
    parser.add_argument("--quotes", type=int, default=600_000, help="realistic quotes to try")
    print_times()
    print_share_beyond_floats(parser.parse_args(arguments).quotes)
