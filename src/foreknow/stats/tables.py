"""Figures a day, added up as things happen, so that nobody ever has to scan trades for them."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.db.metadata import Int64, table


def _sum(name: str) -> sa.Column[int]:
    return sa.Column(name, Int64, nullable=False, server_default="0")


#: A UTC day's figures are the sums over its slots. Each PostgreSQL connection adds to a slot of its own, so that
#: transactions that go on at the same time do not wait for each other's row.
stats_days = table(
    "stats_days",
    #: Days since 1970-01-01.
    sa.Column("day", Int64, primary_key=True, autoincrement=False),
    sa.Column("slot", Int64, primary_key=True, autoincrement=False),
    #: People who signed up; sub-accounts do not.
    _sum("sign_ups"),
    #: Users and sub-accounts that traded that day, and those of them that never had before.
    _sum("traders"),
    _sum("new_traders"),
    #: Stakes plus payouts of sales.
    _sum("volume_kopecks"),
    _sum("fees_kopecks"),
    #: Shares bought less shares sold and settled: by how much the open interest grew.
    _sum("open_interest_change_kopecks"),
    #: Of pools settled that day: what came back from escrow less what the house had paid in.
    _sum("settlement_result_kopecks"),
)

#: Whoever ever traded, and the newest UTC day on which they did.
stats_traders = table(
    "stats_traders",
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    sa.Column("last_day", Int64, nullable=False),
)
