"""What is counted of resolved pools. Sums are whole numbers of `counting.UNIT`, as decimal text: exact at any size."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Json, Text, table
from foreknow.platform.jobs import Cursor

#: One row: all pools that were resolved before a moment are counted.
record_cursor = table(
    "record_cursor",
    sa.Column("id", Int64, primary_key=True, autoincrement=False),
    sa.Column("resolved_since_ms", Int64, nullable=False),
)
CURSOR = Cursor(record_cursor, lambda _tx: {"resolved_since_ms": 0})

#: Pools that are counted, or do not count.
recorded_pools = table("recorded_pools", sa.Column("pool_id", Int64, primary_key=True, autoincrement=False))


def _key() -> tuple[sa.Column[str], sa.Column[str]]:
    #: "" for all tags.
    return sa.Column("tag", Text, primary_key=True), sa.Column("horizon", Text, primary_key=True)


record_sums = table(
    "record_sums",
    *_key(),
    sa.Column("pools", Int64, nullable=False),
    sa.Column("markets", Int64, nullable=False),
    #: Of (p − w)², p at the horizon and at first.
    sa.Column("brier", Text, nullable=False),
    sa.Column("base_brier", Text, nullable=False),
    clustered=True,
)

record_bins = table(
    "record_bins",
    *_key(),
    #: 0 … 9.
    sa.Column("bin", Int64, primary_key=True, autoincrement=False),
    sa.Column("markets", Int64, nullable=False),
    sa.Column("won", Int64, nullable=False),
    #: Of p.
    sa.Column("probability", Text, nullable=False),
    clustered=True,
)

#: The same of what others than the market said: of the crowd, and of people, in one row each.
source_records = table(
    "source_records",
    #: Whose; 0 for the crowd.
    sa.Column("user_id", Int64, primary_key=True, autoincrement=False),
    #: "" for all tags.
    sa.Column("tag", Text, primary_key=True),
    #: By horizon, `sources.SourceSums`.
    sa.Column("sums", Json, nullable=False),
    clustered=True,
)
