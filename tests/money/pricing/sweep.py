"""Price as many hard cases as you like against the reference: `python -m tests.money.pricing.sweep --cases 1000000`.

With `--bundles` they are sets and bundles instead of quotes for one outcome. With `--splits` they are operations in
lists that grow: trades, splits, liquidity and voids, each compared with the pool of all outcomes from the start, and
the house's bound after each.

Prints every wrong one and ends with exit code 1 where there was any. A seed names its cases for ever.
"""

from __future__ import annotations

import argparse
import sys
import time
from random import Random

from tests.money.pricing.bundle_cases import draw_bundles
from tests.money.pricing.cases import draw_pool, draw_quotes
from tests.money.pricing.check import Outcome, check, check_bundles
from tests.money.pricing.list_lives import ListLife


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    kind = parser.add_mutually_exclusive_group()
    kind.add_argument("--bundles", dest="draw", action="store_const", const=bundles_of_a_pool, default=quotes_of_a_pool)
    kind.add_argument("--splits", dest="draw", action="store_const", const=life_of_a_list)
    wanted = parser.parse_args()
    random = Random(wanted.seed)
    cases = ties = wrong = 0
    began = reported = time.monotonic()
    while cases < wanted.cases:
        result = wanted.draw(random)
        cases += result.cases
        ties += result.ties
        wrong += len(result.wrong)
        print(*result.wrong, sep="\n", end="\n" if result.wrong else "")
        if time.monotonic() - reported > 30:
            reported = time.monotonic()
            print(f"{cases:,} cases, {ties:,} ties, {wrong} wrong, {reported - began:.0f} s", flush=True)
    print(f"{cases:,} cases, {ties:,} of them ties, {wrong} wrong, {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


def quotes_of_a_pool(random: Random) -> Outcome:
    return check(draw_quotes(random, draw_pool(random)))


def bundles_of_a_pool(random: Random) -> Outcome:
    pool = draw_pool(random)
    return check_bundles(draw_bundles(random, pool)) if len(pool.q_yes) > 1 else Outcome(0, 0, [])


def life_of_a_list(random: Random) -> Outcome:
    seed = random.getrandbits(64)
    life = ListLife(Random(seed))
    wrong = []
    try:
        life.live()
    except Exception as error:  # noqa: BLE001 - the sweep goes on to other lists
        wrong.append(f"life {seed}: {type(error).__name__} {error}")
    return Outcome(life.seen["operations"], life.whole.ties, wrong)


if __name__ == "__main__":
    sys.exit(main())
