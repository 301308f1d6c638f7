"""What the kinds of shapes share."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Final, NamedTuple

#: Most edges of a shape, one fewer than markets of a pool.
EDGES_MAX: Final = 99
#: Most markets of a pool, and so most combinations of answers.
MARKETS_MAX: Final = 100
#: Longest name of a market; a generated one is cut there.
MARKET_NAME_MAX: Final = 200


class RangeNames(NamedTuple):
    """The names of the ranges that edges bound."""

    #: As text.
    edges: Sequence[str]
    #: Before the first edge, and after the last.
    below: str
    above: str
    #: An ending, such as a unit.
    unit: str = ""

    def all(self) -> tuple[str, ...]:
        """Return the name of each."""
        return tuple(self.of(outcome, outcome) for outcome in range(len(self.edges) + 1))

    def of(self, first: int, last: int) -> str:
        """Return the name of one, or of several neighbours, but not all."""
        if first == 0:
            return f"{self.below} {self.edges[last]}{self.unit}"
        if last == len(self.edges):
            return f"{self.edges[first - 1]}{self.unit} {self.above}"
        return f"{self.edges[first - 1]} – {self.edges[last]}{self.unit}"


def shape_schema(kind: str, description: str, required: list[str], **fields: Any) -> dict[str, Any]:
    """Return the JSON Schema of a kind of shape with these fields."""
    return {
        "type": "object",
        "description": description,
        "required": ["kind", *required],
        "properties": {"kind": {"const": kind}, **fields},
        "additionalProperties": False,
    }
