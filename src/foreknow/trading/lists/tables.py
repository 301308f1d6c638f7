"""Lists whose positions of Other are being turned after a split."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, table

#: One row a list, from a split until the last position of Other is turned.
split_turns = table(
    "split_turns",
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), primary_key=True, autoincrement=False),
    #: While a process works on it, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    #: Positions of Other with ids up to this are turned.
    sa.Column("last_position_id", Int64, nullable=False),
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)
