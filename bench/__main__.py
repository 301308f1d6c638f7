"""`python -m bench NAME …`: run one benchmark, or all of them with their defaults."""

from __future__ import annotations

import sys

from bench import bets, http, reads
from bench import pricing as prices

BENCHMARKS = {"pricing": prices.main, "http": http.main, "bets": bets.main, "reads": reads.main}

if __name__ == "__main__":
    names = sys.argv[1:2] or list(BENCHMARKS)
    if names[0] not in BENCHMARKS:
        sys.exit(f"one of: {', '.join(BENCHMARKS)}")
    for name in names:
        BENCHMARKS[name](sys.argv[2:])
