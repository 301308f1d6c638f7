"""Partners' sub-accounts: users without credentials, created by their first bet."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, Fetch, as_rows, found_by, values_table
from foreknow.platform.db.changes import Sink, insert_rows
from foreknow.platform.db.metadata import Int64, Text
from foreknow.platform.db.transactions import ReadTx


class SubAccount(NamedTuple):
    """The ids of a partner's external user."""

    user_id: int
    account_id: int


#: (partner id, external_user_id)
SubAccountName = tuple[int, str]


def _find(dialect: str) -> sa.Select[Any]:
    wanted = values_table(dialect, "names", {"partner_id": Int64, "external_user_id": Text})
    rows = sa.select(users.c.partner_id, users.c.external_user_id, users.c.id, users.c.account_id)
    return found_by(dialect, [users.c.partner_id, users.c.external_user_id], wanted, rows)


_FIND = CompiledQuery(_find)


def find_sub_accounts(tx: ReadTx, names: Collection[SubAccountName]) -> dict[SubAccountName, SubAccount]:
    """Return the sub-accounts that exist among `names`."""
    return sub_accounts_fetch(names).fetch(tx)


def sub_accounts_fetch(names: Collection[SubAccountName]) -> Fetch[dict[SubAccountName, SubAccount]]:
    """Return `find_sub_accounts` as a query to be fetched with others."""
    return Fetch(
        _FIND,
        {"names": as_rows(names)},
        lambda rows: {
            (partner_id, external_user_id): SubAccount(user_id, account_id)
            for partner_id, external_user_id, user_id, account_id in rows
        },
        is_empty=not names,
    )


class NewSubAccount(NamedTuple):
    """A row of a sub-account whose ids are drawn; its public name is the partner's."""

    id: int
    name: str
    partner_id: int
    external_user_id: str
    account_id: int
    created_at_ms: int


def insert_sub_accounts(into: Sink, new: Sequence[NewSubAccount]) -> None:
    """Insert sub-accounts, after their accounts; `IntegrityError` if another transaction has created one of them."""
    insert_rows(into, users, NewSubAccount._fields, new)
