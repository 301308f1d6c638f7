"""Partners' webhooks, their secrets and their cursors."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, own_id, table

webhooks = table(
    "webhooks",
    sa.Column("partner_id", Int64, sa.ForeignKey("partners.id"), primary_key=True, autoincrement=False),
    sa.Column("url", Text, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: The last line of the statement that was delivered.
    sa.Column("line_id", Int64, nullable=False),
    #: Pools resolved from this moment on are to be delivered, but those of `webhook_pools`.
    sa.Column("pools_from_ms", Int64, nullable=False),
    #: Verdicts given from this moment on likewise, but those of `webhook_decisions`.
    sa.Column("decisions_from_ms", Int64, nullable=False, server_default="0"),
    #: When it may be tried; while a process delivers, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False, index=True),
    #: Failures since the last delivery.
    sa.Column("failures", Int64, nullable=False, server_default="0"),
    sa.Column("failing_since_ms", Int64),
    #: Why the last attempt failed; "" if it did not.
    sa.Column("reason", Text, nullable=False, server_default=""),
    sa.Column("delivered_at_ms", Int64),
    #: Of lines that are posted again: the last that was, and the last that is to be. NULL while none are.
    sa.Column("resent_id", Int64),
    sa.Column("resend_until_id", Int64),
)

webhook_secrets = table(
    "webhook_secrets",
    own_id(),
    sa.Column("partner_id", Int64, sa.ForeignKey("partners.id"), nullable=False, index=True),
    #: As it signs: a hash would not do.
    sa.Column("secret", Text, nullable=False),
    #: When it stops to sign; NULL for the newest.
    sa.Column("ends_at_ms", Int64),
)

#: Delivered pools of the time that is looked through again, since a transaction may commit after its own clock.
webhook_pools = table(
    "webhook_pools",
    sa.Column("partner_id", Int64, sa.ForeignKey("partners.id"), primary_key=True, autoincrement=False),
    sa.Column("pool_id", Int64, primary_key=True, autoincrement=False),
    sa.Column("resolved_at_ms", Int64, nullable=False),
    clustered=True,
)

#: Delivered verdicts of that time, likewise.
webhook_decisions = table(
    "webhook_decisions",
    sa.Column("partner_id", Int64, sa.ForeignKey("partners.id"), primary_key=True, autoincrement=False),
    sa.Column("decision_id", Int64, primary_key=True, autoincrement=False),
    sa.Column("decided_at_ms", Int64, nullable=False),
    clustered=True,
)
