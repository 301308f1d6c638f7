"""What a shape and a price rule of the same pool must have in common: the rule's numbers are the shape's edges."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.pools.price_intervals import Interval
from foreknow.market.pools.rules.family import Rule
from foreknow.market.pools.rules.price import PriceRule, Relation
from foreknow.market.pools.shapes.family import Shape
from foreknow.market.pools.shapes.number import NumberShape


def require_edges(path: str, shape: Shape | None, sent_rule: Any) -> None:
    """Raise `BadRequest` for a number without edges in the metadata at `path`, unless a price rule gives them."""
    has_price_rule = isinstance(sent_rule, Mapping) and sent_rule.get("kind") == PriceRule.kind
    if isinstance(shape, NumberShape) and shape.edges is None and not has_price_rule:
        raise wrong_field(f"{path}.shape.edges", "is required without a price rule")


def check_shape_and_rule(path: str, shape: Shape | None, rule: Rule) -> None:
    """Raise `BadRequest` where the shape and the rule in the metadata at `path` do not go together."""
    if shape is None or not isinstance(rule, PriceRule):
        return
    if not isinstance(shape, NumberShape):
        raise wrong_field(f"{path}.shape.kind", "must be number beside a price rule")
    if shape.edges is not None:
        raise wrong_field(f"{path}.shape.edges", "must be left out beside a price rule, whose numbers they are")
    _check_intervals(f"{path}.resolution.outcomes", rule.intervals)
    first = rule.intervals[0].high
    # Of a sum the strike decides.
    if shape.log and rule.relation is not Relation.PLUS and (first is None or first <= 0):
        raise wrong_field(f"{path}.shape.log", "must be false, as a number of the rule is not above 0")


def _check_intervals(path: str, intervals: Sequence[Interval]) -> None:
    """Raise `BadRequest` unless each interval begins, with `from`, where the one before ends, with `below`."""
    if len(intervals) == 1:
        raise wrong_field(path, "must be two or more beside a shape")
    below = None
    for index, interval in enumerate(intervals):
        is_first, is_last = index == 0, index == len(intervals) - 1
        is_from = is_first or interval.low_included
        is_below = is_last or not interval.high_included
        if interval.low != below or (interval.high is None) != is_last or not is_from or not is_below:
            raise wrong_field(f"{path}[{index}]", "must go on, by `from` and `below`, where the one before it ends")
        below = interval.high
