"""Baskets, as a person's browser and a partner's server would send them, and what they cost by the formulas alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

import httpx
import mpmath

from tests.support.book import MP, Book, floor
from tests.support.service import PartnerAccount, Person, Service, pool

#: The contract's check: b 1000, margin 0.
CHECK_B = 1_000
CHECK_PRIORS = [0.1, 0.2, 0.4, 0.2, 0.1]
RANGES = {"kind": "number", "edges": [10, 20, 30, 40], "unit": "°C"}
JOINT = {
    "kind": "joint",
    "questions": [{"name": "A", "outcomes": ["Yes", "No"]}, {"name": "B", "outcomes": ["Yes", "No"]}],
}


def open_pool(service: Service, priors: Sequence[float], *, b: int = CHECK_B, **fields: Any) -> dict[str, Any]:
    """Make an event with one pool of several markets and return the pool; `fields` are the pool's, or `shape`."""
    shape = fields.pop("shape", None)
    names = None if shape is not None else [f"Outcome {n}" for n in range(len(priors))]
    described = pool(names, b=b, probabilities=list(priors), **fields)
    if shape is not None:
        described["metadata"]["shape"] = shape
    found: dict[str, Any] = service.event(pools=[described])["pools"][0]
    return found


def markets_of(shown: Mapping[str, Any]) -> list[int]:
    """Return the ids of a pool's markets."""
    return [market["id"] for market in shown["markets"]]


def stake(person: Person, market_ids: Collection[int], amount: int, **more: Any) -> httpx.Response:
    """Send a stake on a set of markets; `more` are further fields."""
    body = {"market_ids": list(market_ids), "amount_kopecks": amount, **more}
    return person.client.post("/market/baskets", json=body)


def change(person: Person, changes: Mapping[int, int], **more: Any) -> httpx.Response:
    """Send changes, shares by market; `more` are further fields."""
    return person.client.post("/market/baskets", json=changes_body(changes) | more)


def changes_body(changes: Mapping[int, int]) -> dict[str, Any]:
    """Return the body of changes."""
    return {"changes": [{"market_id": market, "shares": shares} for market, shares in changes.items()]}


def quote(client: httpx.Client, body: Mapping[str, Any]) -> httpx.Response:
    """Quote a basket."""
    return client.post("/market/baskets/quote", json=dict(body))


def partner_stake(
    partner: PartnerAccount, user: str, market_ids: Collection[int], amount: int, **more: Any
) -> httpx.Response:
    """Send a stake of a partner's user."""
    body = {"external_user_id": user, "market_ids": list(market_ids), "stake_kopecks": amount, **more}
    return partner.client.post("/partner/baskets", json=body)


def partner_change(partner: PartnerAccount, user: str, changes: Mapping[int, int], **more: Any) -> httpx.Response:
    """Send changes of a partner's user."""
    body = {"external_user_id": user, **changes_body(changes), **more}
    return partner.client.post("/partner/baskets", json=body)


@dataclass
class Priced:
    """What a basket costs and pays, by outcome: shares, below 0 where sold, and its part of the money."""

    payout: int = 0
    cost: int = 0
    fee: int = 0
    legs: dict[int, tuple[int, int]] = field(default_factory=dict)
    before: list[float] = field(default_factory=list)
    after: list[float] = field(default_factory=list)


class BasketBook(Book):
    """A book that takes baskets, by the contract's formulas with 80 digits."""

    def __init__(self, *, b: int, probabilities: Sequence[float], margin: float = 0.0) -> None:
        """Begin with nothing sold."""
        super().__init__(b=b, probabilities=probabilities, margin=margin)
        self.outcomes = range(len(self._d))

    def probabilities(self) -> list[float]:
        """Return the YES probability of every outcome."""
        return [self.probability(outcome) for outcome in self.outcomes]

    def stake(self, outcomes: Collection[int], kopecks: int, given: Collection[int] | None = None) -> Priced:
        """Send a stake, fee included, on a set."""
        priced = Priced(fee=self.fee_kopecks(kopecks), before=self.probabilities())
        s = priced.cost = kopecks - priced.fee
        within = set(self.outcomes) if given is None else set(given)
        r_given, r_set = (MP.fsum(map(self._p, some)) for some in (within, outcomes))
        shares = floor(self.b * MP.log1p(MP.expm1(MP.mpf(s) / self.b) * r_given / r_set))
        bought = dict.fromkeys(outcomes, shares) | dict.fromkeys(set(self.outcomes) - within, s)
        self._take(bought, 1)
        priced.after = self.probabilities()
        self._split(priced, bought, kopecks, priced.after, 1)
        return priced

    def change(self, changes: Mapping[int, int]) -> Priced:
        """Buy, then sell."""
        priced = Priced(before=self.probabilities())
        bought = {outcome: shares for outcome, shares in changes.items() if shares > 0}
        sold = {outcome: -shares for outcome, shares in changes.items() if shares < 0}
        if bought:
            priced.cost = -floor(-self._worth(bought, 1))
            priced.fee = math.ceil(priced.cost * self._margin / (1 - self._margin))
            self._take(bought, 1)
        if sold:
            priced.payout = floor(-self._worth(sold, -1))
            self._take(sold, -1)
        priced.after = self.probabilities()
        self._split(priced, bought, priced.cost + priced.fee, priced.after, 1)
        self._split(priced, sold, priced.payout, priced.before, -1)
        return priced

    def _worth(self, shares: Mapping[int, int], sign: int) -> mpmath.mpf:
        parts = [self._p(one) * MP.exp(MP.mpf(sign * shares.get(one, 0)) / self.b) for one in self.outcomes]
        return self.b * MP.log(MP.fsum(parts))

    def _take(self, shares: Mapping[int, int], sign: int) -> None:
        for outcome, count in shares.items():
            self._d[outcome] += sign * count

    def _split(
        self, priced: Priced, shares: Mapping[int, int], kopecks: int, probabilities: Sequence[float], sign: int
    ) -> None:
        worth = {one: shares[one] * Fraction(probabilities[one]) for one in sorted(shares)}
        whole = sum(worth.values())
        if not whole:
            worth = {one: Fraction(shares[one]) for one in sorted(shares)}
            whole = sum(worth.values())
        reached, given = Fraction(0), 0
        for one, part in worth.items():
            reached += part
            through = math.floor(kopecks * reached / whole)
            priced.legs[one] = (sign * shares[one], through - given)
            given = through
        priced.legs = dict(sorted(priced.legs.items()))
