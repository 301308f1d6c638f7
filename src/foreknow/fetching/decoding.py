"""Reading JSON that another site sent. Pure: bytes in, structs out, `BadResponse` for anything else."""

from __future__ import annotations

from typing import TypeVar

import msgspec

Decoded = TypeVar("Decoded")


class BadResponse(ValueError):
    """A response cannot be used; the text says why."""


def decode_json(body: bytes, kind: type[Decoded]) -> Decoded:
    """Decode JSON of one type; `BadResponse`."""
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise BadResponse(f"not the JSON we expect: {broken}") from broken
