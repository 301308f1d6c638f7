"""Positions, open and closed, and those of Other that became positions of another outcome, too."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, own_id, partial_index, table

positions = table(
    "positions",
    own_id(),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    sa.Column("market_id", Int64, sa.ForeignKey("markets.id"), nullable=False),
    sa.Column("pool_id", Int64, nullable=False),
    sa.Column("event_id", Int64, nullable=False),
    #: YES or NO
    sa.Column("side", Text, nullable=False),
    #: Shares held, and their cost.
    sa.Column("shares", Int64, nullable=False),
    sa.Column("cost_kopecks", Int64, nullable=False),
    #: Shares sold or settled, and their cost.
    sa.Column("left_shares", Int64, nullable=False),
    sa.Column("left_cost_kopecks", Int64, nullable=False),
    #: Payouts of its sales and its settlement less left_cost_kopecks.
    sa.Column("pnl_kopecks", Int64, nullable=False),
    #: Shares settled, and their payout.
    sa.Column("settled_shares", Int64, nullable=False, server_default="0"),
    sa.Column("settled_kopecks", Int64, nullable=False, server_default="0"),
    #: Of the shares held, those that resting orders offer: nothing else may sell them.
    sa.Column("reserved_shares", Int64, nullable=False, server_default="0"),
    sa.Column("opened_at_ms", Int64, nullable=False),
    sa.Column("closed_at_ms", Int64),
    #: 0 = YES won, 1 = NO won; NULL = sold, or its pool had no winner.
    sa.Column("won_side", Int64),
    sa.CheckConstraint("shares >= 0 AND cost_kopecks >= 0", name="not_negative"),
)
partial_index(
    "uq_positions_open",
    positions.c.user_id,
    positions.c.market_id,
    positions.c.side,
    where=positions.c.closed_at_ms.is_(None),
    unique=True,
)
partial_index(
    "ix_positions_open_market", positions.c.market_id, positions.c.id, where=positions.c.closed_at_ms.is_(None)
)
partial_index("ix_positions_open_user", positions.c.user_id, positions.c.id, where=positions.c.closed_at_ms.is_(None))
#: Each position of Other that was turned: it became one of the new market, too. The database itself refuses to turn it
#: twice for one market.
position_splits = table(
    "position_splits",
    own_id(),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    #: Of Other.
    sa.Column("position_id", Int64, sa.ForeignKey("positions.id"), nullable=False),
    #: The new one.
    sa.Column("market_id", Int64, sa.ForeignKey("markets.id"), nullable=False),
    sa.Column("new_position_id", Int64, nullable=False),
    sa.Column("pool_id", Int64, nullable=False),
    sa.Column("event_id", Int64, nullable=False),
    #: What it held, and so what the new one holds.
    sa.Column("shares", Int64, nullable=False),
    #: The part of its cost that went to the new one, and how many hundredths of it that is.
    sa.Column("cost_kopecks", Int64, nullable=False),
    sa.Column("share_percent", Int64, nullable=False),
    #: The pool's last trade before the split: no later one met it as it was.
    sa.Column("last_trade_id", Int64, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.UniqueConstraint("market_id", "position_id"),
    sa.Index("ix_position_splits_user_id_id", "user_id", "id"),
)
# For the movements of a trader's money. The literal, so that the partial index matches.
IS_SETTLED = positions.c.settled_shares > sa.literal_column("0")
partial_index(
    "ix_positions_settled_user", positions.c.user_id, positions.c.closed_at_ms, positions.c.id, where=IS_SETTLED
)
partial_index(
    "ix_positions_closed_event",
    positions.c.user_id,
    positions.c.event_id,
    positions.c.closed_at_ms,
    positions.c.id,
    where=positions.c.closed_at_ms.is_not(None),
)
partial_index(
    "ix_positions_closed_user",
    positions.c.user_id,
    positions.c.closed_at_ms,
    positions.c.id,
    where=positions.c.closed_at_ms.is_not(None),
)
