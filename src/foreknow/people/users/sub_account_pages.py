"""Pages of a partner's sub-accounts, newest first: all of them, or those whose `external_user_id` begins with a text.

Many that begin so are met while the newest are gone through; few are found in an index by that text. So a page takes as
long with a hundred sub-accounts as with a million.
"""

from __future__ import annotations

from collections.abc import Sequence
from heapq import nlargest
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.kernel.units import INT64_MAX
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, in_array
from foreknow.platform.db.metadata import Text
from foreknow.platform.db.transactions import ReadTx

#: Up to this many are found by the beginning of their names.
FOUND_MAX = 20_000
#: Sub-accounts that a page goes through at most, where more begin so, and those read at a time.
LOOKED_AT_MAX = 5_000
LOOKED_AT_ONCE = 500
#: Whatever begins with a text, and has up to 128 characters, comes before that text with this behind it.
_ABOVE = "\U0010ffff" * 128


class ListedSubAccount(NamedTuple):
    """A sub-account as the partner's list has it."""

    id: int
    external_user_id: str
    created_at_ms: int


class SubAccountPage(NamedTuple):
    """Sub-accounts, newest first, and the id before which a further page goes on; None at the end."""

    rows: Sequence[ListedSubAccount]
    before_id: int | None


def sub_account_page(tx: ReadTx, partner_id: int, *, begins: str, before_id: int | None, limit: int) -> SubAccountPage:
    """Return a partner's newest sub-accounts whose names begin with `begins`, those with ids under `before_id`.

    A page may hold fewer than `limit`, or none, although another one follows.
    """
    before_id = INT64_MAX if before_id is None else before_id
    if not begins:
        return _cut(_newest(tx, partner_id, before_id=before_id, limit=limit + 1), limit)
    found: list[ListedSubAccount] = []
    for turn in range(LOOKED_AT_MAX // LOOKED_AT_ONCE):
        rows = _newest(tx, partner_id, before_id=before_id, limit=LOOKED_AT_ONCE)
        found += [row for row in rows if row.external_user_id.startswith(begins)]
        if len(found) > limit or len(rows) < LOOKED_AT_ONCE:
            return _cut(found, limit)
        before_id = rows[-1].id
        if not turn and (ids := _found(tx, partner_id, begins)) is not None:
            return _cut(found + _first(tx, ids, before_id=before_id, limit=limit + 1 - len(found)), limit)
    return SubAccountPage(found, before_id)


def _found(tx: ReadTx, partner_id: int, begins: str) -> list[int] | None:
    """Return the ids of all sub-accounts whose names begin so; None where there are too many."""
    between = {"first": begins, "end": begins + _ABOVE}
    rows = _IDS.fetch(tx, {"partner_id": partner_id, **between, "limit": FOUND_MAX + 1})
    return None if len(rows) > FOUND_MAX else [row_id for (row_id,) in rows]


def _first(tx: ReadTx, ids: Sequence[int], *, before_id: int, limit: int) -> list[ListedSubAccount]:
    """Return the newest `limit` of some sub-accounts, those with ids under `before_id`."""
    chosen = nlargest(limit, (row_id for row_id in ids if row_id < before_id))
    rows = _BY_IDS.fetch(tx, {"ids": chosen}) if chosen else ()
    return sorted(map(ListedSubAccount._make, rows), reverse=True)


def _cut(rows: Sequence[ListedSubAccount], limit: int) -> SubAccountPage:
    return SubAccountPage(rows[:limit], rows[limit - 1].id if len(rows) > limit else None)


def _newest(tx: ReadTx, partner_id: int, *, before_id: int, limit: int) -> list[ListedSubAccount]:
    found = _NEWEST.fetch(tx, {"partner_id": partner_id, "before_id": before_id, "limit": limit})
    return list(map(ListedSubAccount._make, found))


def _by_beginning(dialect: str) -> sa.Select[Any]:
    name = users.c.external_user_id
    # By code points, whatever the collation of a database of PostgreSQL: so texts that begin alike stand together.
    from_first, before_end = (">=", "<") if dialect == "sqlite" else ("~>=~", "~<~")
    return (
        sa.select(users.c.id)
        .where(
            users.c.partner_id == sa.bindparam("partner_id"),
            name.bool_op(from_first)(sa.bindparam("first", type_=Text)),
            name.bool_op(before_end)(sa.bindparam("end", type_=Text)),
        )
        .limit(sa.bindparam("limit"))
    )


_COLUMNS = [users.c[field] for field in ListedSubAccount._fields]
_IDS = CompiledQuery(_by_beginning)
_BY_IDS = CompiledQuery(sa.select(*_COLUMNS).where(in_array(users.c.id)))
_NEWEST = CompiledQuery(
    sa.select(*_COLUMNS)
    .where(users.c.partner_id == sa.bindparam("partner_id"), users.c.id < sa.bindparam("before_id"))
    .order_by(users.c.id.desc())
    .limit(sa.bindparam("limit"))
)
