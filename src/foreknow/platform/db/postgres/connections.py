"""Connections to PostgreSQL that detect a dead server: one that lost power or its network.

Such a server neither refuses nor closes a connection, so a statement would wait for 15 minutes or for ever. TCP
keep-alive drops the connection instead, and the statement fails as on any other lost connection. Of several servers, a
primary and its standbys, the first that may be used is connected to.
"""

from __future__ import annotations

import functools
import socket
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

import asyncpg
from asyncpg.exceptions import TargetServerAttributeNotMatched
from sqlalchemy.engine import URL, make_url
from sqlalchemy.ext.asyncio import AsyncEngine, create_async_engine

from foreknow.platform.db.statements.dialects import POSTGRES, SHARED_STATEMENTS


@dataclass(frozen=True, slots=True)
class ServerTimeouts:
    """Longest silence of a server: while connecting, and on an open connection.

    On an open connection the server's TCP stack must respond; the statement may take longer. Linux also drops a
    connection whose server has left data unacknowledged for `silence_s`.
    """

    connect_s: float = 4.0
    silence_s: float = 4.0


TIMEOUTS = ServerTimeouts()
POSTGRES_PORT = 5432
#: Start of the note on a failure to connect; the address follows.
UNREACHED = "the database at "
Connect = Callable[..., Coroutine[Any, Any, Any]]
#: host, port.
DatabaseServer = tuple[str, int]
#: By the servers of a URL, which of them was used last: it is asked first.
_used_last: dict[tuple[DatabaseServer, ...], DatabaseServer] = {}


def parse_database_url(url: str) -> URL:
    """Return the parts of a database's URL; raises `ValueError` and SQLAlchemy's `ArgumentError`.

    Several servers, which libpq's form separates by commas (`postgresql://a:5432,b:5432/name`), are in its query as
    `host` and `port`, which libpq and SQLAlchemy both understand.
    """
    scheme, _, rest = url.partition("://")
    netloc, slash, tail = rest.partition("/")
    user, at, hosts = netloc.rpartition("@")
    if scheme != "postgresql" or "," not in hosts:
        return make_url(url)
    servers = [urlsplit(f"//{host}") for host in hosts.split(",")]
    names = [server.hostname or "" for server in servers]
    if not all(names):
        raise ValueError("a server has no name")
    ports = [str(server.port or POSTGRES_PORT) for server in servers]
    parts = make_url(f"{scheme}://{user}{at}{slash}{tail}")
    # A standby does not serve who writes.
    query = {"target_session_attrs": "read-write", **parts.query, "host": ",".join(names), "port": ",".join(ports)}
    return parts.set(query=query)


def servers_of(parts: URL) -> str:
    """Return the servers of a URL as `host:port`, several with commas between them; "" where there is none."""
    hosts, ports = parts.query.get("host"), parts.query.get("port")
    if isinstance(hosts, str) and isinstance(ports, str):
        return ",".join(map(":".join, zip(hosts.split(","), ports.split(","), strict=False)))
    return f"{parts.host}:{parts.port or POSTGRES_PORT}" if parts.host else ""


def postgres_url(url: str) -> URL:
    """Return `postgresql://…` as SQLAlchemy's URL for asyncpg."""
    return parse_database_url(url).set(drivername=POSTGRES)


def postgres_engine(
    url: str,
    *,
    creator: Connect | None = None,
    timeouts: ServerTimeouts = TIMEOUTS,
    lock_s: float | None = None,
    execution_options: Mapping[str, Any] | None = None,
    **options: Any,
) -> AsyncEngine:
    """Return an engine for `postgresql://…` with SQLAlchemy's `options`; it connects lazily.

    `creator` is called in the place of `connect`. `lock_s` limits how long a statement waits for a lock; a transaction
    may set another limit.
    """
    return create_async_engine(
        postgres_url(url),
        # Keeps parameters out of errors and logs: they hold addresses, hashes and stored responses.
        hide_parameters=True,
        execution_options={**SHARED_STATEMENTS, **(execution_options or {})},
        connect_args={"async_creator_fn": functools.partial(creator or connect, timeouts=timeouts, lock_s=lock_s)},
        **options,
    )


async def connect(*, timeouts: ServerTimeouts = TIMEOUTS, lock_s: float | None = None, **arguments: Any) -> Any:
    """Connect with asyncpg; raises its exceptions and `OSError`, of which `TimeoutError` is one."""
    connection = await _connect_to_one(timeouts.connect_s, **arguments)
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


async def _connect_to_one(limit_s: float, **arguments: Any) -> Any:
    """Connect to the first of the servers that may be used, beginning with the one that was used last.

    asyncpg takes several, too, but waits for the first that says nothing until no time is left for the others.
    """
    servers = split_servers(arguments)
    last = _used_last.get(servers)
    failures: list[Exception] = []
    for host, port in sorted(servers, key=lambda server: server != last):
        try:
            connection = await _connect_to(limit_s / len(servers), **(arguments | {"host": host, "port": port}))
        except (OSError, asyncpg.PostgresError) as failure:
            failures.append(failure)
        else:
            if len(servers) > 1:
                _used_last[servers] = (host, port)
            return connection
    # What a server says of itself tells more than that another one does not answer.
    raise next((failure for failure in failures if isinstance(failure, asyncpg.PostgresError)), failures[0])


def split_servers(arguments: Mapping[str, Any]) -> tuple[DatabaseServer, ...]:
    """Return the servers that the arguments of `connect` name."""
    hosts, ports = arguments["host"], arguments.get("port")
    if isinstance(hosts, str):
        return ((hosts, ports or POSTGRES_PORT),)
    return tuple(zip(hosts, ports or (), strict=True))


async def _connect_to(limit_s: float, **arguments: Any) -> Any:
    """Connect to a server; where it is no primary and one is wanted, raise `OSError` as where there is none."""
    try:
        return await asyncpg.connect(
            **arguments,
            timeout=limit_s,
            # A batch of orders has few statements, but long ones, and never stops to need them.
            max_cached_statement_lifetime=0,
            max_cacheable_statement_size=0,
        )
    except TargetServerAttributeNotMatched as failure:
        unusable: OSError = ConnectionRefusedError(str(failure))
        _name(unusable, arguments)
        raise unusable from failure
    except OSError as failure:
        # "Connect call failed" alone does not name the address.
        _name(failure, arguments)
        raise


def _name(failure: OSError, arguments: Mapping[str, Any]) -> None:
    failure.add_note(f"{UNREACHED}{arguments.get('host')}:{arguments.get('port') or POSTGRES_PORT}")


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
