"""Keep for whom invitations are, how many were mailed, and which addresses want none."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op
from sqlalchemy.dialects import sqlite

revision = "0114"
down_revision = "0113"

INT64 = sa.BigInteger().with_variant(sqlite.INTEGER(), "sqlite")


def upgrade() -> None:
    """Lead there. No way leads back."""
    op.create_table(
        "invitation_days",
        sa.Column("day", INT64, autoincrement=False, nullable=False),
        sa.Column("invited", INT64, nullable=False),
        sa.Column("reserved", INT64, nullable=False),
        sa.Column("touched_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("day", name=op.f("pk_invitation_days")),
        sqlite_strict=True,
    )
    op.create_table(
        "uninvited_addresses",
        sa.Column("address_hash", sa.Text(), nullable=False),
        sa.Column("created_at_ms", INT64, nullable=False),
        sa.PrimaryKeyConstraint("address_hash", name=op.f("pk_uninvited_addresses")),
        sqlite_strict=True,
    )
    op.add_column("invitations", sa.Column("email", sa.Text(), nullable=True))
    op.add_column("invitations", sa.Column("email_key", sa.Text(), nullable=True))
    op.add_column("invitations", sa.Column("name", sa.Text(), nullable=True))
    op.add_column("invitations", sa.Column("admin_id", INT64, nullable=True))
    op.add_column("invitations", sa.Column("unsent_at_ms", INT64, nullable=True))
    # There are few of them: no server waits for these indexes.
    for name, column in (("ix_invitations_email_key", "email_key"), ("ix_invitations_mailed", "id")):
        rows = sa.text("email_key IS NOT NULL")
        op.create_index(name, "invitations", [column], sqlite_where=rows, postgresql_where=rows)
