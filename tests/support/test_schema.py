"""A schema that is made at once is the one that the migrations make."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from foreknow.platform.db import migrate as migrating
from tests.support.schema import upgrade_at_once


def made(path: Path) -> tuple[list[str], int]:
    """Return what a migration makes of nothing, and finds right when it is run again."""
    assert migrating.migrate(f"sqlite:///{path}")
    assert not migrating.migrate(f"sqlite:///{path}")
    with closing(sqlite3.connect(path)) as database:
        (number,) = database.execute("PRAGMA user_version").fetchone()
        return sorted(database.iterdump()), number


def test_an_empty_database_gets_the_same_schema_and_rows(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usual = made(tmp_path / "usual.sqlite3")
    monkeypatch.setattr(migrating, "upgrade", upgrade_at_once)
    assert made(tmp_path / "at_once.sqlite3") == usual
