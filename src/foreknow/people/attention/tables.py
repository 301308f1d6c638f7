"""What waits for a person."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, own_id, partial_index, table

attention = table(
    "attention",
    own_id(),
    #: resolution, series, odds, payment, webhook, suggestion, email, overdue or objection
    sa.Column("kind", Text, nullable=False),
    sa.Column("event_id", Int64),
    sa.Column("pool_id", Int64),
    sa.Column("series_id", Int64),
    #: A partner's name, which never changes.
    sa.Column("partner", Text),
    sa.Column("reason", Text, nullable=False),
    sa.Column("since_ms", Int64, nullable=False),
    #: When no person was needed any more.
    sa.Column("closed_at_ms", Int64),
    #: What it is about, such as `resolution:pool:7`: at most one entry a subject is open.
    sa.Column("subject", Text, nullable=False),
    #: When the operators' alert was written; NULL: it is still to be.
    sa.Column("alerted_at_ms", Int64),
)
OPEN = attention.c.closed_at_ms.is_(None)
partial_index("uq_attention_open_subject", attention.c.subject, where=OPEN, unique=True)
partial_index("ix_attention_open", attention.c.id, where=OPEN)
UNALERTED = sa.and_(OPEN, attention.c.alerted_at_ms.is_(None))
# Looked at every second by every process.
partial_index("ix_attention_unalerted", attention.c.id, where=UNALERTED)
