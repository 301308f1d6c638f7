"""The one order of trades, where several processes commit them."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.db.metadata import Int64, Text, table

#: PostgreSQL only: trades in the order in which the leader saw them committed. On SQLite one writer commits at a time,
#: so that the trades' ids are that order already.
feed_order = table(
    "feed_order",
    sa.Column("seq", Int64, primary_key=True, autoincrement=False),
    sa.Column("trade_id", Int64, nullable=False, unique=True),
)

#: One row: who numbers trades, until when, and up to which trade all are numbered or will never come.
feed_leader = table(
    "feed_leader",
    sa.Column("id", Int64, primary_key=True, autoincrement=False),
    sa.Column("holder", Text, nullable=False),
    sa.Column("lease_until_ms", Int64, nullable=False),
    sa.Column("complete_through_id", Int64, nullable=False),
)
