"""The kinds of shapes."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.pools.shapes.date import DateShape
from foreknow.market.pools.shapes.joint import JointShape
from foreknow.market.pools.shapes.list import ListShape
from foreknow.market.pools.shapes.number import NumberShape

Shape = NumberShape | DateShape | JointShape | ListShape

SHAPE_TYPES: Mapping[str, type[Shape]] = {one.kind: one for one in (NumberShape, DateShape, JointShape, ListShape)}
SHAPE_SCHEMA: dict[str, Any] = {
    "description": "What the outcomes are together; left out: names alone.",
    "anyOf": [*(one.SCHEMA for one in SHAPE_TYPES.values()), {"type": "null"}],
}


def pool_shape(path: str, sent: Any) -> Shape | None:
    """Check and read `metadata.shape`; None for a plain pool. `BadRequest` names the wrong field."""
    if sent is None:
        return None
    if not isinstance(sent, Mapping):
        raise wrong_field(path, "must be an object")
    kind = sent.get("kind")
    if kind is None:
        raise wrong_field(f"{path}.kind", "is required")
    if not isinstance(kind, str) or kind not in SHAPE_TYPES:
        raise wrong_field(f"{path}.kind", f"must be one of {', '.join(SHAPE_TYPES)}")
    return SHAPE_TYPES[kind].read(path, sent)
