"""The texts of a pool."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foreknow.market.pools.shapes.family import Shape


class PoolTexts(msgspec.Struct, frozen=True):
    """The texts of a pool, with placeholders or filled in."""

    name: str
    name_ru: str
    rules: str
    market_names: tuple[str, ...]


def written_names(names: Sequence[str], shape: Shape | None) -> tuple[str, ...]:
    """Return names of markets as a text with placeholders spells them: in those that a shape gives, braces are text."""
    if shape is None or tuple(names) != shape.market_names():
        return tuple(names)
    return tuple(name.replace("{", "{{").replace("}", "}}") for name in names)
