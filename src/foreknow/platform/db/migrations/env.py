"""What Alembic runs for every migration: it works on the connection that `foreknow.platform.db.migrate` hands it."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from typing import Any, Literal

import sqlalchemy as sa
from alembic import context
from alembic.autogenerate.api import AutogenContext
from alembic.runtime.migration import MigrationContext, MigrationInfo
from alembic.script import Script

from foreknow.platform.db.metadata import DIALECT, Bytes, Flag, Float64, Int64, Json, Text
from foreknow.platform.db.migrate import remember_oldest_code

log = logging.getLogger("foreknow.db")

#: How the house's column types are written in a migration: by names that its header defines, so that a migration
#: goes on meaning the same when the types change.
_SPELLINGS: dict[type[Any], str] = {
    Flag: "FLAG",
    Json: "sa.Text()",
    type(Int64): "INT64",
    type(Float64): "FLOAT64",
    type(Text): "sa.Text()",
    type(Bytes): "sa.LargeBinary()",
}


def _render(kind: str, item: Any, autogen: AutogenContext) -> str | Literal[False]:
    """Spell a column's type; everything else is left to Alembic."""
    if kind != "type" or type(item) not in _SPELLINGS:
        return False
    autogen.imports.update({"from sqlalchemy.dialects import sqlite"})
    return _SPELLINGS[type(item)]


def _is_here(item: sa.schema.SchemaItem, *_: object) -> bool:
    """Leave out of a draft, which is made on SQLite, what PostgreSQL alone has."""
    return bool(item.info.get(DIALECT, connection.dialect.name) == connection.dialect.name)


def _note(ctx: MigrationContext, step: MigrationInfo, heads: Collection[Any], run_args: Mapping[str, Any]) -> None:
    """Log a migration that has run, and remember which code cannot work on the database any more."""
    revision = step.up_revision
    assert isinstance(revision, Script)
    assert ctx.connection is not None
    if not is_new:
        log.info("migrated to %s: %s", revision.revision, revision.doc)
    oldest_code: str | None = getattr(revision.module, "oldest_code", None)
    if oldest_code is not None:
        remember_oldest_code(ctx.connection, oldest_code)


connection: sa.Connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=context.config.attributes.get("metadata"),
    # SQLite, too, rolls back as a whole, DDL included. There the caller began the transaction, of all migrations; on
    # PostgreSQL each has its own, so that none holds its locks while the next one waits for some.
    transactional_ddl=True,
    transaction_per_migration=True,
    on_version_apply=_note,
    render_item=_render,
    include_object=_is_here,
)
is_new = context.get_context().get_current_revision() is None
with context.begin_transaction():
    context.run_migrations()
if is_new:
    log.info("made the database")
