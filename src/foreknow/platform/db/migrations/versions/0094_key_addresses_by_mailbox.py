"""Key e-mail addresses by their mailbox, however the domain is spelled."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

from foreknow.kernel.email_addresses import address_key

revision = "0094"
down_revision = "0093"

_users = sa.table("users", sa.column("id"), sa.column("email"), sa.column("email_key"))


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    connection = op.get_bind()
    columns = _users.c
    # All others have the same key under both rules: they are ASCII, and have no A-label.
    size = sa.func.octet_length if connection.dialect.name == "postgresql" else _size_of_text
    differs = sa.or_(size(columns.email) != sa.func.length(columns.email), columns.email_key.contains("xn--"))
    rows = connection.execute(sa.select(_users).where(columns.email_key.is_not(None), differs).order_by(columns.id))
    for user_id, email, old_key in rows.all():
        key = address_key(email)
        taken = sa.select(columns.id).where(columns.email_key == key)
        # Of two accounts of one mailbox the later one keeps its key.
        if key != old_key and connection.execute(taken).first() is None:
            connection.execute(_users.update().where(columns.id == user_id).values(email_key=key))


def _size_of_text(column: sa.ColumnElement[str]) -> sa.ColumnElement[int]:
    return sa.func.length(sa.cast(column, sa.LargeBinary))
