"""Probabilities as bytes: one little-endian double a market, in the order of the outcomes."""

from __future__ import annotations

import struct
from collections.abc import Sequence

DOUBLE_BYTES = 8


def pack(probabilities: Sequence[float]) -> bytes:
    """Write one double a market."""
    return struct.pack(f"<{len(probabilities)}d", *probabilities)


def unpack(packed: bytes) -> tuple[float, ...]:
    """Read all doubles again."""
    return struct.unpack(f"<{len(packed) // DOUBLE_BYTES}d", packed)
