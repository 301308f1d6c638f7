"""Invitations."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Int64, Text, own_id, table

invitations = table(
    "invitations",
    own_id(),
    #: SHA-256 of the token, which is not stored.
    sa.Column("token_hash", Text, nullable=False, unique=True),
    #: How many accounts may be made with it, and how many were.
    sa.Column("uses", Int64, nullable=False),
    sa.Column("used", Int64, nullable=False, server_default="0"),
    #: NULL: it does not expire; is not withdrawn.
    sa.Column("expires_at_ms", Int64),
    sa.Column("withdrawn_at_ms", Int64),
    #: What each new account is given.
    sa.Column("credit_kopecks", Int64, nullable=False),
    #: Whether each new account becomes a creator.
    sa.Column("creator", Flag, nullable=False),
    sa.Column("note", Text, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.CheckConstraint("used <= uses", name="never_overused"),
)
