"""Migration steps that do not block running servers on PostgreSQL."""

from __future__ import annotations

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op


def add_index(name: str, table: str, columns: Sequence[str], *, unique: bool = False, where: str | None = None) -> None:
    """Create an index, of the rows `where` if given, without blocking writes to its table.

    Make it the only step of its migration: PostgreSQL builds it outside a transaction, which commits earlier steps. An
    interrupted build leaves an invalid index; the next attempt replaces it.
    """
    context = op.get_context()
    rows = None if where is None else sa.text(where)
    if context.dialect.name == "sqlite":
        op.create_index(name, table, columns, unique=unique, sqlite_where=rows)
        return
    with context.autocommit_block():
        # It waits for older transactions, and no transaction waits for it.
        lock_timeout = op.get_bind().exec_driver_sql("SHOW lock_timeout").scalar_one()
        op.execute("SET lock_timeout = 0")
        op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)
        op.create_index(name, table, columns, unique=unique, postgresql_concurrently=True, postgresql_where=rows)
        op.execute(f"SET lock_timeout = '{lock_timeout}'")
