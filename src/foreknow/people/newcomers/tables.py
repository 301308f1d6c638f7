"""Who has been granted what newcomers get, and who waits for it."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Int64, Text, table

#: `user:7` and `email:…` (a keyed hash) of each grant that was made, after its note: `Welcome user:7`. Kept for ever, a
#: deleted account's too; nothing links a user's row to the address's.
newcomer_grants = table("newcomer_grants", sa.Column("granted", Text, primary_key=True), clustered=True)

#: How many newcomers of a network address (a keyed hash) were granted something on a UTC day. Later days delete the
#: rows of earlier ones.
newcomer_networks = table(
    "newcomer_networks",
    #: Days since 1970-01-01.
    sa.Column("day", Int64, primary_key=True, autoincrement=False),
    sa.Column("network", Text, primary_key=True),
    sa.Column("newcomers", Int64, nullable=False),
    clustered=True,
)

#: Newcomers who are granted something once their e-mail address is verified.
waiting_newcomers = table(
    "waiting_newcomers",
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    sa.Column("is_invited", Flag, nullable=False),
    sa.Column("invitation_kopecks", Int64, nullable=False),
    #: What was set when they came; NULL in rows of older releases.
    sa.Column("welcome_kopecks", Int64),
)
