"""Clarifications of pools' rules."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, own_id, table

clarifications = table(
    "clarifications",
    own_id(),
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), nullable=False),
    #: Who wrote it. No foreign key: its migration would lock two tables that orders use.
    sa.Column("user_id", Int64, nullable=False),
    #: creator or admin: as what they wrote it
    sa.Column("author", Text, nullable=False),
    sa.Column("text", Text, nullable=False),
    #: "" for none.
    sa.Column("text_ru", Text, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: When an operator or admin hid it; NULL: it is shown.
    sa.Column("hidden_at_ms", Int64),
    sa.Index("ix_clarifications_pool_id", "pool_id", "id"),
    sa.Index("ix_clarifications_user_id", "user_id", "id"),
)
