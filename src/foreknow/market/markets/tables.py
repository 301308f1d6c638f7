"""Markets: one per outcome of a pool, with their LMSR quantities."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Float64, Int64, Text, own_id, table

markets = table(
    "markets",
    own_id(),
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), nullable=False),
    sa.Column("event_id", Int64, sa.ForeignKey("events.id"), nullable=False),
    sa.Column("outcome_index", Int64, nullable=False),
    sa.Column("name", Text, nullable=False),
    #: The prior as given.
    sa.Column("probability", Float64, nullable=False),
    #: Shares outstanding.
    sa.Column("q_yes", Int64, nullable=False, server_default="0"),
    sa.Column("q_no", Int64, nullable=False, server_default="0"),
    #: YES shares outstanding with which it began: those of the list's Other, out of which it was taken.
    sa.Column("first_q_yes", Int64, nullable=False, server_default="0"),
    sa.Column("volume_kopecks", Int64, nullable=False, server_default="0"),
    sa.UniqueConstraint("pool_id", "outcome_index"),
)
