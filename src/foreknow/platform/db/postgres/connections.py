"""Connections to PostgreSQL that detect a dead server: one that lost power or its network.

Such a server neither refuses nor closes a connection, so a statement would wait for 15 minutes or for ever. TCP
keep-alive drops the connection instead, and the statement fails as on any other lost connection.
"""

from __future__ import annotations

import functools
import socket
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import asyncpg
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from foreknow.platform.db.statements.dialects import POSTGRES, SHARED_STATEMENTS


@dataclass(frozen=True, slots=True)
class ServerTimeouts:
    """Longest silence of a server: while connecting, and on an open connection.

    On an open connection the server's TCP stack must respond; the statement may take longer. Linux also drops a
    connection whose server has left data unacknowledged for `silence_s`.
    """

    connect_s: float = 5.0
    silence_s: float = 10.0


TIMEOUTS = ServerTimeouts()
POSTGRES_PORT = 5432
#: Start of the note on a failure to connect; the address follows.
UNREACHED = "the database at "


def postgres_url(url: str) -> URL:
    """Return `postgresql://…` as SQLAlchemy's URL for asyncpg."""
    return make_url(url).set(drivername=POSTGRES)


def postgres_engine(
    url: str,
    *,
    timeouts: ServerTimeouts = TIMEOUTS,
    lock_s: float | None = None,
    execution_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> AsyncEngine:
    """Return an engine for `postgresql://…` with SQLAlchemy's `options`; it connects lazily.

    `lock_s` limits how long a statement waits for a lock; a transaction may set another limit.
    """
    return create_async_engine(
        postgres_url(url),
        # Keeps parameters out of errors and logs: they hold addresses, hashes and stored responses.
        hide_parameters=True,
        execution_options={**SHARED_STATEMENTS, **(execution_options or {})},
        connect_args={"async_creator_fn": functools.partial(connect, timeouts=timeouts, lock_s=lock_s)},
        **options,
    )


async def connect(*, timeouts: ServerTimeouts = TIMEOUTS, lock_s: float | None = None, **arguments: Any) -> Any:
    """Connect with asyncpg; raises its exceptions and `TimeoutError`."""
    try:
        connection = await asyncpg.connect(
            **arguments,
            timeout=timeouts.connect_s,
            # A batch of orders has few statements, but long ones, and never stops to need them.
            max_cached_statement_lifetime=0,
            max_cacheable_statement_size=0,
        )
    except OSError as failure:
        # "Connect call failed" alone does not name the address.
        failure.add_note(f"{UNREACHED}{arguments.get('host')}:{arguments.get('port') or POSTGRES_PORT}")
        raise
    transport = connection._transport  # noqa: SLF001 # asyncpg has no public way to its socket, nor options for it
    _enable_keepalive(transport.get_extra_info("socket"), timeouts)
    if lock_s is not None:
        # Once a session, at no cost to transactions; not a startup parameter, which pgbouncer would refuse.
        try:
            await connection.execute(f"SET lock_timeout = {round(lock_s * 1000)}", timeout=timeouts.connect_s)
        except BaseException:  # cancellation included: no caller has the connection yet
            connection.terminate()
            raise
    return connection


def _enable_keepalive(connected: socket.socket, timeouts: ServerTimeouts) -> None:
    if connected.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    options = {
        # Idle for half the time, then three probes in the other half.
        "TCP_KEEPIDLE": max(1, round(timeouts.silence_s / 2)),
        "TCP_KEEPINTVL": max(1, round(timeouts.silence_s / 6)),
        "TCP_KEEPCNT": 3,
        # Linux: limit for unacknowledged data; without it, the kernel retransmits for minutes.
        "TCP_USER_TIMEOUT": round(timeouts.silence_s * 1000),
    }
    for name, setting in options.items():
        # Some systems lack some of them.
        if (option := getattr(socket, name, None)) is not None:
            connected.setsockopt(socket.IPPROTO_TCP, option, setting)
