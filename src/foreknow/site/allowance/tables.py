"""Which period's allowance is paid, and how far."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Flag, Int64, Json, table

#: One row, with the number 1, from the first allowance that is set until one is set no more.
allowances = table(
    "allowances",
    sa.Column("number", Int64, primary_key=True, autoincrement=False),
    #: Terms of the present period; NULL where it has none.
    sa.Column("terms", Json),
    #: Terms of the next one, as they were set last; NULL for none.
    sa.Column("next_terms", Json),
    #: The present period, until the next one begins.
    sa.Column("start_ms", Int64, nullable=False),
    sa.Column("end_ms", Int64, nullable=False),
    #: Users up to this id have what they get in this period.
    sa.Column("paid_through_id", Int64, nullable=False),
    sa.Column("is_paid", Flag, nullable=False),
)
