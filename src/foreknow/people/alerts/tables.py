"""The outbox: alerts to be sent, and when each channel is free again."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, own_id, partial_index, table

support_alerts = table(
    "support_alerts",
    own_id(),
    #: Which of the settings' URLs it goes to: a fingerprint, since the URLs hold passwords.
    sa.Column("channel", Text, nullable=False),
    sa.Column("title", Text, nullable=False),
    sa.Column("text", Text, nullable=False),
    sa.Column("created_at_ms", Int64, nullable=False),
    #: Attempts to send it.
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
    #: When it may be sent; while a process sends it, the end of the lease.
    sa.Column("due_at_ms", Int64, nullable=False),
    sa.Column("sent_at_ms", Int64),
    #: Too old to be tried again.
    sa.Column("given_up_at_ms", Int64),
    #: support (a visitor waits; given up after a day) or operator (tried until it is sent).
    sa.Column("kind", Text, nullable=False, server_default="support"),
)
support_channels = table(
    "support_channels",
    #: Fingerprint of one of the settings' URLs.
    sa.Column("channel", Text, primary_key=True),
    #: When the next message may be sent to it; while a process sends one, the end of the lease.
    sa.Column("free_at_ms", Int64, nullable=False),
)
#: Neither sent nor given up.
WAITING = sa.and_(support_alerts.c.sent_at_ms.is_(None), support_alerts.c.given_up_at_ms.is_(None))
# Only what is still to be sent: every process looks here every few seconds.
partial_index("ix_support_alerts_waiting", support_alerts.c.due_at_ms, where=WAITING)
