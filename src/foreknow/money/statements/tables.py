"""Movements of partners' money, and their totals."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, own_id, partial_index, table

partner_transactions = table(
    "partner_transactions",
    own_id(),
    sa.Column("partner_id", Int64, sa.ForeignKey("partners.id"), nullable=False),
    #: bet, sale, settlement, deposit, payout, withdrawal, order, order_return, basket
    sa.Column("type", Text, nullable=False),
    sa.Column("user_id", Int64),
    sa.Column("external_user_id", Text),
    sa.Column("market_id", Int64),
    sa.Column("trade_id", Int64),
    #: Of a limit order's lines.
    sa.Column("order_id", Int64),
    #: Of a basket's one line.
    sa.Column("basket_id", Int64),
    sa.Column("float_change_kopecks", Int64, nullable=False),
    sa.Column("balance_change_kopecks", Int64, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.Index("ix_partner_transactions_partner_id_id", "partner_id", "id"),
    # For the filters of a statement: each type is a list of its own, in the order of time.
    sa.Index("ix_partner_transactions_by_type", "partner_id", "type", "created_at_ms", "id"),
)
_HAS_USER = partner_transactions.c.user_id.is_not(None)
partial_index(
    "ix_partner_transactions_by_user",
    partner_transactions.c.user_id,
    partner_transactions.c.type,
    partner_transactions.c.created_at_ms,
    partner_transactions.c.id,
    where=_HAS_USER,
)

#: One row per partner with transactions: the sum of its balance_change_kopecks, and what orders of its users hold.
statement_totals = table(
    "statement_totals",
    sa.Column("partner_id", Int64, sa.ForeignKey("partners.id"), primary_key=True, autoincrement=False),
    sa.Column("users_balance_kopecks", Int64, nullable=False),
    sa.Column("held_kopecks", Int64, nullable=False, server_default="0"),
    sa.CheckConstraint("users_balance_kopecks >= 0", name="never_below_zero"),
)
