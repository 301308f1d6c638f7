"""The newest backup that `foreknow backup` has made."""

import sqlalchemy as sa

from foreknow.platform.db.metadata import Int64, table

newest_backup = table(
    "newest_backup",
    #: One row, from the first backup on.
    sa.Column("id", Int64, primary_key=True, autoincrement=False),
    sa.Column("finished_at_ms", Int64, nullable=False),
)
