"""Where a database is: what no copy of it and no restored one has in common with it.

SQLite: the file's inode and birth, which a move within a file system keeps and every copy changes. PostgreSQL: the
cluster's identifier, the database's number, and the transaction that wrote the row, which only a physical copy keeps;
then the cluster's timeline, which archive recovery (and a failover) ends, and the address that the service is given.
"""

from __future__ import annotations

import ctypes
import os
import struct
import sys
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa

from foreknow.platform.db.postgres.connections import parse_database_url, servers_of
from foreknow.platform.db.transactions import ReadTx

#: Of a statx: AT_FDCWD, STATX_BTIME, and where the mask and the birth lie in the 256 bytes of its answer.
_AT_FDCWD = -100
_STATX_BTIME = 0x800
_STATX_BYTES = 256
_BIRTH_AT = 80

_POSTGRES = sa.text(
    "SELECT (SELECT system_identifier FROM pg_control_system()) || '/' || oid,"
    # Only a primary has one; of a server that recovers, the service says that it is unavailable.
    " CASE WHEN pg_is_in_recovery() THEN '' ELSE substr(pg_walfile_name(pg_current_wal_insert_lsn()), 1, 8) END"
    " FROM pg_database WHERE datname = current_database()"
)


@dataclass(frozen=True, slots=True)
class Place:
    """Where a database is. `timeline` and `address` are PostgreSQL's, "" on SQLite."""

    name: str
    timeline: str = ""
    address: str = ""

    @property
    def way(self) -> str:
        """What may change without a copy."""
        return f"{self.timeline} {self.address}".strip()

    @property
    def seen_as(self) -> str:
        """Under what a machine remembers the database: it knows nothing of timelines."""
        return f"{self.name} {self.address}"


def place_of(tx: ReadTx, url: str) -> Place:
    """Return where the database at `url` is."""
    parts = parse_database_url(url)
    if tx.dialect.name == "sqlite":
        return Place(_file(Path(parts.database or "")))
    name, timeline = tx.execute(_POSTGRES).one()
    return Place(name, timeline, f"{servers_of(parts)}/{parts.database}")


def _file(path: Path) -> str:
    return f"{path.stat().st_ino}/{_birth_ns(path)}"


def _birth_ns(path: Path) -> int:
    """Return when a file was made, in Unix nanoseconds; 0 where the system or the file system does not know."""
    if sys.platform != "linux":
        return int(getattr(path.stat(), "st_birthtime_ns", 0))
    # Python's own functions do not ask for it (3.15 does).
    answer = ctypes.create_string_buffer(_STATX_BYTES)
    try:
        failed = ctypes.CDLL(None).statx(_AT_FDCWD, os.fsencode(path), 0, _STATX_BTIME, answer)
    except AttributeError:
        return 0
    (mask,) = struct.unpack_from("=I", answer)
    seconds, nanoseconds = struct.unpack_from("=qI", answer, _BIRTH_AT)
    return 0 if failed or not mask & _STATX_BTIME else seconds * 10**9 + nanoseconds
