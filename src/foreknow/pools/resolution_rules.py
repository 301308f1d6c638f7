"""Rules that resolve a pool: `metadata.resolution`, checked strictly and read (lifecycle.md, "Resolution").

Numbers are exact: one in JSON is the shortest decimal that reads as the same double, prices too. The intervals of a
price rule may depend on the strike; `PriceRule.at` gives them in numbers.
"""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, NamedTuple, TypeVar

import msgspec
from msgspec import Meta

from foreknow.assets.codes import asset_symbol
from foreknow.kernel.errors import BadRequest
from foreknow.pools.price_intervals import EXACT, Interval, from_below, partition_error, rounded, shortest_decimal
from foreknow.validation.fields import required_text, to_type, wrong_field

DISPUTE_MINUTES_MAX = 43_200
WITHIN_SECONDS = 300
WITHIN_SECONDS_MAX = 86_400
DECIMALS = 2
DECIMALS_MAX = 8
WAIT_MINUTES = 1_440
WAIT_MINUTES_MAX = 43_200
#: Limits the size of a number in a rule: more than any price, and few enough digits for a name.
NUMBER_MAX = 10**15
SOURCE_MAX = 100

_DOUBLE_MAX = sys.float_info.max
Relation = Literal["plain", "times", "plus"]
_DisputeMinutes = Annotated[int, Meta(ge=0, le=DISPUTE_MINUTES_MAX)]
_Kind = TypeVar("_Kind", "ManualRuleBody", "PriceRuleBody", "ExternalRuleBody")


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


class ManualRuleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A person resolves the pool."""

    kind: Literal["manual"]
    dispute_minutes: _DisputeMinutes | None = None


class PriceRuleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An asset's price at the pool's `finish_at` resolves it."""

    kind: Literal["price"]
    symbol: str
    outcomes: list[IntervalBody]
    source: str | None = None
    within_seconds: Annotated[int, Meta(ge=1, le=WITHIN_SECONDS_MAX)] | None = None
    decimals: Annotated[int, Meta(ge=0, le=DECIMALS_MAX)] | None = None
    dispute_minutes: _DisputeMinutes | None = None


class ExternalRuleBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The final result of the event at `external_event_url` resolves the pool."""

    kind: Literal["external"]
    wait_minutes: Annotated[int, Meta(ge=1, le=WAIT_MINUTES_MAX)] | None = None
    dispute_minutes: _DisputeMinutes | None = None


@dataclass(frozen=True, slots=True)
class ManualRule:
    """A person resolves the pool."""

    kind: ClassVar = "manual"
    #: None for the default of the settings.
    dispute_minutes: int | None


@dataclass(frozen=True, slots=True)
class ExternalRule:
    """The final result of the event at `external_event_url` resolves the pool."""

    kind: ClassVar = "external"
    #: From `finish_at` on; without a result by then a person resolves it.
    wait_minutes: int
    #: None for the default of the settings.
    dispute_minutes: int | None


@dataclass(frozen=True, slots=True)
class PriceRule:
    """An asset's price resolves the pool: the outcome wins whose interval holds it."""

    kind: ClassVar = "price"
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
    #: What the numbers of `intervals` mean: prices, factors of the strike, or summands to it.
    relation: Relation
    #: One an outcome; of a single-market pool one, whose numbers mean YES.
    intervals: tuple[Interval, ...]

    @property
    def needs_strike(self) -> bool:
        """Whether its numbers depend on the strike."""
        return self.relation != "plain"

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
        moved = EXACT.multiply(exact, number) if self.relation == "times" else EXACT.add(exact, number)
        # As a double, so that the number shown is the number that decides.
        return shortest_decimal(max(-_DOUBLE_MAX, min(_DOUBLE_MAX, float(rounded(moved, self.decimals)))))


Rule = ManualRule | PriceRule | ExternalRule


def resolution_rule(path: str, sent: Any, *, market_count: int) -> Rule:
    """Check and read `metadata.resolution` of a pool with `market_count` markets; None is the manual rule.

    `BadRequest` names the wrong field, beginning with `path`.
    """
    if sent is None:
        return ManualRule(dispute_minutes=None)
    if not isinstance(sent, Mapping):
        raise wrong_field(path, "must be an object")
    match sent.get("kind"):
        case "manual":
            return ManualRule(_body(path, sent, ManualRuleBody).dispute_minutes)
        case "price":
            return _price_rule(path, _body(path, sent, PriceRuleBody), market_count=market_count)
        case "external":
            external = _body(path, sent, ExternalRuleBody)
            return ExternalRule(_or(external.wait_minutes, WAIT_MINUTES), external.dispute_minutes)
        case None:
            raise wrong_field(f"{path}.kind", "is required")
    raise wrong_field(f"{path}.kind", "must be one of manual, price, external")


def _body(path: str, sent: Mapping[str, Any], kind: type[_Kind]) -> _Kind:
    try:
        return to_type(sent, kind)
    except BadRequest as error:
        ((field, problem),) = error.details["fields"].items()
        raise wrong_field(f"{path}.{field}", problem) from error


def _or(number: int | None, default: int) -> int:
    return default if number is None else number


def _price_rule(path: str, body: PriceRuleBody, *, market_count: int) -> PriceRule:
    symbol = asset_symbol(body.symbol)
    if symbol is None:
        raise wrong_field(f"{path}.symbol", "must have 1 to 20 letters, digits and . _ -")
    source = None if body.source is None else required_text(f"{path}.source", body.source, most=SOURCE_MAX)
    if len(body.outcomes) != market_count:
        raise wrong_field(f"{path}.outcomes", "must have one interval for each market")
    decimals = _or(body.decimals, DECIMALS)
    outcomes = [_bounds(f"{path}.outcomes[{index}]", outcome) for index, outcome in enumerate(body.outcomes)]
    relation = _relation(outcomes)
    # Only plain numbers are limited in decimals: the others are rounded.
    places = decimals if relation == "plain" else None
    intervals = [_interval(f"{path}.outcomes[{index}]", bounds, places=places) for index, bounds in enumerate(outcomes)]
    if market_count > 1 and (error := partition_error(intervals)) is not None:
        raise wrong_field(f"{path}.outcomes[{error[0]}]", error[1])
    return PriceRule(
        symbol=symbol,
        source=source,
        within_seconds=_or(body.within_seconds, WITHIN_SECONDS),
        decimals=decimals,
        dispute_minutes=body.dispute_minutes,
        relation=relation,
        intervals=tuple(intervals),
    )


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
        return _Bound(path, "plain", sent)
    if sent.times is not None and sent.plus is None:
        return _Bound(f"{path}.times", "times", sent.times)
    if sent.plus is not None and sent.times is None:
        return _Bound(f"{path}.plus", "plus", sent.plus)
    raise wrong_field(path, 'must be a number, {"times": x} or {"plus": x}')


def _relation(outcomes: Sequence[Mapping[str, _Bound]]) -> Relation:
    """Return what all numbers of a rule mean; `BadRequest` names the first that differs from those before it."""
    bounds = [bound for outcome in outcomes for bound in outcome.values()]
    relation = bounds[0].relation if bounds else "plain"
    for bound in bounds:
        if bound.relation != relation:
            spelled = "a plain number" if relation == "plain" else f'{{"{relation}": x}}'
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
