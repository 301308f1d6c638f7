"""Name admins by id, where older releases wrote e-mail addresses."""

from __future__ import annotations

from alembic import op

revision = "0067"
down_revision = "0066"

#: Entries changed by a statement.
ROWS = 5_000


def upgrade() -> None:
    """Lead there. No way leads back: the release before this one goes on working on the newer tables."""
    connection = op.get_bind()
    newest = connection.exec_driver_sql("SELECT COALESCE(MAX(id), 0) FROM admin_log").scalar_one()
    for first in range(1, newest + 1, ROWS):
        connection.exec_driver_sql(
            "UPDATE admin_log SET who = 'user:' || user_id WHERE user_id IS NOT NULL AND who <> 'user:' || user_id "  # noqa: S608 # numbers of ours
            f"AND id BETWEEN {first} AND {first + ROWS - 1}"
        )
