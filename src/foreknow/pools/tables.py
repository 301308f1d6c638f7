"""Pools: one question each, whose row is what orders lock."""

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
    #: The fee fraction as sent; it means its shortest decimal.
    sa.Column("margin", Float64, nullable=False),
    sa.Column("live_at_ms", Int64),
    sa.Column("finish_at_ms", Int64),
    #: Given back as sent.
    sa.Column("metadata", Json, nullable=False),
    #: The LMSR liquidity parameter, kopecks.
    sa.Column("b", Int64, nullable=False),
    #: Integer prior weights as decimal texts (they may pass 64 bits), one an outcome, the implicit other of a
    #: single-market pool included.
    sa.Column("weights", Json, nullable=False),
    #: new (its event is), open (published), resolved (settled or voided).
    sa.Column("state", Text, nullable=False),
    sa.Column("paused", Flag, nullable=False, server_default=sa.text("false")),
    sa.Column("published_at_ms", Int64),
    sa.Column("resolved_at_ms", Int64),
    #: outcome_index that won; in a single-market pool 0 = YES, 1 = NO; -1 = settled without a winner.
    sa.Column("won_side", Int64),
    #: The resolution as asked for, so that the same again is recognised.
    sa.Column("resolution", Json),
    #: ceil(b · ln(1/min w)): what the house pays into escrow on publication.
    sa.Column("loss_bound_kopecks", Int64, nullable=False),
    sa.Column("escrow_account_id", Int64, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("fees_account_id", Int64, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("volume_kopecks", Int64, nullable=False, server_default="0"),
    #: Trades so far: the ordinal of the newest, for the charts.
    sa.Column("trade_count", Int64, nullable=False, server_default="0"),
    sa.Column("last_trade_at_ms", Int64),
)
# What a creator's open pools may cost, whatever was settled in the years before.
sa.Index(
    "ix_pools_open_creator",
    pools.c.creator_id,
    pools.c.loss_bound_kopecks,
    sqlite_where=pools.c.state == "open",
    postgresql_where=pools.c.state == "open",
)
