"""Steps of migrations that PostgreSQL would otherwise do while everybody waits."""

from __future__ import annotations

from collections.abc import Sequence

from alembic import op


def add_index(name: str, table: str, columns: Sequence[str], *, unique: bool = False) -> None:
    """Create an index while others go on writing to its table.

    PostgreSQL does that outside a transaction, and what the migration did before is committed: let it be the only step
    of its migration. A build that was broken off leaves an index that counts for nothing; the next try replaces it.
    """
    context = op.get_context()
    if context.dialect.name == "sqlite":
        op.create_index(name, table, columns, unique=unique)
        return
    with context.autocommit_block():
        # It waits for the transactions that began before it, and nobody waits behind it.
        lock_timeout = op.get_bind().exec_driver_sql("SHOW lock_timeout").scalar_one()
        op.execute("SET lock_timeout = 0")
        op.drop_index(name, table, if_exists=True, postgresql_concurrently=True)
        op.create_index(name, table, columns, unique=unique, postgresql_concurrently=True)
        op.execute(f"SET lock_timeout = '{lock_timeout}'")
