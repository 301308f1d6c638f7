"""What the kinds of shapes share."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any, Final

from foreknow.kernel.text import fold

#: Most edges of a shape, one fewer than markets of a pool.
EDGES_MAX: Final = 99
#: Most markets of a pool, and so most combinations of answers.
MARKETS_MAX: Final = 100
#: Longest name of a market; a generated one is cut there.
MARKET_NAME_MAX: Final = 200


def repeated_name(names: Sequence[str]) -> int | None:
    """Return the index of the first name that one before it has, without regard to case; None if all differ."""
    folded = [fold(name) for name in names]
    return next((index for index, name in enumerate(folded) if name in folded[:index]), None)


def range_names(edges: list[str], *, below: str, last: str, unit: str = "") -> tuple[str, ...]:
    """Return the names of the ranges that edges bound, these as text, with an ending (a unit) where there is one."""
    inner = [f"{low} – {high}{unit}" for low, high in itertools.pairwise(edges)]
    return (f"{below} {edges[0]}{unit}", *inner, f"{edges[-1]}{unit} {last}")


def shape_schema(kind: str, description: str, required: list[str], **fields: Any) -> dict[str, Any]:
    """Return the JSON Schema of a kind of shape with these fields."""
    return {
        "type": "object",
        "description": description,
        "required": ["kind", *required],
        "properties": {"kind": {"const": kind}, **fields},
        "additionalProperties": False,
    }
