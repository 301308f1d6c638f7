"""Price as many hard cases as you like against the reference: `python -m tests.money.pricing.sweep --cases 1000000`.

With `--bundles` they are sets and bundles instead of quotes for one outcome.

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


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=1_000_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--bundles", action="store_true")
    wanted = parser.parse_args()
    random = Random(wanted.seed)
    cases = ties = wrong = 0
    began = reported = time.monotonic()
    while cases < wanted.cases:
        result = bundles_of_a_pool(random) if wanted.bundles else check(draw_quotes(random, draw_pool(random)))
        cases += result.cases
        ties += result.ties
        wrong += len(result.wrong)
        print(*result.wrong, sep="\n", end="\n" if result.wrong else "")
        if time.monotonic() - reported > 30:
            reported = time.monotonic()
            print(f"{cases:,} cases, {ties:,} ties, {wrong} wrong, {reported - began:.0f} s", flush=True)
    print(f"{cases:,} cases, {ties:,} of them ties, {wrong} wrong, {time.monotonic() - began:.0f} s")
    return 1 if wrong else 0


def bundles_of_a_pool(random: Random) -> Outcome:
    pool = draw_pool(random)
    return check_bundles(draw_bundles(random, pool)) if len(pool.q_yes) > 1 else Outcome(0, 0, [])


if __name__ == "__main__":
    sys.exit(main())
