"""Pools in which the house's own trader has traded."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.db.metadata import Int64, Json, table

house_pools = table(
    "house_pools",
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), primary_key=True, autoincrement=False),
    #: Stakes less payouts of sales.
    sa.Column("spent_kopecks", Int64, nullable=False),
    #: Its positions that are open, or were when the pool was settled.
    sa.Column("position_ids", Json, nullable=False),
)
