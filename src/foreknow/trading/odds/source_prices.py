"""Prices of a source that a pool follows, and how long it may."""

from __future__ import annotations

from dataclasses import dataclass
from decimal import Decimal


@dataclass(frozen=True, slots=True)
class SourcePrices:
    """Cut prices, one per outcome; `checked_at_ms`: when the request began, by the database's clock."""

    prices: tuple[Decimal, ...]
    checked_at_ms: int
    stale_ms: int

    def is_fresh(self, at_ms: int) -> bool:
        """Return whether they may still be followed at `at_ms`."""
        return at_ms - self.checked_at_ms <= self.stale_ms
