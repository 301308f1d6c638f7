"""Payments under way."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, table

#: One row a pool with a result, until its last position is paid and the rest of its escrow returned.
payments = table(
    "payments",
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), primary_key=True, autoincrement=False),
    #: When the result is final, and a process may pay; while one does, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)
