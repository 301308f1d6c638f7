"""Pools that are scored, and what people earned by period."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Float64, Int64, Text, partial_index, table
from foreknow.platform.jobs import Cursor, JobTable

#: One row: all pools with forecasts that became final before a moment have a row in `forecast_scorings`, and who said
#: something before the other has been asked whether they still think so.
score_cursor = table(
    "score_cursor",
    sa.Column("id", Int64, primary_key=True, autoincrement=False),
    sa.Column("final_since_ms", Int64, nullable=False, server_default="0"),
    sa.Column("old_since_ms", Int64, nullable=False, server_default="0"),
    sa.Column("old_since_id", Int64, nullable=False, server_default="0"),
)
CURSOR = Cursor(score_cursor)

#: Final pools with one winner and forecasts. A row stays: `due_at_ms` is NULL once all are scored.
forecast_scorings = table(
    "forecast_scorings",
    sa.Column("pool_id", Int64, primary_key=True, autoincrement=False),
    #: While a process works on it, the end of the lease.
    sa.Column("due_at_ms", Int64, index=True),
    sa.Column("attempts", Int64, nullable=False, server_default="0"),
    #: Whether the fifth trader counts, rather than the fifth forecaster: whether there was trading when it was found.
    sa.Column("trading", Flag, nullable=False),
)
#: After the death of a process another goes on this much later.
LEASE_MS = 10_000
SCORINGS = JobTable(
    forecast_scorings.c.pool_id, forecast_scorings.c.due_at_ms, lease_ms=LEASE_MS, claims=forecast_scorings.c.attempts
)

#: A row each person who ever said something of a pool that became final with one winner.
forecast_scores = table(
    "forecast_scores",
    sa.Column("user_id", Int64, primary_key=True, autoincrement=False),
    sa.Column("pool_id", Int64, primary_key=True, autoincrement=False),
    #: NULL where nothing counted, or who it is takes no part.
    sa.Column("score", Float64),
    #: The part of T that counted; NULL likewise.
    sa.Column("coverage", Float64),
    clustered=True,
)

#: What people earned by period, as `site/activity` has periods.
forecast_sums = table(
    "forecast_sums",
    sa.Column("period", Text, primary_key=True),
    sa.Column("number", Int64, primary_key=True, autoincrement=False),
    sa.Column("user_id", Int64, primary_key=True, autoincrement=False),
    #: The sum over events of scores, divided by the event's pools, in 10⁻⁹: equal ones are equal.
    sa.Column("score", Int64, nullable=False),
    #: Pools with a score.
    sa.Column("pools", Int64, nullable=False),
    sa.Index("ix_forecast_sums_user_id", "user_id"),
    clustered=True,
)
#: A score in `forecast_sums`.
SUM_UNIT = 10**9
#: Fewer scored pools have no place on a board.
POOLS_MIN = 10
_IS_RANKED = forecast_sums.c.pools >= sa.literal_column(str(POOLS_MIN))
partial_index(
    "ix_forecast_sums_score",
    forecast_sums.c.period,
    forecast_sums.c.number,
    forecast_sums.c.score,
    forecast_sums.c.pools,
    forecast_sums.c.user_id,
    where=_IS_RANKED,
)
