"""Objections to results."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Int64, Json, Text, own_id, partial_index, table

#: What traders say against results of pools. Personal data: `reason` and `source_url` are what a person has written.
objections = table(
    "objections",
    own_id(),
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), nullable=False),
    #: The number of the result among the pool's, from 1.
    sa.Column("verdict", Int64, nullable=False),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    #: Of a partner's user.
    sa.Column("partner_id", Int64, sa.ForeignKey("partners.id")),
    #: "" once its author's account is deleted.
    sa.Column("reason", Text, nullable=False),
    sa.Column("source_url", Text, nullable=False),
    #: The result that it proposes, as `pools.resolution`; NULL for none.
    sa.Column("proposal", Json),
    #: Whether it keeps the result from being final at the end of its window.
    sa.Column("holds", Flag, nullable=False),
    #: Whether it was the first that held this result: holders were notified.
    sa.Column("held_first", Flag, nullable=False),
    #: open, upheld, rejected or lapsed. One that is open of a result that is final has lapsed, whatever its row says.
    sa.Column("state", Text, nullable=False),
    #: "" where none was written.
    sa.Column("answer_note", Text, nullable=False, server_default=""),
    sa.Column("answered_at_ms", Int64),
    #: When an operator or admin hid it; NULL: it is shown.
    sa.Column("hidden_at_ms", Int64),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.UniqueConstraint("pool_id", "verdict", "user_id"),
    sa.Index("ix_objections_pool_id_id", "pool_id", "id"),
    # To count those of the last day, and for the export.
    sa.Index("ix_objections_user_id_created_at_ms", "user_id", "created_at_ms"),
)
partial_index(
    "uq_objections_partner",
    objections.c.pool_id,
    objections.c.verdict,
    objections.c.partner_id,
    where=objections.c.partner_id.is_not(None),
    unique=True,
)
# What was answered of a partner's users, of late.
partial_index(
    "ix_objections_partner_id_created_at_ms",
    objections.c.partner_id,
    objections.c.created_at_ms,
    where=objections.c.partner_id.is_not(None),
)
