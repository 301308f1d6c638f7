"""Pools and days in which the house's own trader has traded."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Json, table

house_pools = table(
    "house_pools",
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), primary_key=True, autoincrement=False),
    #: Stakes less payouts of sales.
    sa.Column("spent_kopecks", Int64, nullable=False),
    #: Its positions that are open, or were when the pool was settled, but for those that splits made. Only the release
    #: before reads them.
    sa.Column("position_ids", Json, nullable=False),
)

#: What it has spent in all pools together, by UTC day. Its account's lock keeps two transactions from one row.
house_days = table(
    "house_days",
    #: Days since 1970-01-01, of its trades' `created_at`.
    sa.Column("day", Int64, primary_key=True, autoincrement=False),
    #: Stakes less payouts of sales; below 0 where it sold more than it bought.
    sa.Column("spent_kopecks", Int64, nullable=False),
)
