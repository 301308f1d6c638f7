"""Deletions of accounts that are under way, and when people exported their data."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, table

#: Deleted accounts of which something is left to erase. The account itself has ended with the row's first transaction.
deletions = table(
    "deletions",
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    #: `store.DeletionPhase`: what is done next.
    sa.Column("phase", Text, nullable=False),
    #: When it is done; while a process does it, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)

#: When people exported what is kept of them; the next time is an hour later.
exports = table(
    "exports",
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    sa.Column("exported_at_ms", Int64, nullable=False),
)
