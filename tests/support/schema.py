"""The schema of a test's database, made once a run and then copied."""

from __future__ import annotations

import shutil
from pathlib import Path

from foreknow.platform.db.migrate import migrate


def prepare(url: str) -> None:
    """Give the empty database at `url` every table, leaving no connection open."""
    migrate(url)


class SqliteFiles:
    """Makes SQLite databases with the schema, each a copy of a template."""

    def __init__(self, folder: Path) -> None:
        """Keep the template and the copies in `folder`."""
        self._folder = folder
        self._template = folder / "template.sqlite3"
        self._count = 0

    def fresh_database(self) -> str:
        """Make a database and return its URL."""
        if not self._template.exists():
            prepare(f"sqlite:///{self._template}")
        self._count += 1
        path = self._folder / f"test_{self._count}" / "foreknow.sqlite3"
        path.parent.mkdir()
        shutil.copy(self._template, path)
        return f"sqlite:///{path}"
