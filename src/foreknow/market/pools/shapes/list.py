"""The shape of a list that grows: its last outcome at creation is Other, of which new ones are taken later."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Literal, Self

import msgspec

from foreknow.kernel.validation.fields import wrong_field
from foreknow.market.pools.rules.base import read_body
from foreknow.market.pools.shapes.base import repeated_name, shape_schema

NAMES_MIN = 2


class ListShapeBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A list that grows."""

    kind: Literal["list"]


@dataclass(frozen=True, slots=True)
class ListShape:
    """Its markets are all named; how many they are, their names tell."""

    kind: ClassVar[Literal["list"]] = "list"
    SCHEMA: ClassVar = shape_schema(
        kind,
        "A list that grows: its last outcome is Other, whatever its name; new outcomes are taken out of it.",
        [],
    )

    @classmethod
    def read(cls, path: str, sent: Mapping[str, Any]) -> Self:
        """Check and read what was sent; `BadRequest`."""
        read_body(path, sent, ListShapeBody)
        return cls()

    @property
    def market_count(self) -> None:
        """Its names alone tell."""
        return

    def market_names(self) -> None:
        """It gives none."""
        return

    @staticmethod
    def check_names(path: str, names: list[str]) -> None:
        """Raise `BadRequest` for too few names, or equal ones without regard to case."""
        if len(names) < NAMES_MIN:
            raise wrong_field(path, f"must be {NAMES_MIN} or more of a list")
        if (index := repeated_name(names)) is not None:
            raise wrong_field(f"{path}[{index}]", "is the name of another outcome, too")
