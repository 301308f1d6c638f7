"""Identities at providers, and the states of finished sign-ins."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, table

identities = table(
    "identities",
    #: The provider's issuer URL; its name in the settings may change.
    sa.Column("issuer", Text, primary_key=True),
    #: The user's id at the provider, never reassigned, unlike an address.
    sa.Column("subject", Text, primary_key=True),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False, index=True),
    sa.Column("created_at_ms", Int64, nullable=False),
)

#: Used states, which must not be used again; rows are deleted after the state's expiry.
spent_states = table(
    "spent_states",
    sa.Column("state", Text, primary_key=True),
    sa.Column("expires_at_ms", Int64, nullable=False, index=True),
)
