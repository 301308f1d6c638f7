"""Reading a part of a statement: lines of one type, of one user, of a time, newest first.

Each type is a list of its own in an index, in the order of time, and the lists are merged: a page takes as long however
many lines the filter leaves out. Lines are read by their time here, while an unfiltered statement goes by id, the order
of the commits, which may differ by the length of a transaction.
"""

from __future__ import annotations

import heapq
from dataclasses import dataclass
from itertools import islice
from typing import Any, NamedTuple, get_args

import sqlalchemy as sa

from foreknow.kernel.units import INT64_MAX, INT64_MIN
from foreknow.money.statements.store import NAMES, StatementRow, StatementType, statement_row
from foreknow.money.statements.tables import partner_transactions
from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.transactions import ReadTx

TYPES: tuple[StatementType, ...] = get_args(StatementType)
_C = partner_transactions.c


class StatementPlace(NamedTuple):
    """A line's place in a filtered statement."""

    created_at_ms: int
    id: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StatementFilter:
    """Which lines to show; None leaves out nothing. Times in Unix milliseconds, `from_ms` included, `to_ms` not."""

    type: StatementType | None = None
    external_user_id: str | None = None
    from_ms: int | None = None
    to_ms: int | None = None

    @property
    def shows_all(self) -> bool:
        """Whether nothing is left out."""
        return self == _ALL


_ALL = StatementFilter()


def place_of(row: StatementRow) -> StatementPlace:
    """Return the place of a line, after which the next page begins."""
    return StatementPlace(row.created_at_ms, row.id)


def filtered_page(
    tx: ReadTx,
    which: StatementFilter,
    *,
    partner_id: int,
    user_id: int | None,
    before: StatementPlace | None,
    limit: int,
) -> list[StatementRow]:
    """Return the newest `limit` lines of a partner that `which` shows, of those before a place if given.

    `user_id` is the sub-account of `which.external_user_id`; None where that is None.
    """
    end = StatementPlace(INT64_MAX, INT64_MAX) if which.to_ms is None else StatementPlace(which.to_ms, 0)
    place = end if before is None else min(before, end)
    bounds = {
        "from_ms": INT64_MIN if which.from_ms is None else which.from_ms,
        "before_ms": place.created_at_ms,
        "before_id": place.id,
        "limit": limit,
    }
    if user_id is None:
        query, bounds["partner_id"] = _OF_PARTNER, partner_id
    else:
        query, bounds["user_id"] = _OF_USER, user_id
    lists = [
        [statement_row(row) for row in query.fetch(tx, {**bounds, "type": type_})]
        for type_ in (TYPES if which.type is None else (which.type,))
    ]
    return list(islice(heapq.merge(*lists, key=place_of, reverse=True), limit))


def _query(owner: sa.ColumnElement[bool]) -> CompiledQuery:
    def build(_dialect: str) -> sa.Select[Any]:
        before = sa.tuple_(sa.bindparam("before_ms", type_=Int64), sa.bindparam("before_id", type_=Int64))
        return (
            sa.select(*(_C[name] for name in NAMES))
            .where(
                owner,
                _C.type == sa.bindparam("type"),
                _C.created_at_ms >= sa.bindparam("from_ms"),
                sa.tuple_(_C.created_at_ms, _C.id) < before,
            )
            .order_by(_C.created_at_ms.desc(), _C.id.desc())
            .limit(sa.bindparam("limit"))
        )

    return CompiledQuery(build)


_OF_PARTNER = _query(_C.partner_id == sa.bindparam("partner_id"))
_OF_USER = _query(_C.user_id == sa.bindparam("user_id"))
