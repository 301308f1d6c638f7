"""`python -m bench NAME …`: run one benchmark, or all of them with their defaults."""

from __future__ import annotations

import sys

from bench import (
    allowances,
    baskets,
    bets,
    compare,
    crowd,
    feed,
    fill,
    followers,
    http,
    latency,
    lighthouse,
    live,
    naive,
    orders,
    payments,
    reads,
    receivers,
    scores,
    signed,
    sizes,
    splits,
    surge,
    verdict,
    workers,
)
from bench import pricing as prices
from bench.attacks import measure as attacks
from bench.capacity import measure as capacity
from bench.flat import measure as flat

BENCHMARKS = {
    "pricing": prices.main,
    "http": http.main,
    "bets": bets.main,
    "baskets": baskets.main,
    "naive": naive.main,
    "latency": latency.main,
    "reads": reads.main,
    "feed": feed.main,
    "live": live.main,
    "signed": signed.main,
    "payments": payments.main,
    "orders": orders.main,
    "splits": splits.main,
    "verdict": verdict.main,
    "allowances": allowances.main,
    "followers": followers.main,
    "crowd": crowd.main,
    "workers": workers.main,
    "receivers": receivers.main,
}
#: Not part of "all": the last needs a commit and the one before it a service that runs; the others take long, the first
#: three create a history of ten million trades by default.
LONG = {
    "fill": fill.main,
    "scores": scores.main,
    "sizes": sizes.main,
    "flat": flat.main,
    "attacks": attacks.main,
    "capacity": capacity.main,
    "lighthouse": lighthouse.main,
    "surge": surge.main,
    "compare": compare.main,
}

if __name__ == "__main__":
    names = sys.argv[1:2] or list(BENCHMARKS)
    if names[0] not in BENCHMARKS | LONG:
        sys.exit(f"one of: {', '.join(BENCHMARKS | LONG)}")
    for name in names:
        (BENCHMARKS | LONG)[name](sys.argv[2:])
