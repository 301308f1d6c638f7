"""Pools: one question each. Orders lock its row."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.db.metadata import Flag, Float64, Int64, Json, Text, own_id, table

pools = table(
    "pools",
    own_id(),
    sa.Column("event_id", Int64, sa.ForeignKey("events.id"), nullable=False, index=True),
    sa.Column("creator_id", Int64, nullable=False),
    sa.Column("position", Int64, nullable=False),
    sa.Column("name", Text, nullable=False),
    sa.Column("name_ru", Text, nullable=False),
    sa.Column("rules", Text, nullable=False),
    #: The fee fraction as sent; read as its shortest decimal.
    sa.Column("margin", Float64, nullable=False),
    sa.Column("live_at_ms", Int64),
    sa.Column("finish_at_ms", Int64),
    #: Returned as sent.
    sa.Column("metadata", Json, nullable=False),
    #: The LMSR liquidity parameter, kopecks.
    sa.Column("b", Int64, nullable=False),
    #: Integer prior weights as decimal text (they may exceed 64 bits), one per outcome, the implicit other of a
    #: single-market pool included.
    sa.Column("weights", Json, nullable=False),
    #: new (unpublished), open (published), resolved (settled or voided).
    sa.Column("state", Text, nullable=False),
    sa.Column("paused", Flag, nullable=False, server_default=sa.text("false")),
    sa.Column("published_at_ms", Int64),
    sa.Column("resolved_at_ms", Int64),
    #: outcome_index that won; in a single-market pool 0 = YES, 1 = NO; -1 = no winner.
    sa.Column("won_side", Int64),
    #: The resolution as requested, to recognise the same one again.
    sa.Column("resolution", Json),
    #: ceil(b · ln(1/min w)): what the house pays into escrow on publication.
    sa.Column("loss_bound_kopecks", Int64, nullable=False),
    sa.Column("escrow_account_id", Int64, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("fees_account_id", Int64, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("volume_kopecks", Int64, nullable=False, server_default="0"),
    #: Number of trades: the ordinal of the newest, for the charts.
    sa.Column("trade_count", Int64, nullable=False, server_default="0"),
    sa.Column("last_trade_at_ms", Int64),
)
# For the sum of a creator's open loss bounds, whatever the number of resolved pools.
sa.Index(
    "ix_pools_open_creator",
    pools.c.creator_id,
    pools.c.loss_bound_kopecks,
    sqlite_where=pools.c.state == "open",
    postgresql_where=pools.c.state == "open",
)
