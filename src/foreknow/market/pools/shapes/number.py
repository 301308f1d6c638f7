"""The shape of a pool that asks for a number: each market is a range of it."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec
from msgspec import Meta

from foreknow.kernel.validation.fields import required_text, required_text_schema, wrong_field
from foreknow.market.pools.price_intervals import plain_text, shortest_decimal
from foreknow.market.pools.rules.base import read_body
from foreknow.market.pools.shapes.base import EDGES_MAX, RangeNames, shape_schema

UNIT_MAX = 20
#: Digits of an edge, and how many of them may stand after the point.
DIGITS_MAX = 15
DECIMALS_MAX = 8
#: Numbers from here on have commas in generated names.
_GROUPED_FROM = 10_000


class NumberShapeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ranges of a number; beside a price rule without `edges`, which are the rule's."""

    kind: Literal["number"]
    edges: Annotated[list[int | float], Meta(min_length=1, max_length=EDGES_MAX)] | None = None
    unit: str | None = None
    log: bool | None = None


@dataclass(frozen=True, slots=True)
class NumberShape:
    """Market 0 is below the first edge, each other one from its edge to below the next; the last one has no end."""

    kind: ClassVar[Literal["number"]] = "number"
    SCHEMA: ClassVar = shape_schema(
        kind,
        "Ranges of a number: below the first edge, from each edge to below the next, from the last one on.",
        [],
        edges={
            "type": ["array", "null"],
            "items": {"type": "number"},
            "minItems": 1,
            "maxItems": EDGES_MAX,
            "description": "Ascending, each of at most 15 digits, 8 of them after the point. Left out beside a price "
            "rule, whose numbers they are.",
            "examples": [[0, 10, 20]],
        },
        unit={"type": ["string", "null"], **required_text_schema(UNIT_MAX), "examples": ["°C"]},
        log={
            "type": ["boolean", "null"],
            "default": False,
            "description": "Whether ranges are compared by their logarithm: in charts, and for quantiles within one.",
        },
    )

    #: None where they are a price rule's, not known yet.
    edges: tuple[Decimal, ...] | None
    #: "" for none.
    unit: str
    log: bool

    @classmethod
    def read(cls, path: str, sent: Mapping[str, Any]) -> Self:
        """Check and read what was sent; `BadRequest`."""
        body = read_body(path, sent, NumberShapeBody)
        unit = "" if body.unit is None else required_text(f"{path}.unit", body.unit, most=UNIT_MAX)
        edges = None if body.edges is None else _edges(f"{path}.edges", body.edges)
        if body.log and edges is not None and edges[0] <= 0:
            raise wrong_field(f"{path}.edges[0]", "must be above 0, as log is true")
        return cls(edges, unit, bool(body.log))

    @property
    def market_count(self) -> int | None:
        """How many markets it makes; None where the names tell."""
        return None if self.edges is None else len(self.edges) + 1

    def market_names(self) -> tuple[str, ...] | None:
        """Return the markets' names where none were sent; None where they must be."""
        return None if self.edges is None else self.range_names().all()

    def range_names(self) -> RangeNames:
        """Return the names of its ranges, whose edges are known."""
        assert self.edges is not None
        unit = f" {self.unit}" if self.unit else ""
        return RangeNames([_shown(edge) for edge in self.edges], below="Below", above="or above", unit=unit)

    def outcome_of(self, number: Decimal) -> int:
        """Return the outcome that holds a number; on an edge it is the one above."""
        assert self.edges is not None
        return bisect_right(self.edges, number)

    def axis(self) -> Sequence[float]:
        """Return the edges as numbers."""
        assert self.edges is not None
        return [float(edge) for edge in self.edges]


def _edges(path: str, sent: Sequence[float]) -> tuple[Decimal, ...]:
    edges = [_edge(f"{path}[{index}]", number) for index, number in enumerate(sent)]
    for index, (lower, upper) in enumerate(itertools.pairwise(edges)):
        if upper <= lower:
            raise wrong_field(f"{path}[{index + 1}]", "must be over the one before")
    return tuple(edges)


def _edge(path: str, number: float) -> Decimal:
    edge = shortest_decimal(number)
    whole, _, fraction = f"{abs(edge):f}".partition(".")
    fraction = fraction.rstrip("0")
    if len(whole.lstrip("0")) + len(fraction) > DIGITS_MAX or len(fraction) > DECIMALS_MAX:
        raise wrong_field(path, f"must have at most {DIGITS_MAX} digits, {DECIMALS_MAX} of them after the point")
    return edge


def _shown(number: Decimal) -> str:
    return plain_text(number, is_grouped=abs(number) >= _GROUPED_FROM)
