"""Trades: every executed bet and sale, kept forever."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Float64, Int64, Text, own_id, partial_index, table

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
    #: The trader's trade before this one. A trader's trades are followed from the newest, which their ledger account
    #: names: an index by trader would cost each order a page of its own. NULL for the first one, and for what was
    #: traded before this was kept.
    sa.Column("previous_trade_id", Int64),
    #: Of a limit order's: the order, and whether it arrived (taker) or rested (maker). NULL for all others.
    sa.Column("order_id", Int64),
    sa.Column("role", Text),
)
partial_index("ix_trades_first_of_user", trades.c.user_id, trades.c.id, where=trades.c.previous_trade_id.is_(None))
# An order's fills. Bets and sales write nothing to it.
partial_index("ix_trades_order", trades.c.order_id, trades.c.id, where=trades.c.order_id.is_not(None))
