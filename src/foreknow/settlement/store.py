"""The holders of open positions in markets being settled."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.db.transactions import ReadTx
from foreknow.kernel.chunks import chunks
from foreknow.positions.tables import positions
from foreknow.users.tables import users


@dataclass(frozen=True, slots=True)
class Holder:
    """The account to be paid. `partner_id` and `external_user_id` are None for a person."""

    account_id: int
    partner_id: int | None
    external_user_id: str | None


def accounts_of_holders(tx: ReadTx, market_ids: Collection[int]) -> set[int]:
    """Return the accounts with open positions in these markets."""
    found: set[int] = set()
    for chunk in chunks(market_ids):
        query = (
            sa.select(users.c.account_id)
            .distinct()
            .join(positions, positions.c.user_id == users.c.id)
            .where(positions.c.market_id.in_(chunk), positions.c.closed_at_ms.is_(None))
        )
        found.update(tx.execute(query).scalars())
    return found


def load_holders(tx: ReadTx, user_ids: Collection[int]) -> dict[int, Holder]:
    """Return these users as holders, by id."""
    found: dict[int, Holder] = {}
    for chunk in chunks(user_ids):
        query = sa.select(users.c.id, users.c.account_id, users.c.partner_id, users.c.external_user_id).where(
            users.c.id.in_(chunk)
        )
        found.update((user_id, Holder(*rest)) for user_id, *rest in tx.execute(query))
    return found
