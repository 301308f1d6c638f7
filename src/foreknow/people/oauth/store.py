"""Rows of identities and of used states."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.people.oauth.tables import identities, spent_states
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Expired rows deleted with each use of a state.
_SWEPT_ROWS = 100


def find_user_id(tx: ReadTx, *, issuer: str, subject: str) -> int | None:
    """Return the user of an identity; None if unknown."""
    mine = (identities.c.issuer == issuer, identities.c.subject == subject)
    return tx.execute(sa.select(identities.c.user_id).where(*mine)).scalar()


def add_identity(tx: WriteTx, *, issuer: str, subject: str, user_id: int, at_ms: int) -> None:
    """Link an identity to a user."""
    row = {"issuer": issuer, "subject": subject, "user_id": user_id, "created_at_ms": at_ms}
    tx.execute(identities.insert().values(row))


def has_identity(tx: ReadTx, user_id: int) -> bool:
    """Return whether a user can sign in by a provider."""
    return tx.execute(sa.select(identities.c.user_id).where(identities.c.user_id == user_id)).first() is not None


def unlink(tx: WriteTx, user_id: int) -> None:
    """Link no identity to a user any more."""
    tx.execute(identities.delete().where(identities.c.user_id == user_id))


def spend_state(tx: WriteTx, state: str, *, expires_at_ms: int, now_ms: int) -> bool:
    """Mark a state as used; False if it was used before. Of two concurrent uses, the later transaction runs again."""
    if tx.execute(sa.select(spent_states.c.state).where(spent_states.c.state == state)).first() is not None:
        return False
    tx.execute(spent_states.insert().values(state=state, expires_at_ms=expires_at_ms))
    # Skips rows that another transaction holds: waiting for them could deadlock.
    old = (
        sa.select(spent_states.c.state)
        .where(spent_states.c.expires_at_ms <= now_ms)
        .order_by(spent_states.c.expires_at_ms)
        .limit(_SWEPT_ROWS)
        .with_for_update(skip_locked=True)
    )
    tx.execute(spent_states.delete().where(spent_states.c.state.in_(old)))
    return True
