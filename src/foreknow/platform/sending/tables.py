"""Where the database was when it was served last, and whether it may send."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, Text, table
from foreknow.platform.db.transactions import ReadTx

#: One row, from the first start on.
sending = table(
    "sending",
    sa.Column("id", Int64, primary_key=True, autoincrement=False),
    #: `places`; on PostgreSQL followed by the id of the transaction that wrote this row.
    sa.Column("place", Text, nullable=False),
    #: On PostgreSQL the timeline and the address, which may change without a copy; "" on SQLite.
    sa.Column("way", Text, nullable=False),
    #: Since when nothing is sent; NULL where this is the site.
    sa.Column("held_since_ms", Int64),
    #: Why, as operators read it; "" where this is the site.
    sa.Column("reason", Text, nullable=False, server_default=""),
)

#: The id of the row.
ROW_ID = 1
_HELD = sa.exists().where(sending.c.id == ROW_ID, sending.c.held_since_ms.is_not(None))
#: Whether what is to be sent may be claimed; part of the queries of all that send.
SENDS: sa.ColumnElement[bool] = sa.not_(_HELD)
#: For who asks why nothing comes.
HELD_TEXT = "Sending is held: the site was restored from a backup, or this is a copy of it."


def is_held(tx: ReadTx) -> bool:
    """Return whether nothing may be sent."""
    return bool(tx.execute(sa.select(_HELD)).scalar_one())
