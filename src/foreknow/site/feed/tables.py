"""The order of trades that several processes commit."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, table

#: PostgreSQL only: trades in the order in which the leader numbered them. On SQLite the trades' ids are that order.
feed_order = table(
    "feed_order",
    sa.Column("seq", Int64, primary_key=True, autoincrement=False),
    sa.Column("trade_id", Int64, nullable=False, unique=True),
)

#: One row: the leader, its lease, and the id up to which all trades are numbered or rolled back.
feed_leader = table(
    "feed_leader",
    sa.Column("id", Int64, primary_key=True, autoincrement=False),
    sa.Column("holder", Text, nullable=False),
    sa.Column("lease_until_ms", Int64, nullable=False),
    sa.Column("complete_through_id", Int64, nullable=False),
)
