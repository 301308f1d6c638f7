"""The rule of a pool that an asset's price resolves.

Numbers are exact: one in JSON is the shortest decimal that reads as the same double, prices too. The intervals of a
price rule may depend on the strike; `PriceRule.at` gives them in numbers.
"""

from __future__ import annotations

import enum
import functools
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, Self

import msgspec
from msgspec import Meta

from foreknow.kernel.validation.fields import required_text, required_text_schema, wrong_field
from foreknow.market.assets.codes import asset_symbol
from foreknow.market.pools.price_intervals import (
    EXACT,
    Interval,
    from_below,
    partition_error,
    rounded,
    shortest_decimal,
)
from foreknow.market.pools.rules.base import (
    CACHED_MAX,
    DisputeMinutes,
    RuleView,
    integer_schema,
    number_or,
    read_body,
    rule_schema,
)

WITHIN_SECONDS = 300
WITHIN_SECONDS_MAX = 86_400
DECIMALS = 2
DECIMALS_MAX = 8
#: Limits the size of a number in a rule: more than any price, and few enough digits for a name.
NUMBER_MAX = 10**15
SOURCE_MAX = 100

_DOUBLE_MAX = sys.float_info.max


class Relation(enum.StrEnum):
    """What the numbers of a rule mean."""

    #: Prices.
    PLAIN = "plain"
    #: Factors of the strike.
    TIMES = "times"
    #: Summands to the strike.
    PLUS = "plus"


class RelativeNumberBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A number relative to the strike: `{"times": x}` or `{"plus": x}`."""

    times: int | float | None = None
    plus: int | float | None = None


_NumberBody = int | float | RelativeNumberBody | None


class IntervalBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, rename={"from_": "from"}):
    """At most one lower bound (`above`: >, `from`: ≥) and at most one upper (`below`: <, `to`: ≤)."""

    above: _NumberBody = None
    from_: _NumberBody = None
    below: _NumberBody = None
    to: _NumberBody = None


class PriceRuleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An asset's price at the pool's `finish_at` resolves it."""

    kind: Literal["price"]
    symbol: str
    outcomes: list[IntervalBody]
    source: str | None = None
    within_seconds: Annotated[int, Meta(ge=1, le=WITHIN_SECONDS_MAX)] | None = None
    decimals: Annotated[int, Meta(ge=0, le=DECIMALS_MAX)] | None = None
    dispute_minutes: DisputeMinutes | None = None


def _relative(key: str) -> dict[str, Any]:
    return {"type": "object", "required": [key], "properties": {key: _PLAIN}, "additionalProperties": False}


_PLAIN = {"type": "number", "minimum": -NUMBER_MAX, "maximum": NUMBER_MAX}
_NUMBER = {"anyOf": [_PLAIN, _relative("times"), _relative("plus"), {"type": "null"}]}
_INTERVAL = {
    "type": "object",
    "description": "At most one of `above` (>) and `from` (≥), and at most one of `below` (<) and `to` (≤).",
    "properties": dict.fromkeys(["above", "from", "below", "to"], _NUMBER),
    "additionalProperties": False,
}


