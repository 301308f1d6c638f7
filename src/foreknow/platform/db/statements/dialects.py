"""SQLAlchemy's dialects, with one cache of compiled statements for all engines of a process.

SQLAlchemy keeps compiled statements by engine and by dialect object, of which each engine has its own: a process would
compile most statements once for each of the four engines of an SQLite database. Dialects of a kind compile alike, so
here they are equal, and their engines share a cache.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final

from sqlalchemy.dialects import registry
from sqlalchemy.dialects.postgresql.asyncpg import PGDialect_asyncpg
from sqlalchemy.dialects.sqlite.pysqlite import SQLiteDialect_pysqlite
from sqlalchemy.util import LRUCache

#: Schemes of URLs.
SQLITE: Final = "sqlite+foreknow"
POSTGRES: Final = "postgresql+foreknow"
#: Compiled statements that are kept.
STATEMENTS = 1_500


class SqliteDialect(SQLiteDialect_pysqlite):
    """SQLite through the driver of the standard library."""

    supports_statement_cache = True

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


class PostgresDialect(PGDialect_asyncpg):
    """PostgreSQL through asyncpg."""

    supports_statement_cache = True

    async def setup_asyncpg_json_codec(self, conn: Any) -> None:
        """Set up nothing: no column is JSON to the driver, and a codec costs each new connection two exchanges."""

    async def setup_asyncpg_jsonb_codec(self, conn: Any) -> None:
        """Set up nothing, for the same reason."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self)

    def __hash__(self) -> int:
        return hash(type(self))


for _scheme, _dialect in ((SQLITE, SqliteDialect), (POSTGRES, PostgresDialect)):
    registry.register(_scheme.replace("+", "."), __name__, _dialect.__name__)

_COMPILED: Final[LRUCache[Any, Any]] = LRUCache(STATEMENTS)
#: For the execution options of every engine.
SHARED_STATEMENTS: Final[Mapping[str, Any]] = {"compiled_cache": _COMPILED}
