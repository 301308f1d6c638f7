"""The texts of a pool."""

from __future__ import annotations

import msgspec


class PoolTexts(msgspec.Struct, frozen=True):
    """The texts of a pool, with placeholders or filled in."""

    name: str
    name_ru: str
    rules: str
    market_names: tuple[str, ...]
