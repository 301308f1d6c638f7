"""Secrets shared by all servers of one database; the first to need one creates it."""

from __future__ import annotations

import secrets as random

import sqlalchemy as sa

from foreknow.platform.db.metadata import Bytes, Text, table
from foreknow.platform.db.transactions import WriteTx

SECRET_BYTES = 32

secrets = table(
    "secrets",
    sa.Column("name", Text, primary_key=True),
    sa.Column("value", Bytes, nullable=False),
)


def shared_secret(tx: WriteTx, name: str) -> bytes:
    """Return the secret called `name`: 32 random bytes, created on first use."""
    query = sa.select(secrets.c.value).where(secrets.c.name == name)
    found = tx.execute(query).scalar()
    if found is None:
        found = random.token_bytes(SECRET_BYTES)
        tx.execute(secrets.insert().values(name=name, value=found))
    return bytes(found)
