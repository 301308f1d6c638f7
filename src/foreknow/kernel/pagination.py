"""Cursor pagination: keyset positions, signed and bound to their list, caller and filters.

A cursor holds the sort key of the last row shown; where keys change, the rows themselves (`RankedPlace`). Rows that
match throughout a traversal are shown exactly once, despite concurrent writes (decisions.md, "Pages").
"""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from typing import Generic, TypeVar, cast

import msgspec

from foreknow.kernel.errors import InvalidCursor
from foreknow.kernel.text import base64url, from_base64url
from foreknow.kernel.units import INT64_MAX

LIMIT_DEFAULT = 20
LIMIT_MAX = 100
#: Rows shown by rank: a cursor holds their ids, and is part of an address.
SHOWN_MAX = 1_000
_TAG_BYTES = 16

Row = TypeVar("Row")
#: The sort key of a row, after which the next page starts.
PagePosition = tuple[int | str | None, ...]


@dataclass(frozen=True, slots=True)
class Slice(Generic[Row]):
    """One page of rows, and the cursor of the next one (None at the end)."""

    rows: Sequence[Row]
    next_cursor: str | None

    @property
    def has_more(self) -> bool:
        """Whether a further page exists."""
        return self.next_cursor is not None


class Cursors:
    """Encodes positions as signed cursors and decodes them; servers of one database share the secret."""

    def __init__(self, secret: bytes) -> None:
        """Sign with `secret`."""
        self._secret = secret

    def encode(self, position: PagePosition, *, binding: str) -> str:
        """Return a cursor for `position`, valid only with the same `binding` (list, caller and filters)."""
        payload = msgspec.json.encode(position)
        return base64url(self._tag(payload, binding) + payload)

    def decode(self, cursor: str, *, binding: str) -> PagePosition:
        """Return the position in `cursor`; `InvalidCursor` for any other text."""
        raw = from_base64url(cursor)
        if raw is None:
            raise InvalidCursor
        tag, payload = raw[:_TAG_BYTES], raw[_TAG_BYTES:]
        if not hmac.compare_digest(tag, self._tag(payload, binding)):
            raise InvalidCursor
        return tuple(msgspec.json.decode(payload, type=list[int | str | None]))

    def slice(
        self, rows: Sequence[Row], *, limit: int, binding: str, position: Callable[[Row], PagePosition]
    ) -> Slice[Row]:
        """Return a page of at most `limit` of a query's `limit + 1` rows; the extra row shows that more follow."""
        shown = rows[:limit]
        more = len(rows) > limit
        return Slice(shown, self.encode(position(shown[-1]), binding=binding) if more else None)

    def _tag(self, payload: bytes, binding: str) -> bytes:
        return hmac.new(self._secret, binding.encode() + b"\0" + payload, hashlib.sha256).digest()[:_TAG_BYTES]


@dataclass(frozen=True, slots=True)
class RankedPlace:
    """Where the traversal is of a list whose ranks change while it is read.

    It holds the rows that were shown by rank, not the last rank: a page begins with the highest ranks not shown yet.
    Once there are none, or `SHOWN_MAX` were shown, all others follow by their ids, downwards, whatever their ranks have
    become. So each row that is there throughout is shown exactly once.
    """

    #: The rest follows by id from below this one on; None while there are ranks to show.
    below_id: int | None = None
    #: Ids of the rows shown by rank.
    shown: Collection[int] = ()

    @classmethod
    def read(cls, position: PagePosition | None) -> RankedPlace:
        """Return the place of a cursor, the beginning for None."""
        if position is None:
            return cls()
        below_id, *steps = cast("tuple[int | None, *tuple[int, ...]]", position)
        return cls(below_id, list(accumulate(steps)))

    def position(self) -> PagePosition:
        """Return what a cursor holds of this place."""
        # The distances between ids are shorter than these.
        ids = sorted(self.shown)
        return self.below_id, *ids[:1], *(after - before for before, after in pairwise(ids))

    def after(self, ids: Sequence[int], *, ranked: int) -> RankedPlace:
        """Return the place after a page of these rows, the first `ranked` of which have a rank."""
        if self.below_id is not None:
            return RankedPlace(ids[-1], self.shown)
        shown = [*self.shown, *ids[:ranked]]
        if ranked < len(ids):
            return RankedPlace(ids[-1], shown)
        return RankedPlace(INT64_MAX if len(shown) >= SHOWN_MAX else None, shown)
