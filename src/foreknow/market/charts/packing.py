"""Probabilities as bytes: one little-endian double per market, in outcome order."""

from __future__ import annotations

import struct
from collections.abc import Sequence

DOUBLE_BYTES = 8


def pack(probabilities: Sequence[float]) -> bytes:
    """Encode one double per market."""
    return struct.pack(f"<{len(probabilities)}d", *probabilities)


def unpack(packed: bytes) -> tuple[float, ...]:
    """Decode all doubles."""
    return struct.unpack(f"<{len(packed) // DOUBLE_BYTES}d", packed)
