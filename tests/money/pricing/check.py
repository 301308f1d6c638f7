"""Compares quotes with the reference, for the tests and the sweep."""

from __future__ import annotations

from typing import NamedTuple

from foreknow.money.pricing import Lmsr, Side
from tests.money.pricing.bundle_cases import Bundles
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


def check_bundles(bundles: Bundles) -> Outcome:
    """Price every bundle with both; each line of `wrong` reproduces one difference."""
    lmsr, reference = bundles.pool.lmsr(), Reference(bundles.pool)
    wrong = []
    for outcomes, given, kopecks in bundles.stakes:
        shares = lmsr.set_shares_bought(outcomes, kopecks, given)
        right = reference.set_shares_bought(outcomes, given, kopecks)
        if shares != right:
            asked = f"set_shares_bought({set(outcomes)}, {kopecks}, {given and set(given)})"
            wrong.append(f"{lmsr!r}.{asked} is {right}, not {shares}")
    for changes in bundles.changes:
        payout, right = lmsr.payout_kopecks_to(changed(lmsr, changes)), reference.bundle_payout_kopecks(changes)
        if payout != right:
            wrong.append(f"{lmsr!r} with {changes} pays {right}, not {payout}")
    return Outcome(len(bundles.stakes) + len(bundles.changes), reference.ties, wrong)


def changed(lmsr: Lmsr, changes: dict[int, int]) -> Lmsr:
    return lmsr.traded_together([(outcome, Side.YES, shares) for outcome, shares in changes.items()])
