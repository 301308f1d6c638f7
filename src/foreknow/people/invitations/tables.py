"""Invitations."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Int64, Text, own_id, partial_index, table

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
    #: Of one that was mailed: the only address that it is for, its `address_key`, and the name that the form begins
    #: with. NULL for all others, once it is used, and some time after its end.
    sa.Column("email", Text),
    sa.Column("email_key", Text),
    sa.Column("name", Text),
    #: The admin who had it mailed; the admin log has that of all others.
    sa.Column("admin_id", Int64),
    #: When its mail was given up; NULL: it waits, or a server has taken it.
    sa.Column("unsent_at_ms", Int64),
    sa.CheckConstraint("used <= uses", name="never_overused"),
)
HAS_EMAIL = invitations.c.email_key.is_not(None)
partial_index("ix_invitations_email_key", invitations.c.email_key, where=HAS_EMAIL)
partial_index("ix_invitations_mailed", invitations.c.id, where=HAS_EMAIL)

#: How many invitations were mailed on a UTC day; later ones delete older rows.
invitation_days = table(
    "invitation_days",
    #: Days since 1970-01-01.
    sa.Column("day", Int64, primary_key=True, autoincrement=False),
    sa.Column("invited", Int64, nullable=False),
    #: Of lists that are being written, and when a piece of one was written last.
    sa.Column("reserved", Int64, nullable=False),
    sa.Column("touched_at_ms", Int64, nullable=False),
)

#: Addresses that are invited no more, for ever.
uninvited_addresses = table(
    "uninvited_addresses",
    #: A keyed hash of the address (`mailed.InvitationLinks`).
    sa.Column("address_hash", Text, primary_key=True),
    sa.Column("created_at_ms", Int64, nullable=False),
)
