"""Rows of what newcomers are granted."""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from foreknow.people.newcomers.tables import newcomer_grants, newcomer_networks, waiting_newcomers
from foreknow.platform.db.transactions import ReadTx, WriteTx


def is_any_granted(tx: ReadTx, keys: Collection[str]) -> bool:
    """Return whether any of these was granted before."""
    query = sa.select(newcomer_grants.c.granted).where(newcomer_grants.c.granted.in_(keys))
    return tx.execute(query.limit(1)).first() is not None


def note_granted(tx: WriteTx, keys: Collection[str]) -> None:
    """Note a grant for ever; of two transactions at once, the second fails and is run again."""
    tx.execute(newcomer_grants.insert(), [{"granted": key} for key in sorted(keys)])


def count_newcomer(tx: WriteTx, *, day: int, network: str, most: int) -> bool:
    """Count a newcomer of a network address; return False, without counting, where `most` have come on that day."""
    if most == 0:
        return False
    tx.execute(newcomer_networks.delete().where(newcomer_networks.c.day < day))
    insert = sqlite.insert if tx.dialect.name == "sqlite" else postgresql.insert
    counted = newcomer_networks.c.newcomers
    statement = insert(newcomer_networks).values(day=day, network=network, newcomers=1)
    statement = statement.on_conflict_do_update(
        index_elements=["day", "network"], set_={"newcomers": counted + 1}, where=counted < most
    )
    return tx.execute(statement.returning(counted)).first() is not None


def let_wait(tx: WriteTx, user_id: int, *, is_invited: bool, welcome_kopecks: int, invitation_kopecks: int) -> None:
    """Note a newcomer who is granted something later."""
    row = {
        "user_id": user_id,
        "is_invited": is_invited,
        "welcome_kopecks": welcome_kopecks,
        "invitation_kopecks": invitation_kopecks,
    }
    tx.execute(waiting_newcomers.insert().values(row))


def take_waiting(tx: WriteTx, user_id: int) -> tuple[int | None, int] | None:
    """Let a newcomer wait no longer: return the kopecks of their welcome (None: what is set) and of their invitation.

    None for others.
    """
    mine = waiting_newcomers.c.user_id == user_id
    columns = (waiting_newcomers.c.welcome_kopecks, waiting_newcomers.c.invitation_kopecks)
    row = tx.execute(waiting_newcomers.delete().where(mine).returning(*columns)).one_or_none()
    return None if row is None else (row[0], row[1])
