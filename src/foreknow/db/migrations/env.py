"""What Alembic runs for every migration: it works on the connection that `foreknow.db.migrate` hands it."""

from __future__ import annotations

from typing import Any, Literal

import sqlalchemy as sa
from alembic import context
from alembic.autogenerate.api import AutogenContext

from foreknow.db.metadata import Bytes, Flag, Float64, Int64, Json, Text

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


connection: sa.Connection = context.config.attributes["connection"]
context.configure(
    connection=connection,
    target_metadata=context.config.attributes.get("metadata"),
    # The caller began the transaction, which SQLite, too, rolls back as a whole, DDL included.
    transactional_ddl=True,
    render_item=_render,
)
with context.begin_transaction():
    context.run_migrations()
