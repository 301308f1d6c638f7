"""Keep nicknames apart by their looks."""

from __future__ import annotations

from foreknow.platform.db.migrations.operations import add_index

revision = "0103"
down_revision = "0102"


def upgrade() -> None:
    """Lead there. No way leads back."""
    add_index("ix_users_nickname_skeleton", "users", ["nickname_skeleton"], unique=True)
