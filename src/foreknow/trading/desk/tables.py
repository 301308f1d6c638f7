"""Trades: every executed bet, sale and piece of a basket, kept forever."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Bytes, Float64, Int64, Text, own_id, partial_index, sqlite_key, table

trades = table(
    "trades",
    own_id(),
    sa.Column("event_id", Int64, nullable=False),
    sa.Column("pool_id", Int64, nullable=False),
    #: Market and trader are the position's, which names rows of theirs.
    sa.Column("market_id", Int64, nullable=False),
    sa.Column("user_id", Int64, nullable=False),
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
    # PostgreSQL would lock both rows for each trade: an eighth to a third of what it does for a full batch (ADR 0032).
    sqlite_key("market_id", "markets.id"),
    sqlite_key("user_id", "users.id"),
    # An event's trades, newest first: lists, and the quantities of a past moment.
    sa.Index("ix_trades_event_id", "event_id", "id"),
    #: The trader's trade before this one. A trader's trades are followed from the newest, which their ledger account
    #: names: an index by trader would cost each order a page of its own. NULL for the first one, and for what was
    #: traded before this was kept.
    sa.Column("previous_trade_id", Int64),
    #: Of a limit order's: the order, and whether it arrived (taker) or rested (maker). NULL for all others.
    sa.Column("order_id", Int64),
    sa.Column("role", Text),
    #: Of a basket's: the basket. Its market, position and shares are those of one of its `trade_legs`.
    sa.Column("basket_id", Int64),
)
partial_index("ix_trades_first_of_user", trades.c.user_id, trades.c.id, where=trades.c.previous_trade_id.is_(None))
# An order's fills. Bets and sales write nothing to it.
partial_index("ix_trades_order", trades.c.order_id, trades.c.id, where=trades.c.order_id.is_not(None))
# Bets and sales write nothing to it, either.
partial_index("ix_trades_baskets_of_event", trades.c.event_id, trades.c.id, where=trades.c.basket_id.is_not(None))

#: Orders on several markets of a pool at one price: a purchase, a sale, or both, a trade each.
baskets = table(
    "baskets",
    own_id(),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    sa.Column("pool_id", Int64, nullable=False),
    #: What its sale brought less what its purchase cost, fee included.
    sa.Column("net_kopecks", Int64, nullable=False),
    #: The answer as it was given, JSON, without balances.
    sa.Column("body", Bytes, nullable=False),
)

#: What a basket's trade bought or sold of each market, always YES.
trade_legs = table(
    "trade_legs",
    sa.Column("trade_id", Int64, sa.ForeignKey("trades.id"), primary_key=True, autoincrement=False),
    sa.Column("market_id", Int64, primary_key=True, autoincrement=False),
    sa.Column("position_id", Int64, nullable=False),
    #: How it came to be: `stake`, of the outcomes bet on; `back`, of those where a condition does not hold and the
    #: stake comes back; `change`, as named.
    sa.Column("kind", Text, nullable=False),
    sa.Column("shares", Int64, nullable=False),
    #: Its part of the trade's amount, which may be 0, and of its profit.
    sa.Column("amount_kopecks", Int64, nullable=False),
    sa.Column("pnl_kopecks", Int64, nullable=False),
    sa.CheckConstraint("shares > 0 AND amount_kopecks >= 0", name="within_bounds"),
    clustered=True,
)
