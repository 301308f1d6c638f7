"""Who somebody is at a provider, and which sign-ins have come back."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.db.metadata import Int64, Text, table

identities = table(
    "identities",
    #: The provider as ID tokens name it; its name in the settings may change.
    sa.Column("issuer", Text, primary_key=True),
    #: Whom the provider means: never given to anybody else there, unlike an address.
    sa.Column("subject", Text, primary_key=True),
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), nullable=False, index=True),
    sa.Column("created_at_ms", Int64, nullable=False),
)

#: States that came back, so that none comes back twice; rows are swept out once the state would be too old anyway.
spent_states = table(
    "spent_states",
    sa.Column("state", Text, primary_key=True),
    sa.Column("expires_at_ms", Int64, nullable=False, index=True),
)
