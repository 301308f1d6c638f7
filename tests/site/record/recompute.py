"""The track record of a site, computed again from its public answers, without the service's code, and compared.

python -m tests.site.record.recompute http://127.0.0.1:8000
"""

from __future__ import annotations

import json
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener

HOUR_S = 3_600
BEFORE_S = {"1h": HOUR_S, "1d": 24 * HOUR_S, "7d": 7 * 24 * HOUR_S, "30d": 30 * 24 * HOUR_S}
HORIZONS = ("mid", *BEFORE_S)
TRADERS_MIN = 5
EXACT = 1e-12
#: Without the machine's proxy.
_OPENER = build_opener(ProxyHandler({}))


@dataclass(slots=True)
class Pool:
    """A resolved pool of one winner: the YES prices of its markets from its publication on, by the time they began."""

    won: int
    begin_s: float
    end_s: float
    first: list[float]
    steps: list[tuple[float, list[float]]] = field(default_factory=list)
    traders: set[int] = field(default_factory=set)

    def prices_at(self, horizon: str) -> list[float] | None:
        """Return the prices at a horizon; None for a pool that is younger."""
        at_s = (self.begin_s + self.end_s) / 2 if horizon == "mid" else self.end_s - BEFORE_S[horizon]
        if at_s < self.begin_s:
            return None
        past = [prices for moment_s, prices in self.steps if moment_s <= at_s]
        return past[-1] if past else self.first


def ask(origin: str, path: str, **query: str) -> Any:
    """Return the body of a GET, of a visitor."""
    with _OPENER.open(f"{origin}/api/v1{path}?{urlencode(query)}", timeout=60) as answer:
        return json.load(answer)


def pages(origin: str, path: str, name: str, **query: str) -> Iterator[Any]:
    """Yield the items of all pages of a list."""
    cursor: dict[str, str] = {}
    while True:
        page = ask(origin, path, limit="100", **query, **cursor)
        yield from page[name]
        if not page["has_more"]:
            return
        cursor = {"cursor": page["next_cursor"]}


def seconds(moment: str) -> float:
    """Return Unix seconds."""
    return datetime.fromisoformat(moment).timestamp()


def pools_of(origin: str, event_id: int) -> list[Pool]:
    """Return the pools of an event that have a final result with one winner."""
    page = ask(origin, f"/events/{event_id}/page")
    trades = sorted(pages(origin, f"/events/{event_id}/trades", "trades"), key=lambda trade: int(trade["id"]))
    found: list[Pool] = []
    for shown in page["event"]["pools"]:
        resolution = shown["resolution"]
        if resolution["state"] != "paid" or shown["won_side"] in {None, -1}:
            continue
        ids = [market["id"] for market in shown["markets"]]
        first = [ask(origin, f"/markets/{one}/chart")[0]["probability"] for one in ids]
        ends = [seconds(one) for one in (shown["finish_at"], resolution["decided_at"]) if one]
        pool = Pool(shown["won_side"], seconds(page["published_at"]), min(ends), first)
        prices = first
        for trade in (one for one in trades if one["pool_id"] == shown["id"]):
            index = ids.index(trade["market_id"])
            # A trade in one outcome leaves the others in their ratios.
            rest = (1 - trade["probability_after"]) / (1 - trade["probability_before"])
            prices = [p * rest if n != index else trade["probability_after"] for n, p in enumerate(prices)]
            pool.steps.append((seconds(trade["created_at"]), prices))
            pool.traders.add(trade["user"]["id"])
        if len(pool.traders) >= TRADERS_MIN:
            found.append(pool)
    return found


def differences(origin: str) -> dict[str, tuple[int, float]]:
    """Return for each horizon how many markets count, and by how much the site's scores differ at most.

    `AssertionError` where the site counts other markets.
    """
    events = [
        event["id"]
        for status in ("resolved", "closed", "active")
        for event in pages(origin, "/events", "events", status=status)
    ]
    pools = [pool for event_id in events for pool in pools_of(origin, event_id)]
    found: dict[str, tuple[int, float]] = {}
    for horizon in HORIZONS:
        record = ask(origin, "/record", horizon=horizon)
        old = [(pool, prices) for pool in pools if (prices := pool.prices_at(horizon)) is not None]
        terms = [(p, n == pool.won) for pool, prices in old for n, p in enumerate(prices)]
        firsts = [(p, n == pool.won) for pool, _ in old for n, p in enumerate(pool.first)]
        assert (record["pools"], record["markets"]) == (len(old), len(terms)), horizon
        pairs = [(record["brier"], brier(terms)), (record["base_brier"], brier(firsts))]
        for one in record["bins"]:
            own = [term for term in terms if one["from"] <= term[0] and (term[0] < one["to"] or one["to"] == 1)]
            assert (one["markets"], one["won"]) == (len(own), sum(won for _, won in own)), horizon
            pairs.append((one["mean_probability"], math.fsum(p for p, _ in own) / len(own) if own else None))
        assert all((here is None) == (there is None) for here, there in pairs)
        found[horizon] = len(terms), max([abs(here - there) for here, there in pairs if here is not None], default=0.0)
    return found


def brier(terms: list[tuple[float, bool]]) -> float | None:
    """Return the mean of (p − w)²; None over nothing."""
    return math.fsum((p - won) ** 2 for p, won in terms) / len(terms) if terms else None


if __name__ == "__main__":
    found_by_horizon = differences(sys.argv[1])
    for name, (markets, difference) in found_by_horizon.items():
        print(f"{name}: {markets} markets, differences of at most {difference:.1e}")
    sys.exit(any(difference > EXACT for _, difference in found_by_horizon.values()))
