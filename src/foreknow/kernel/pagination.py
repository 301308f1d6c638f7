"""Cursor pages: keyset positions, signed and bound to their list, caller and filters.

A cursor holds the sort key of the last row shown, so that a traversal shows every row that matched from its start to
its end exactly once, whatever is written meanwhile (decisions.md, "Pages").
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

import msgspec

from foreknow.kernel.errors import InvalidCursor
from foreknow.kernel.text import base64url, from_base64url

LIMIT_DEFAULT = 20
LIMIT_MAX = 100
_TAG_BYTES = 16

Row = TypeVar("Row")
#: The sort key of a row: what the next page starts after.
Position = tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """One page of rows, and where the next one starts (None at the end)."""

    rows: Sequence[Row]
    next_cursor: str | None

    @property
    def has_more(self) -> bool:
        """Whether a further page exists."""
        return self.next_cursor is not None


class Cursors:
    """Seals positions into cursors and opens them again; servers of one database share the secret."""

    def __init__(self, secret: bytes) -> None:
        """Sign with `secret`."""
        self._secret = secret

    def encode(self, position: Position, *, binding: str) -> str:
        """Return a cursor for `position` that opens only under the same `binding` (list, caller and filters)."""
        payload = msgspec.json.encode(position)
        return base64url(self._tag(payload, binding) + payload)

    def decode(self, cursor: str, *, binding: str) -> Position:
        """Return the position sealed in `cursor`; `InvalidCursor` for any other text."""
        raw = from_base64url(cursor)
        if raw is None:
            raise InvalidCursor
        tag, payload = raw[:_TAG_BYTES], raw[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(payload, binding)):
            raise InvalidCursor
        return tuple(msgspec.json.decode(payload, type=list[int | str | None]))

    def slice(
        self, rows: Sequence[Row], *, limit: int, binding: str, position: Callable[[Row], Position]
    ) -> Slice[Row]:
        """Cut a query's `limit + 1` rows to a page of at most `limit`; the extra row only tells that more follow."""
        shown = rows[:limit]
        more = len(rows) > limit
        return Slice(shown, self.encode(position(shown[-1]), binding=binding) if more else None)

    def _tag(self, payload: bytes, binding: str) -> bytes:
        return hmac.new(self._secret, binding.encode() + b"\0" + payload, hashlib.sha256).digest()[:_TAG_BYTES]
