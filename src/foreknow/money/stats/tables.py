"""Statistics by day, added up with each transaction, so that no query has to scan trades."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, table


def _sum(name: str) -> sa.Column[int]:
    return sa.Column(name, Int64, nullable=False, server_default="0")


#: A UTC day is the sum of its slots. Each PostgreSQL connection has its own slot, so that concurrent transactions do
#: not wait for each other's row.
stats_days = table(
    "stats_days",
    #: Days since 1970-01-01.
    sa.Column("day", Int64, primary_key=True, autoincrement=False),
    sa.Column("slot", Int64, primary_key=True, autoincrement=False),
    #: People who signed up; sub-accounts do not.
    _sum("sign_ups"),
    #: Users and sub-accounts that traded that day, and those that traded for the first time.
    _sum("traders"),
    _sum("new_traders"),
    #: Stakes plus payouts of sales.
    _sum("volume_kopecks"),
    _sum("fees_kopecks"),
    #: Growth of open interest: shares bought less shares sold and settled.
    _sum("open_interest_change_kopecks"),
    #: Of pools settled that day: money returned from escrow less the loss bounds the house had paid in.
    _sum("settlement_result_kopecks"),
    #: Granted to users, less what deleted ones forfeited.
    _sum("grants_kopecks"),
)

#: All traders, and the newest UTC day on which they traded.
stats_traders = table(
    "stats_traders",
    sa.Column("user_id", Int64, sa.ForeignKey("users.id"), primary_key=True, autoincrement=False),
    sa.Column("last_day", Int64, nullable=False),
)
