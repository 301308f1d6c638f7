"""Which basket brings a pool nearer to what a trader believes: a range, "one, if the other", or a distribution."""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection, Mapping, Sequence
from random import Random
from typing import Any

from foreknow.commands.demo import polls

#: One of this many orders trades a distribution: all that is believed to cost too little.
_DISTRIBUTION_EVERY = 4
#: It goes this part of the way to what is believed.
_STEP = 0.08
_SHARES_MIN = 50


def order(pool: Mapping[str, Any], random: Random, *, part: float, stake_kopecks: int) -> dict[str, Any] | None:
    """Return the body of POST /market/baskets; None for a pool that has no such order, or nothing to gain.

    `part` says when: 1 more is as long as the demo's past.
    """
    kind = (pool["shape"] or {}).get("kind")
    if kind not in {"number", "date", "joint"}:
        return None
    market_ids = [market["id"] for market in pool["markets"]]
    prices = [market["yes_probability"] for market in pool["markets"]]
    believed = polls.beliefs(pool["metadata"]["market_probabilities"], part)
    if kind == "joint":
        chosen, given = _conditional(pool["shape"]["questions"], prices, believed, random)
        wanted = {"given": [market_ids[outcome] for outcome in given]}
    elif random.randrange(_DISTRIBUTION_EVERY) == 0:
        return _distribution(pool, prices, believed)
    else:
        chosen, wanted = _range(prices, believed), {}
    return wanted | {"market_ids": [market_ids[outcome] for outcome in chosen], "amount_kopecks": stake_kopecks}


def _range(prices: Sequence[float], believed: Sequence[float]) -> Collection[int]:
    """Return the neighbouring outcomes, not all, that cost the most less than is believed."""
    ends = itertools.combinations(range(len(prices) + 1), 2)
    ranges = [range(first, last) for first, last in ends if last - first < len(prices)]
    return max(ranges, key=lambda chosen: sum(believed[one] - prices[one] for one in chosen))


def _conditional(
    questions: Sequence[Mapping[str, Any]], prices: Sequence[float], believed: Sequence[float], random: Random
) -> tuple[Collection[int], Collection[int]]:
    """Return an answer to one question, and the answer to another that it is given."""
    answers = list(itertools.product(*(range(len(question["outcomes"])) for question in questions)))
    condition, asked = random.sample(range(len(questions)), 2)
    answer = random.randrange(len(questions[condition]["outcomes"]))
    given = [outcome for outcome, one in enumerate(answers) if one[condition] == answer]

    def gap(chosen: Collection[int]) -> float:
        chances = (sum(of[one] for one in chosen) / sum(of[one] for one in given) for of in (believed, prices))
        return next(chances) - next(chances)

    choices = range(len(questions[asked]["outcomes"]))
    sets = [[outcome for outcome in given if answers[outcome][asked] == choice] for choice in choices]
    return max(sets, key=gap), given


def _distribution(pool: Mapping[str, Any], prices: Sequence[float], believed: Sequence[float]) -> dict[str, Any] | None:
    """Buy each outcome in proportion to b · ln(believed / price), from the one that is dearest of all on."""
    steps = [math.log(wanted / price) for wanted, price in zip(believed, prices, strict=True)]
    b = pool["markets"][0]["b"]
    shares = [math.floor(_STEP * b * (step - min(steps))) for step in steps]
    changes = [
        {"market_id": market["id"], "shares": count}
        for market, count in zip(pool["markets"], shares, strict=True)
        if count >= _SHARES_MIN
    ]
    return {"changes": changes} if changes else None
