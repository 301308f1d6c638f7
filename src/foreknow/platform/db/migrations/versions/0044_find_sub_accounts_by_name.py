"""Find a partner's sub-accounts by the beginning of their names, on PostgreSQL: SQLite has an index that serves it."""

from __future__ import annotations

from alembic import op

from foreknow.platform.db.migration_ops import add_index

revision = "0044"
down_revision = "0043"


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    if op.get_context().dialect.name == "postgresql":
        add_index(
            "ix_users_external_user_id",
            "users",
            ["partner_id", "external_user_id"],
            where="partner_id IS NOT NULL",
            operators={"external_user_id": "text_pattern_ops"},
        )
