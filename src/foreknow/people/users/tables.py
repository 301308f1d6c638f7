"""Users (people, partners' sub-accounts and the house's own trader alike) and their sessions."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Int64, Json, Text, own_id, partial_index, postgres_index, table

#: `nickname_key` that marks the house's own trader (`trading/house.py`): with its space, no nickname can have it.
HOUSE_TRADER_KEY = "house account"

users = table(
    "users",
    own_id(),
    #: "" for a sub-account.
    sa.Column("email", Text, nullable=False, server_default=""),
    #: The address that takes its place once it is verified; NULL for none.
    sa.Column("email_pending", Text),
    #: The address that is mailed no more notices: its mailbox is dead.
    sa.Column("refused_email", Text),
    #: `schemas.UserLanguage` of mails; NULL: English.
    sa.Column("language", Text),
    #: IANA name of the zone whose days daily mails follow; NULL: UTC.
    sa.Column("time_zone", Text),
    #: `address_key` of the address; NULL for a sub-account.
    sa.Column("email_key", Text, unique=True),
    #: Whether the address is known to be the person's: by a sign-in provider, the command line or a setting.
    sa.Column("email_verified", Flag, nullable=False, server_default=sa.text("false")),
    #: argon2id; NULL for people who sign in through a provider only, and for a sub-account.
    sa.Column("password_hash", Text),
    sa.Column("name", Text, nullable=False),
    sa.Column("nickname", Text, nullable=False, server_default=""),
    #: The case-folded nickname; NULL if none is set.
    sa.Column("nickname_key", Text, unique=True),
    #: Its `skeleton`; NULL if none is set, and where an older one looked alike before skeletons were known.
    sa.Column("nickname_skeleton", Text, unique=True, index=True),
    sa.Column("avatar_url", Text, nullable=False, server_default=""),
    #: The object in the image store behind avatar_url; NULL for an external URL.
    sa.Column("avatar_object", Text),
    sa.Column("profile_hidden", Flag, nullable=False, server_default=sa.text("false")),
    sa.Column("is_creator", Flag, nullable=False, server_default=sa.text("false")),
    sa.Column("is_admin", Flag, nullable=False, server_default=sa.text("false")),
    sa.Column("is_stats_viewer", Flag, nullable=False, server_default=sa.text("false")),
    sa.Column("is_operator", Flag, nullable=False, server_default=sa.text("false")),
    #: The partner of a sub-account; NULL for a person.
    sa.Column("partner_id", Int64, sa.ForeignKey("partners.id")),
    sa.Column("external_user_id", Text),
    #: The ledger account with the balance.
    sa.Column("account_id", Int64, sa.ForeignKey("accounts.id")),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: False: has no session and cannot start one. Always true for sub-accounts.
    sa.Column("is_active", Flag, nullable=False, server_default=sa.text("true")),
    #: The invitation that the account was made with; NULL for none.
    sa.Column("invitation_id", Int64),
    #: The version of the site's terms that was agreed to at sign-up; NULL where there were none.
    sa.Column("terms_version", Text),
    #: When the account was deleted; NULL for one that was not. The row stays for what the person made and traded.
    sa.Column("deleted_at_ms", Int64),
    #: Until when the person may write nothing that others read; NULL: no operator or admin has muted them.
    sa.Column("muted_until_ms", Int64),
    #: Whether comments show what the person held when they wrote them.
    sa.Column("show_holds", Flag, nullable=False, server_default=sa.text("true")),
    #: Whether comments show what the person thought when they wrote them.
    sa.Column("show_forecast", Flag, nullable=False, server_default=sa.text("true")),
    sa.UniqueConstraint("partner_id", "external_user_id"),
    sa.CheckConstraint("(partner_id IS NULL) = (external_user_id IS NULL)", name="whole_sub_account"),
)
#: Neither a partner's sub-account nor the house's own trader, of which users see nothing but their trades. Not
#: `partner_id IS NULL`: SQLite would choose that column's index and read all people for any twenty.
IS_PERSON = sa.and_(
    users.c.external_user_id.is_(None),
    sa.or_(users.c.nickname_key.is_(None), users.c.nickname_key != HOUSE_TRADER_KEY),
)
#: May be mailed notices: with an address that is the person's, and whose mailbox is not dead.
IS_MAILED = sa.and_(
    users.c.is_active, users.c.email_verified, sa.func.coalesce(users.c.refused_email, "") != users.c.email
)
# For the list of people, which must not scan a partner's 200,000 sub-accounts.
partial_index("ix_users_people", users.c.id, where=users.c.external_user_id.is_(None))
# A partner's sub-accounts, newest first, and by the beginning of their names. For that SQLite has the constraint's
# index; PostgreSQL's is in the order of the database's collation, which may part names that begin alike.
_IS_SUB_ACCOUNT = users.c.partner_id.is_not(None)
partial_index("ix_users_sub_accounts", users.c.partner_id, users.c.id, where=_IS_SUB_ACCOUNT)
postgres_index(
    "ix_users_external_user_id",
    users.c.partner_id,
    users.c.external_user_id,
    where=_IS_SUB_ACCOUNT,
    operators={"external_user_id": "text_pattern_ops"},
)

#: Avatars in our storage that no one shows. Each is deleted when it is due, unless its upload ends before: then a
#: person shows it and the row goes.
unused_avatars = table(
    "unused_avatars",
    sa.Column("object", Text, primary_key=True),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False),
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    #: Attempts to delete it. An upload whose object a process has tried to delete has failed.
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
)

sessions = table(
    "sessions",
    own_id(),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False, index=True),
    sa.Column("created_at_ms", Int64, nullable=False),
    sa.Column("expires_at_ms", Int64, nullable=False),
    #: Signed out, or a replaced refresh token was used.
    sa.Column("revoked_at_ms", Int64),
    #: Number of the current refresh token; the tokens themselves are derived, not stored.
    sa.Column("generation", Int64, nullable=False, server_default="0"),
    #: When the current refresh token was issued: every 20 minutes in an active session.
    sa.Column("rotated_at_ms", Int64, nullable=False),
    #: User-Agent of the sign-in, shown to the owner; NULL in rows of older releases.
    sa.Column("user_agent", Text),
    #: "read" or "trade" for the session of an API key, which ends with the key; NULL for a sign-in's.
    sa.Column("key_scope", Text),
)

#: On which UTC days people were active (`users.active_days`).
active_days = table(
    "active_days",
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    #: The newest, in days since 1970-01-01.
    sa.Column("last_day", Int64, nullable=False),
    #: Bits: bit 0 is `last_day`, bit 1 the day before it, up to bit 61.
    sa.Column("days", Int64, nullable=False),
)

#: Users' own API keys. A key is live as long as its session is.
user_keys = table(
    "user_keys",
    own_id(),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False, index=True),
    sa.Column("session_id", Int64, sa.ForeignKey("sessions.id"), nullable=False, unique=True),
    sa.Column("name", Text, nullable=False),
    #: SHA-256 of the key, which is not stored.
    sa.Column("key_hash", Text, nullable=False, unique=True),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: NULL before the first use.
    sa.Column("last_used_at_ms", Int64),
)

#: One row, once a service has started without an admin or there is one: the link with which the first one is made.
first_admin = table(
    "first_admin",
    sa.Column("id", Int64, primary_key=True, autoincrement=False),
    #: SHA-256 of the link's token, which is not stored; NULL: none was made.
    sa.Column("token_hash", Text),
    sa.Column("expires_at_ms", Int64),
    #: Whether there was ever an admin.
    sa.Column("is_made", Flag, nullable=False),
)

#: Password reset links: the newest of each person.
password_resets = table(
    "password_resets",
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    #: SHA-256 of the token, which is not stored.
    sa.Column("token_hash", Text, nullable=False, unique=True),
    sa.Column("expires_at_ms", Int64, nullable=False),
)

#: Failed sign-ins of the last minute by key (`users.login_throttle`); later failures delete older rows.
sign_in_failures = table(
    "sign_in_failures",
    #: `user:7`, `unknown:…` (hash of an unknown login), `login:…`, `network:…` (hash of the network), `device:…`.
    sa.Column("account", Text, primary_key=True),
    #: Unix milliseconds of the newest failures, oldest first; a network's are pairs with the login's tag.
    sa.Column("failed_at_ms", Json, nullable=False),
    sa.Column("last_failed_at_ms", Int64, nullable=False, index=True),
)
