"""Compares quotes with the reference, for the tests and the sweep."""

from __future__ import annotations

from typing import NamedTuple

from tests.money.pricing.cases import Quotes
from tests.money.pricing.reference import Reference


class Outcome(NamedTuple):
    cases: int
    ties: int
    wrong: list[str]


def check(quotes: Quotes) -> Outcome:
    """Price every quote with both; each line of `wrong` reproduces one difference."""
    lmsr, reference = quotes.pool.lmsr(), Reference(quotes.pool)
    wrong = []
    asked = [("shares_bought", *purchase) for purchase in quotes.purchases]
    kinds = ("sale_payout_kopecks", "value_kopecks", "cost_kopecks")
    asked += [(kind, *sale) for sale in quotes.sales for kind in kinds]
    for kind, outcome, side, amount in asked:
        found, right = getattr(lmsr, kind)(outcome, side, amount), getattr(reference, kind)(outcome, side, amount)
        if found != right:
            wrong.append(f"{lmsr!r}.{kind}({outcome}, {side!r}, {amount}) is {right}, not {found}")
    return Outcome(len(asked), reference.ties, wrong)