@dataclass(frozen=True, slots=True)
class PriceRule:
    """An asset's price resolves the pool: the outcome wins whose interval holds it."""

    kind: ClassVar[Literal["price"]] = "price"
    gives_result: ClassVar = True
    needs_external_event: ClassVar = False
    SCHEMA: ClassVar = rule_schema(
        kind,
        "The first observation of an asset's price from `finish_at` on resolves the pool, which needs a `finish_at`.",
        ["symbol", "outcomes"],
        symbol={"type": "string", "pattern": "^[A-Za-z0-9._-]{1,20}$", "examples": ["BTC"]},
        outcomes={
            "type": "array",
            "items": _INTERVAL,
            "description": "One interval a market, in their order, which together hold every number exactly once; "
            "in a single-market pool one, in which YES wins. All numbers are plain, or all `times` the strike, or "
            "all `plus` the strike.",
            "examples": [[{"below": 68_000}, {"from": 68_000}]],
        },
        source={
            "type": ["string", "null"],
            **required_text_schema(SOURCE_MAX),
            "description": "Only observations of this provider, or `admin`, count.",
        },
        within_seconds=integer_schema(
            1,
            WITHIN_SECONDS_MAX,
            "Seconds from `finish_at` in which an observation counts.",
            default=WITHIN_SECONDS,
        ),
        decimals=integer_schema(
            0, DECIMALS_MAX, "Decimals of plain numbers at most, and of numbers filled in.", default=DECIMALS
        ),
    )

    #: In upper case.
    symbol: str
    #: A provider's name or `admin`; None for whichever price counts.
    source: str | None
    #: After `finish_at`, seconds in which an observation decides.
    within_seconds: int
    #: Digits after the point of filled-in numbers.
    decimals: int
    #: None for the default of the settings.
    dispute_minutes: int | None
    #: What the numbers of `intervals` mean.
    relation: Relation
    #: One an outcome; of a single-market pool one, whose numbers mean YES.
    intervals: tuple[Interval, ...]

    @classmethod
    def read(cls, path: str, sent: Mapping[str, Any], *, market_count: int) -> Self:
        """Check and read what was sent; `BadRequest`."""
        body = read_body(path, sent, PriceRuleBody)
        symbol = asset_symbol(body.symbol)
        if symbol is None:
            raise wrong_field(f"{path}.symbol", "must have 1 to 20 letters, digits and . _ -")
        source = None if body.source is None else required_text(f"{path}.source", body.source, most=SOURCE_MAX)
        if len(body.outcomes) != market_count:
            raise wrong_field(f"{path}.outcomes", "must have one interval for each market")
        decimals = number_or(body.decimals, DECIMALS)
        outcomes = [_bounds(f"{path}.outcomes[{index}]", outcome) for index, outcome in enumerate(body.outcomes)]
        relation = _relation(outcomes)
        # Only plain numbers are limited in decimals: the others are rounded.
        places = decimals if relation is Relation.PLAIN else None
        intervals = [
            _interval(f"{path}.outcomes[{index}]", bounds, places=places) for index, bounds in enumerate(outcomes)
        ]
        if market_count > 1 and (error := partition_error(intervals)) is not None:
            raise wrong_field(f"{path}.outcomes[{error[0]}]", error[1])
        return cls(
            symbol=symbol,
            source=source,
            within_seconds=number_or(body.within_seconds, WITHIN_SECONDS),
            decimals=decimals,
            dispute_minutes=body.dispute_minutes,
            relation=relation,
            intervals=tuple(intervals),
        )

    def view(self, strike: dict[str, Any] | None) -> RuleView:
        """Show the rule of a pool with this strike."""
        price = None if strike is None else float(strike["price"])
        outcomes = None if self.needs_strike and price is None else _outcomes(self, price)
        return RuleView(symbol=self.symbol, source=self.source, outcomes=outcomes, strike=strike)

    @property
    def needs_strike(self) -> bool:
        """Whether its numbers depend on the strike."""
        return self.relation is not Relation.PLAIN

    def at(self, strike: float | None) -> tuple[Interval, ...]:
        """Return the intervals in prices; `ValueError` where they need a strike and there is none.

        A relative number is rounded to `decimals`, halves to even. Bounds that differ before may then be equal: an
        interval between them holds no number, or both it and the one below hold the bound itself (`outcome_of`).
        """
        if not self.needs_strike:
            return self.intervals
        if strike is None:
            raise ValueError("relative numbers need a strike")
        return tuple(
            Interval(self._filled(one.low, strike), one.low_included, self._filled(one.high, strike), one.high_included)
            for one in self.intervals
        )

    def outcome_of(self, price: float, *, strike: float | None) -> int:
        """Return the index of the outcome that wins at a price; of a single-market pool 0 for YES, 1 for NO.

        Prices compare unrounded. Where two intervals hold the price because their bounds were rounded to one number,
        the lower of them wins.
        """
        number = shortest_decimal(price)
        intervals = self.at(strike)
        if len(intervals) == 1:
            return 0 if intervals[0].holds(number) else 1
        # By the numbers before rounding: these are all different.
        upwards = sorted(range(len(intervals)), key=lambda index: from_below(self.intervals[index]))
        return next(index for index in upwards if intervals[index].holds(number))

    def _filled(self, number: Decimal | None, strike: float) -> Decimal | None:
        if number is None:
            return None
        exact = shortest_decimal(strike)
        moved = EXACT.multiply(exact, number) if self.relation is Relation.TIMES else EXACT.add(exact, number)
        # As a double, so that the number shown is the number that decides.
        return shortest_decimal(max(-_DOUBLE_MAX, min(_DOUBLE_MAX, float(rounded(moved, self.decimals)))))


