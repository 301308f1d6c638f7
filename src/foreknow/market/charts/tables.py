"""Charts: written in the trade's transaction, never computed by scanning trades."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Bytes, Int64, table

#: A pool's prices at the end of each time bucket in which they changed, for its four charts.
chart_buckets = table(
    "chart_buckets",
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), primary_key=True),
    sa.Column("step_ms", Int64, primary_key=True),
    #: The bucket's end: Unix milliseconds divided by step_ms, rounded up.
    sa.Column("bucket", Int64, primary_key=True),
    #: One little-endian double per market.
    sa.Column("probabilities", Bytes, nullable=False),
    clustered=True,
)

#: A pool's whole history, downsampled: every stride-th trade.
life_points = table(
    "life_points",
    sa.Column("pool_id", Int64, sa.ForeignKey("pools.id"), primary_key=True),
    #: 0 is the prior at publication, n the n-th trade.
    sa.Column("ordinal", Int64, primary_key=True),
    sa.Column("at_ms", Int64, nullable=False),
    sa.Column("probabilities", Bytes, nullable=False),
    clustered=True,
)

#: A trader's cumulative realized profit, downsampled: every stride-th sale or settled position, counted from 0.
pnl_points = table(
    "pnl_points",
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True),
    sa.Column("ordinal", Int64, primary_key=True),
    sa.Column("at_ms", Int64, nullable=False),
    sa.Column("pnl_kopecks", Int64, nullable=False),
    clustered=True,
)

#: The newest point of every trader's PnL chart, and how many positions they have closed.
pnl_totals = table(
    "pnl_totals",
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True),
    sa.Column("ordinal", Int64, nullable=False),
    sa.Column("at_ms", Int64, nullable=False),
    sa.Column("pnl_kopecks", Int64, nullable=False),
    #: NULL where they were never counted.
    sa.Column("closed_positions", Int64),
    #: `ordinal`, unless a release that does not count closed positions has written points since.
    sa.Column("closed_ordinal", Int64),
)
