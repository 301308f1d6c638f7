"""Writes a migration: what leads from the newest one to the tables as they are now declared (see `bin/migration`).

It is a draft to be read and kept: Alembic sees tables, columns, indexes and keys, and this adds the triggers of new
tables. Changes of CHECKs and the moving of data are written by hand.
"""

from __future__ import annotations

import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

import sqlalchemy as sa
from alembic import command
from alembic.operations.ops import CreateTableOp, MigrationScript
from alembic.script import Script

from foreknow.platform.db.migrate import config_for, upgrade
from foreknow.platform.db.sqlite.connections import sqlite_engine
from foreknow.service.tables import metadata

TRIGGERS = """
    triggers: dict[str, tuple[str, ...]] = {triggers!r}
    for statement in triggers[op.get_bind().dialect.name]:
        op.get_bind().exec_driver_sql(statement)
"""


def main(revision: str, message: str) -> None:
    """Write `versions/<revision>_<message>.py`, found out on an empty SQLite database, and format it."""
    created: list[str] = []

    def note(_context: object, _revision: object, directives: list[MigrationScript]) -> None:
        operations = directives[0].upgrade_ops.ops if directives[0].upgrade_ops else []
        created.extend(operation.table_name for operation in operations if isinstance(operation, CreateTableOp))

    with tempfile.TemporaryDirectory() as folder:
        engine = sqlite_engine(f"sqlite:///{folder}/empty.sqlite3")
        with engine.connect() as connection:
            connection.exec_driver_sql("BEGIN IMMEDIATE")
            upgrade(connection)
            config = config_for(connection, metadata=metadata)
            config.print_stdout = lambda *_: None  # type: ignore[method-assign] # the path alone is our answer
            written = command.revision(
                config, message, autogenerate=True, rev_id=revision, process_revision_directives=note
            )
        engine.dispose()
    assert isinstance(written, Script)
    path = Path(written.path)
    path.write_text(_plain(path.read_text()) + _triggers(created))
    for options in (["check", "--fix-only", "--quiet"], ["format", "--quiet"]):
        subprocess.run([Path(sys.executable).with_name("ruff"), *options, path], check=True)
    print(path)


def _plain(text: str) -> str:
    """Take out the remarks with which Alembic frames what it wrote, and the brackets that SQLite wants."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("# ###")]
    return re.sub(r"""(["'])\((false|true)\)\1""", r"\1\2\1", "\n".join(lines)) + "\n"


def _triggers(tables: list[str]) -> str:
    """Return the code that runs what the new tables want run after they are created."""
    found: dict[str, tuple[str, ...]] = {"sqlite": (), "postgresql": ()}
    for name in tables:
        for ddl in metadata.tables[name].dispatch.after_create:
            # Nothing public tells for which dialect it is.
            if isinstance(ddl, sa.DDL) and (condition := ddl._ddl_if) is not None:  # noqa: SLF001
                found[str(condition.dialect)] += (ddl.statement,)
    return TRIGGERS.format(triggers=found) if any(found.values()) else ""


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Write the migration to the present tables.")
    parser.add_argument("revision", help="its number, such as 0002")
    parser.add_argument("message", help="what it does, such as 'Add comments'")
    given = parser.parse_args()
    main(given.revision, given.message)