@functools.lru_cache(maxsize=CACHED_MAX)
def _outcomes(rule: PriceRule, strike: float | None) -> list[dict[str, int | float]]:
    return [interval.as_json() for interval in rule.at(strike)]


class _Bound(NamedTuple):
    """A number as sent, with the path of its field."""

    path: str
    relation: Relation
    number: float


def _bounds(path: str, outcome: IntervalBody) -> dict[str, _Bound]:
    """Return the bounds of an interval that were sent, by key."""
    sent = {"above": outcome.above, "from": outcome.from_, "below": outcome.below, "to": outcome.to}
    bounds = {key: _bound(f"{path}.{key}", number) for key, number in sent.items() if number is not None}
    for one, other in (("above", "from"), ("below", "to")):
        if one in bounds and other in bounds:
            raise wrong_field(f"{path}.{other}", f"must not stand beside {one}")
    return bounds


def _bound(path: str, sent: float | RelativeNumberBody) -> _Bound:
    if not isinstance(sent, RelativeNumberBody):
        return _Bound(path, Relation.PLAIN, sent)
    if sent.times is not None and sent.plus is None:
        return _Bound(f"{path}.times", Relation.TIMES, sent.times)
    if sent.plus is not None and sent.times is None:
        return _Bound(f"{path}.plus", Relation.PLUS, sent.plus)
    raise wrong_field(path, 'must be a number, {"times": x} or {"plus": x}')


def _relation(outcomes: Sequence[Mapping[str, _Bound]]) -> Relation:
    """Return what all numbers of a rule mean; `BadRequest` names the first that differs from those before it."""
    bounds = [bound for outcome in outcomes for bound in outcome.values()]
    relation = bounds[0].relation if bounds else Relation.PLAIN
    for bound in bounds:
        if bound.relation is not relation:
            spelled = "a plain number" if relation is Relation.PLAIN else f'{{"{relation}": x}}'
            raise wrong_field(bound.path, f"must be {spelled}, like the numbers before it")
    return relation


def _interval(path: str, bounds: Mapping[str, _Bound], *, places: int | None) -> Interval:
    numbers = {key: _number(bound, places=places) for key, bound in bounds.items()}
    interval = Interval(
        low=numbers.get("from", numbers.get("above")),
        low_included="from" in numbers,
        high=numbers.get("to", numbers.get("below")),
        high_included="to" in numbers,
    )
    if interval.is_empty:
        raise wrong_field(path, "holds no number")
    return interval


def _number(bound: _Bound, *, places: int | None) -> Decimal:
    """Read a number; `BadRequest` where it is too large, or has more than `places` decimals where given."""
    # Not so for NaN.
    if not -NUMBER_MAX <= bound.number <= NUMBER_MAX:
        raise wrong_field(bound.path, f"must be between -{NUMBER_MAX} and {NUMBER_MAX}")
    number = shortest_decimal(bound.number)
    if places is not None and number != rounded(number, places):
        raise wrong_field(bound.path, f"must have at most {places} decimals")
    return number
