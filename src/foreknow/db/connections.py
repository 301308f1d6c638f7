"""Connections to PostgreSQL that notice a server gone silent: one that lost its power, or is cut off by the network.

Such a server refuses nothing and closes nothing, so whoever waits for it would wait for a quarter of an hour, or for
ever. The operating system is told to ask after a connection that says nothing, and to give it up; its statement then
fails like one on any other lost connection.
"""

from __future__ import annotations

import functools
import socket
from dataclasses import dataclass
from typing import Any

import asyncpg
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine


@dataclass(frozen=True, slots=True)
class Timeouts:
    """How long a server may say nothing: while we connect, and on a connection that stands.

    On a connection it is the server's machine that must answer, not its statement, which may take its time. Linux also
    gives up a connection whose server leaves what it was sent unread for `silence_s`.
    """

    connect_s: float = 5.0
    silence_s: float = 10.0


TIMEOUTS = Timeouts()
POSTGRES_PORT = 5432
#: A failure to connect bears a note that begins so and ends with the address.
UNREACHED = "the database at "


def postgres_url(url: str) -> URL:
    """Return `postgresql://…` as SQLAlchemy wants it for our driver."""
    return make_url(url).set(drivername="postgresql+asyncpg")


def postgres_engine(
    url: str, *, patience: Timeouts = TIMEOUTS, lock_s: float | None = None, **options: Any
) -> AsyncEngine:
    """Make an engine for `postgresql://…`, with these options of SQLAlchemy's; nothing is connected yet.

    No statement waits longer than `lock_s` for a lock, unless its transaction says so.
    """
    return create_async_engine(
        postgres_url(url),
        # Parameters stay out of error messages, and so out of logs: they hold addresses, hashes and answers.
        hide_parameters=True,
        connect_args={"async_creator_fn": functools.partial(connect, patience=patience, lock_s=lock_s)},
        **options,
    )


async def connect(*, patience: Timeouts = TIMEOUTS, lock_s: float | None = None, **arguments: Any) -> Any:
    """Connect by asyncpg; raises what it does, `TimeoutError` among it."""
    try:
        connection = await asyncpg.connect(**arguments, timeout=patience.connect_s)
    except OSError as failure:
        # "Connect call failed" alone would not say to whom.
        failure.add_note(f"{UNREACHED}{arguments.get('host')}:{arguments.get('port') or POSTGRES_PORT}")
        raise
    transport = connection._transport  # noqa: SLF001 # asyncpg has no public way to its socket, nor options for it
    _watch(transport.get_extra_info("socket"), patience)
    if lock_s is not None:
        # Once a session, so that it costs a transaction nothing; not with the greeting, which pgbouncer would refuse.
        try:
            await connection.execute(f"SET lock_timeout = {round(lock_s * 1000)}", timeout=patience.connect_s)
        except BaseException:  # whatever it is, nobody else will close it
            connection.terminate()
            raise
    return connection


def _watch(connected: socket.socket, patience: Timeouts) -> None:
    if connected.family not in {socket.AF_INET, socket.AF_INET6}:
        return
    connected.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    options = {
        # Half the time nothing is asked, in the other half three times.
        "TCP_KEEPIDLE": max(1, round(patience.silence_s / 2)),
        "TCP_KEEPINTVL": max(1, round(patience.silence_s / 6)),
        "TCP_KEEPCNT": 3,
        # Linux: what has been sent and is not acknowledged; without it, the system tries again for minutes.
        "TCP_USER_TIMEOUT": round(patience.silence_s * 1000),
    }
    for name, setting in options.items():
        # Not every system has every one.
        if (option := getattr(socket, name, None)) is not None:
            connected.setsockopt(socket.IPPROTO_TCP, option, setting)
