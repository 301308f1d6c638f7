"""Series: events that recur."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.db.metadata import Int64, Json, Text, own_id, table

series = table(
    "series",
    own_id(),
    sa.Column("creator_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    #: running, stopped or ended
    sa.Column("status", Text, nullable=False),
    sa.Column("loop_interval_minutes", Int64, nullable=False),
    sa.Column("first_event_id", Int64, nullable=False),
    sa.Column("newest_event_id", Int64, nullable=False),
    sa.Column("newest_index", Int64, nullable=False),
    #: What later instances are made of: fields of the event and its pools, texts with their placeholders.
    sa.Column("draft", Json, nullable=False),
    #: The instance whose times the draft holds.
    sa.Column("draft_index", Int64, nullable=False),
    #: creator_role, house_limit or price: why the next instance has not been opened.
    sa.Column("waiting", Text),
    sa.Column("waiting_since_ms", Int64),
    #: Index of the instance that its creator was last notified about.
    sa.Column("waiting_index", Int64),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: When the next instance can be opened; NULL unless running. While a process opens one, the end of the lease.
    sa.Column("due_at_ms", Int64, index=True),
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)
