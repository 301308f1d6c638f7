"""Partners and their API keys."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, own_id, table

partners = table(
    "partners",
    own_id(),
    sa.Column("name", Text, nullable=False),
    sa.Column("name_key", Text, nullable=False, unique=True),
    sa.Column("float_account_id", Int64, sa.ForeignKey("accounts.id"), nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
)

partner_keys = table(
    "partner_keys",
    own_id(),
    sa.Column("partner_id", Int64, sa.ForeignKey("partners.id"), nullable=False, index=True),
    #: SHA-256 of the key, whose 256 random bits need no salt and no stretching.
    sa.Column("key_hash", Text, nullable=False, unique=True),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.Column("last_used_at_ms", Int64),
    sa.Column("revoked_at_ms", Int64),
)
