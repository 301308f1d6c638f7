"""PostgreSQL with a synchronous standby: hearing of commits that did not reach it.

A commit waits for the standby. Where that wait is cancelled (`pg_cancel_backend`, an operator who gives up on a lost
standby), PostgreSQL has committed on this one machine, says so in a warning, and reports success all the same. If that
machine is lost next, so is the commit. Hence it is not answered as done: its fate is unknown.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from sqlalchemy.ext.asyncio import AsyncEngine

#: A warning without a class of its own. Nothing else gives one in answer to COMMIT: the text may be in any language.
WARNING = "01000"
_HEARD = "foreknow_warning"


class NotReplicated(Exception):
    """The commit is on the primary's disk and perhaps nowhere else; its text is what PostgreSQL said."""


def hear_warnings(engine: AsyncEngine) -> None:
    """Let every connection of `engine` keep the last such warning it was sent."""

    @sa.event.listens_for(engine.sync_engine, "connect")
    def listen(connection: Any, record: Any) -> None:
        def keep(_connection: Any, message: Any) -> None:
            if message.sqlstate == WARNING:
                record.info[_HEARD] = str(message)

        # asyncpg has it called before whoever waits for the command's end goes on: it schedules both in the order of
        # the messages, and the warning comes first.
        connection.driver_connection.add_log_listener(keep)


def forget_warnings(tx: sa.Connection) -> None:
    """Forget what was heard before the commit that follows."""
    tx.info.pop(_HEARD, None)


def check_replicated(tx: sa.Connection) -> None:
    """Raise `NotReplicated` if the commit just reported was not waited for to its end."""
    heard = tx.info.pop(_HEARD, None)
    if heard is not None:
        raise NotReplicated(heard)
