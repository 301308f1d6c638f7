"""Trades: every executed bet and sale, kept forever."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Float64, Int64, Text, own_id, table

trades = table(
    "trades",
    own_id(),
    sa.Column("event_id", Int64, nullable=False),
    sa.Column("pool_id", Int64, nullable=False),
    sa.Column("market_id", Int64, sa.ForeignKey("markets.id"), nullable=False),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    sa.Column("position_id", Int64, sa.ForeignKey("positions.id"), nullable=False),
    #: buy or sell
    sa.Column("action", Text, nullable=False),
    #: YES or NO
    sa.Column("side", Text, nullable=False),
    #: The stake of a buy (fee included), the payout of a sale.
    sa.Column("amount_kopecks", Int64, nullable=False),
    sa.Column("fee_kopecks", Int64, nullable=False),
    sa.Column("shares", Int64, nullable=False),
    #: A sale's payout less its cost; 0 for a buy.
    sa.Column("pnl_kopecks", Int64, nullable=False),
    #: The market's YES probability, whichever side was traded.
    sa.Column("probability_before", Float64, nullable=False),
    sa.Column("probability_after", Float64, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.CheckConstraint("shares > 0 AND amount_kopecks > 0 AND fee_kopecks >= 0", name="positive"),
    # An event's trades, newest first: lists, and the quantities of a past moment.
    sa.Index("ix_trades_event_id", "event_id", "id"),
    # A trader's trades, newest first.
    sa.Index("ix_trades_user_id", "user_id", "id"),
)
