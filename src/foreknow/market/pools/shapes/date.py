"""The shape of a pool that asks for a date: each market is a range of time."""

from __future__ import annotations

import itertools
from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Annotated, Any, ClassVar, Literal, Self

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.kernel.time_zones import MONTH_NAMES, UTC_NAME, local_time, zone_names
from foreknow.kernel.validation.fields import utc_ms, wrong_field
from foreknow.market.pools.rules.base import read_body
from foreknow.market.pools.shapes.base import EDGES_MAX, RangeNames, shape_schema


class DateShapeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Ranges of time; its moments are whole minutes."""

    kind: Literal["date"]
    edges: Annotated[list[Annotated[datetime, Meta(tz=True)]], Meta(min_length=1, max_length=EDGES_MAX)]
    zone: str | None = None


@dataclass(frozen=True, slots=True)
class DateShape:
    """Market 0 is before the first edge, each other one from its edge to before the next; the last one has no end."""

    kind: ClassVar[Literal["date"]] = "date"
    #: Of quantiles within a range.
    log: ClassVar = False
    SCHEMA: ClassVar = shape_schema(
        kind,
        "Ranges of time: before the first edge, from each edge to before the next, from the last one on. Not in an "
        "event that recurs.",
        ["edges"],
        edges={
            "type": "array",
            "items": {"type": "string", "format": "date-time"},
            "minItems": 1,
            "maxItems": EDGES_MAX,
            "description": "Ascending, whole minutes.",
            "examples": [["2027-01-01T00:00:00Z", "2027-04-01T00:00:00Z"]],
        },
        zone={
            "type": ["string", "null"],
            "default": UTC_NAME,
            "description": "The IANA time zone in which the markets are named.",
            "examples": ["Europe/Berlin"],
        },
    )

    #: Unix milliseconds.
    edges_ms: tuple[int, ...]
    zone: str

    @classmethod
    def read(cls, path: str, sent: Mapping[str, Any]) -> Self:
        """Check and read what was sent; `BadRequest`."""
        body = read_body(path, sent, DateShapeBody)
        zone = UTC_NAME if body.zone is None else body.zone
        if zone not in zone_names():
            raise wrong_field(f"{path}.zone", "must be the name of a time zone, such as Europe/Berlin")
        edges_ms = [_edge_ms(f"{path}.edges[{index}]", moment) for index, moment in enumerate(body.edges)]
        for index, (earlier, later) in enumerate(itertools.pairwise(edges_ms)):
            if later <= earlier:
                raise wrong_field(f"{path}.edges[{index + 1}]", "must be after the one before")
        return cls(tuple(edges_ms), zone)

    @property
    def market_count(self) -> int:
        """How many markets it makes."""
        return len(self.edges_ms) + 1

    def market_names(self) -> tuple[str, ...]:
        """Return the markets' names where none were sent."""
        return self.range_names().all()

    def range_names(self) -> RangeNames:
        """Return the names of its ranges."""
        return RangeNames([self._shown(edge_ms) for edge_ms in self.edges_ms], below="Before", above="or later")

    def outcome_of(self, at_ms: int) -> int:
        """Return the outcome that holds a moment; on an edge it is the one above."""
        return bisect_right(self.edges_ms, at_ms)

    def axis(self) -> Sequence[float]:
        """Return the edges as Unix seconds."""
        return [edge_ms / SECOND_MS for edge_ms in self.edges_ms]

    def _shown(self, at_ms: int) -> str:
        at = local_time(at_ms, self.zone)
        time_of_day = f", {at.hour:02}:{at.minute:02}" if at.hour or at.minute else ""
        return f"{at.day} {MONTH_NAMES[at.month - 1]} {at.year}{time_of_day}"


def _edge_ms(path: str, moment: datetime) -> int:
    at_ms = utc_ms(path, moment)
    if at_ms % MINUTE_MS or moment.microsecond:
        raise wrong_field(path, "must be a whole minute")
    return at_ms
