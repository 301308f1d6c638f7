"""What people were worth at the end of each day, UTC; day n ends at n times `DAY_MS`, that moment included."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, table
from foreknow.platform.jobs import Cursor

#: One row: how far worths are kept.
worth_cursor = table(
    "worth_cursor",
    sa.Column("id", Int64, primary_key=True, autoincrement=False),
    #: Everyone's worths are kept up to this day.
    sa.Column("day", Int64, nullable=False, server_default="0"),
    #: While more are written: up to this day those of people with ids up to `after_id`; 0 in between.
    sa.Column("target_day", Int64, nullable=False, server_default="0"),
    sa.Column("after_id", Int64, nullable=False, server_default="0"),
)
CURSOR = Cursor(worth_cursor)

#: A person's days from that of their first movement on; none for a day at whose end both numbers are as the day before.
#: No foreign key: on PostgreSQL each row would wait for the locks of users that requests hold.
worth_days = table(
    "worth_days",
    sa.Column("user_id", Int64, primary_key=True, autoincrement=False),
    sa.Column("day", Int64, primary_key=True, autoincrement=False),
    #: The balance, what orders hold, and the value of positions.
    sa.Column("worth_kopecks", Int64, nullable=False),
    #: Credits and grants until then, less debits.
    sa.Column("added_kopecks", Int64, nullable=False),
    clustered=True,
)
