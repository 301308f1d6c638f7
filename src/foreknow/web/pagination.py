"""Lists with the newest row first, as most pages of the contract are: by id, downwards."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, Protocol, TypeVar

from foreknow.kernel.pagination import Slice
from foreknow.platform.db.transactions import ReadTx
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Request
from foreknow.web.params import Paged


class HasId(Protocol):
    """A row that knows its id."""

    @property
    def id(self) -> int:
        """The row's id; a newer row has a higher one."""
        ...


Row = TypeVar("Row", bound=HasId)
#: Returns up to `limit` rows, newest first, of those with ids under `before_id` where that is given.
PageRead = Callable[[ReadTx, int | None, int], Sequence[Row]]


async def newest_first(
    context: RouteContext,
    request: Request[Any, Paged, Any],
    list_name: str,
    read: PageRead[Row],
    *,
    may_be_stale: bool = False,
) -> Slice[Row]:
    """Return the page of `list_name` that a request's `limit` and `cursor` select; the cursor is bound to the caller.

    Rows inserted during a traversal have higher ids than any still to be shown, so each row that was there at its start
    is shown exactly once. Raises `InvalidCursor`. The first page `may_be_stale` where no trade changes it; later pages
    are current, or they might lack rows that were there when the first was read.
    """
    limit, cursor = request.query.limit, request.query.cursor
    binding = f"{list_name}:{request.caller.scope}" if request.caller is not None else list_name
    before_id: int | None = None
    if cursor is not None:
        (position,) = context.cursors.decode(cursor, binding=binding)
        assert isinstance(position, int)
        before_id = position
    # One row more than the page holds tells whether another page follows.
    source = context.public_reads.lookup_untraded if may_be_stale and before_id is None else context.db.lookup
    rows = await source(lambda tx: read(tx, before_id, limit + 1))
    return context.cursors.slice(rows, limit=limit, binding=binding, position=lambda row: (row.id,))
