"""`foreknow upgrade`, said of a new release to the database of the one before."""

from __future__ import annotations

from pathlib import Path

import pytest
import sqlalchemy as sa

from foreknow.platform.db import migrate as migrations
from foreknow.platform.db.migrate import migrate
from tests.commands.cli.conftest import Command
from tests.support.kinds import ON_SQLITE
from tests.support.transactions import look


@ON_SQLITE
def test_it_backs_up_before_it_migrates_and_says_how_to_restart(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    programs, into = tmp_path / "bin", tmp_path / "backups"
    programs.mkdir()
    systemctl = programs / "systemctl"
    unit = "foreknow@8000"
    systemctl.write_text(f"#!/bin/sh\necho '{unit}.service loaded active running Foreknow on port 8000'\n")
    systemctl.chmod(0o755)
    url = f"sqlite:///{tmp_path}/foreknow.sqlite3"
    monkeypatch.setenv("FOREKNOW_DATABASE_URL", url)
    with monkeypatch.context() as release_before:
        release_before.setattr(migrations.upgrade, "__kwdefaults__", {"target": "0098"})
        migrate(url)
    monkeypatch.setenv("PATH", str(tmp_path / "none"))

    first = command("upgrade", "--backups", str(into))
    assert first.code == 0, first
    assert "its time is not noted" in first.err
    (folder,) = into.glob("foreknow-*")
    saved = f"sqlite:///{folder}/foreknow.sqlite3"
    version = sa.text("SELECT version_num FROM alembic_version")
    assert look(saved, lambda tx: tx.execute(version).scalar()) == "0098"
    assert first.lines[1].startswith("The database is now up to date for 0.")
    assert first.lines[2].endswith(" serve")

    monkeypatch.setenv("PATH", str(programs))
    again = command("upgrade")
    assert again.code == 0, again
    assert again.lines[1].startswith("The database was up to date for 0.")
    assert again.lines[2] == f"Restart what runs, as root: systemctl restart {unit}"
