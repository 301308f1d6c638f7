"""The ledger's tables, used by `foreknow.money.ledger` only (enforced by import-linter)."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Bytes, Int64, Text, own_id, partial_index, table

accounts = table(
    "accounts",
    own_id(),
    sa.Column("kind", Text, nullable=False),
    #: Id of the user, partner or pool that owns the money; 0 for the house.
    sa.Column("owner_id", Int64, nullable=False),
    sa.Column("balance_kopecks", Int64, nullable=False),
    #: Of a trader: the newest trade, from which the older ones follow (`trades.previous_trade_id`).
    sa.Column("last_trade_id", Int64),
    sa.CheckConstraint("balance_kopecks >= 0 OR kind = 'house'", name="never_below_zero"),
    sa.UniqueConstraint("kind", "owner_id"),
)

#: Double entry: one row debits `source` and credits `target` with the same positive amount.
transfers = table(
    "transfers",
    own_id(),
    sa.Column("kind", Text, nullable=False),
    sa.Column("source_account_id", Int64, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("target_account_id", Int64, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("amount_kopecks", Int64, nullable=False),
    #: The trade, or the settled position, that caused it.
    sa.Column("trade_id", Int64),
    sa.Column("position_id", Int64),
    #: The limit order whose hold, return or fill it is; NULL for all others.
    sa.Column("order_id", Int64),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: Of a credit or debit, as its admin wrote it; what a grant is for; NULL for all others.
    sa.Column("note", Text),
    sa.CheckConstraint("amount_kopecks > 0", name="positive"),
    sa.CheckConstraint("source_account_id <> target_account_id", name="two_sides"),
)
# A person's credits, grants and debits, the holds of their limit orders and what came back of them, and what escrow
# returned. Bets and sales write none of these indexes.
for _kind, _account in (
    ("credit", transfers.c.target_account_id),
    ("grant", transfers.c.target_account_id),
    ("debit", transfers.c.source_account_id),
    ("return", transfers.c.source_account_id),
    ("order", transfers.c.source_account_id),
    ("order_return", transfers.c.target_account_id),
):
    _of_kind = transfers.c.kind == sa.literal_column(f"'{_kind}'")
    partial_index(f"ix_transfers_{_kind}s", _account, transfers.c.id, where=_of_kind)
# A position is paid at most once, whatever the code does.
partial_index(
    "uq_transfers_settled_position", transfers.c.position_id, where=transfers.c.position_id.is_not(None), unique=True
)

idempotency_keys = table(
    "idempotency_keys",
    #: The caller: `user:7`, `partner:3`.
    sa.Column("scope", Text, primary_key=True),
    sa.Column("key", Text, primary_key=True),
    #: SHA-256 of method, decoded path and body.
    sa.Column("fingerprint", Text, nullable=False),
    sa.Column("status", Int64, nullable=False),
    sa.Column("body", Bytes, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
)
