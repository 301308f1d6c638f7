"""Limit orders, kept forever, and what a fill or an end leaves to be done for its owner."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Int64, Text, own_id, partial_index, table

limit_orders = table(
    "limit_orders",
    #: Drawn under the pool's lock: within a pool they follow the order of arrival.
    own_id(),
    sa.Column("pool_id", Int64, nullable=False),
    sa.Column("market_id", Int64, sa.ForeignKey("markets.id"), nullable=False),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    #: Of a partner's user.
    sa.Column("partner_id", Int64),
    sa.Column("external_user_id", Text),
    #: buy or sell
    sa.Column("action", Text, nullable=False),
    #: YES or NO
    sa.Column("side", Text, nullable=False),
    sa.Column("price_bps", Int64, nullable=False),
    #: Whether it buys YES or sells NO: whether it moves the market up.
    sa.Column("is_up", Flag, nullable=False),
    #: Its level's place in its queue, 1 … 99, the best first: the level of a down order, 100 less that of an up order.
    sa.Column("rank", Int64, nullable=False),
    sa.Column("shares", Int64, nullable=False),
    sa.Column("filled_shares", Int64, nullable=False),
    #: gtc, ioc or fok
    sa.Column("time_in_force", Text, nullable=False),
    sa.Column("post_only", Flag, nullable=False),
    sa.Column("expires_at_ms", Int64),
    #: open, filled, cancelled or expired. One whose end has passed is `open` until that is written: ask `status`.
    sa.Column("status", Text, nullable=False),
    #: Why it is cancelled.
    sa.Column("reason", Text),
    #: What its fills paid, fee included, or brought.
    sa.Column("amount_kopecks", Int64, nullable=False),
    sa.Column("fee_kopecks", Int64, nullable=False),
    #: What the pool's order account holds for it.
    sa.Column("held_kopecks", Int64, nullable=False),
    #: The part of it that is to be paid to the owner: what fills brought or saved, and what an end left.
    sa.Column("owed_kopecks", Int64, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: Its last fill or its end.
    sa.Column("updated_at_ms", Int64, nullable=False),
    sa.CheckConstraint(
        "filled_shares >= 0 AND filled_shares <= shares AND owed_kopecks >= 0 AND owed_kopecks <= held_kopecks",
        name="within_bounds",
    ),
)
# The literal, so that the partial indexes match.
IS_OPEN = limit_orders.c.status == sa.literal_column("'open'")
IS_HELD = limit_orders.c.held_kopecks > sa.literal_column("0")
_C = limit_orders.c
# A market's two queues, the best order first.
partial_index("ix_limit_orders_queue", _C.market_id, _C.is_up, _C.rank, _C.id, where=IS_OPEN)
# How many orders of a trader are open in a pool; a pool's open orders, trader by trader, once it has ended.
partial_index("ix_limit_orders_open_pool", _C.pool_id, _C.user_id, _C.id, where=IS_OPEN)
partial_index(
    "ix_limit_orders_expiring",
    _C.expires_at_ms,
    where=sa.and_(IS_OPEN, _C.expires_at_ms.is_not(None)),
)
# What is held of a trader's money.
partial_index("ix_limit_orders_held", _C.user_id, _C.held_kopecks, where=IS_HELD)
# Lists, newest first, each state a list of its own.
sa.Index("ix_limit_orders_user", _C.user_id, _C.status, _C.id)
sa.Index("ix_limit_orders_user_market", _C.user_id, _C.market_id, _C.status, _C.id)
_OF_PARTNER = _C.partner_id.is_not(None)
partial_index("ix_limit_orders_partner", _C.partner_id, _C.status, _C.id, where=_OF_PARTNER)
partial_index("ix_limit_orders_partner_market", _C.partner_id, _C.market_id, _C.status, _C.id, where=_OF_PARTNER)

#: The shares that open orders have left at each level of a market's two queues, those too whose end has passed and is
#: not written yet. Written with the orders, under their pool's lock.
order_levels = table(
    "order_levels",
    sa.Column("market_id", Int64, sa.ForeignKey("markets.id"), primary_key=True, autoincrement=False),
    sa.Column("is_up", Flag, primary_key=True, autoincrement=False),
    sa.Column("rank", Int64, primary_key=True, autoincrement=False),
    sa.Column("shares", Int64, nullable=False),
    clustered=True,
)

#: What no order may do for the owner of another, whose account it does not lock: pay out what is owed, and, of a fill,
#: the profit chart, the notice and the count of who traded. The transaction that does it under the account's
#: lock deletes the row.
order_dues = table(
    "order_dues",
    own_id(),
    sa.Column("pool_id", Int64, nullable=False),
    sa.Column("order_id", Int64, sa.ForeignKey("limit_orders.id"), nullable=False),
    sa.Column("user_id", Int64, nullable=False),
    #: The fill; NULL of an end.
    sa.Column("trade_id", Int64),
    #: Of a fill that sold: its profit, and whether it closed the position.
    sa.Column("pnl_kopecks", Int64),
    sa.Column("closes", Flag, nullable=False),
    #: Whether the fill was the order's last.
    sa.Column("completes", Flag, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.Index("ix_order_dues_pool", "pool_id", "id"),
)

#: Users whose accounts were deactivated or deleted, until their orders have ended.
order_leavers = table(
    "order_leavers",
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    #: While a process works on it, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)
