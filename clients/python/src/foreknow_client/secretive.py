"""Answers with a secret in them, such as a new key: what prints or logs them does not show it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from msgspec import Struct

_HIDDEN = "…"


class Secretive(Struct, frozen=True, kw_only=True):
    """An answer whose repr leaves the values of `secret_fields` out."""

    secret_fields: ClassVar[frozenset[str]] = frozenset()

    def __repr__(self) -> str:
        shown = (f"{name}={_HIDDEN if name in self.secret_fields else repr(value)}" for name, value in self._values())
        return f"{type(self).__name__}({', '.join(shown)})"

    def __rich_repr__(self) -> list[tuple[str, Any]]:
        """Return what `rich` prints."""
        return [(name, _HIDDEN if name in self.secret_fields else value) for name, value in self._values()]

    def _values(self) -> Iterator[tuple[str, Any]]:
        return ((name, getattr(self, name)) for name in self.__struct_fields__)
