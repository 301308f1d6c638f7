"""Detects commits that did not reach PostgreSQL's synchronous standby.

A commit waits for the standby. If that wait is cancelled (`pg_cancel_backend`, an operator who gives up on a lost
standby), PostgreSQL has committed on the primary only, sends a warning, and still reports success. Losing the primary
would then lose the commit, so its outcome is reported as unknown.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

#: SQLSTATE of a generic warning. COMMIT causes no other one; its text cannot be matched, being localised.
WARNING = "01000"
_WARNING_KEY = "foreknow_warning"


class NotReplicated(Exception):
    """The commit is on the primary's disk and perhaps nowhere else; the text is PostgreSQL's warning."""


def record_warnings(engine: AsyncEngine) -> None:
    """Store the last such warning of each connection of `engine`."""

    @sa.event.listens_for(engine.sync_engine, "connect")
    def listen(connection: Any, record: Any) -> None:
        def store(_connection: Any, message: Any) -> None:
            if message.sqlstate == WARNING:
                record.info[_WARNING_KEY] = str(message)

        # Runs before the command's caller resumes: asyncpg schedules both in the order of the messages, and the
        # warning comes first.
        connection.driver_connection.add_log_listener(store)


def clear_warnings(tx: sa.Connection) -> None:
    """Drop warnings from before the commit that follows."""
    tx.info.pop(_WARNING_KEY, None)


def check_replicated(tx: sa.Connection) -> None:
    """Raise `NotReplicated` if the standby has not confirmed the commit just reported."""
    warning = tx.info.pop(_WARNING_KEY, None)
    if warning is not None:
        raise NotReplicated(warning)
