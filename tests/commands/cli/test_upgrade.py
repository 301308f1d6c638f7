"""`foreknow upgrade`, said of a new release to the database of the one before."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.platform.db import migrate as migrations
from foreknow.platform.db.migrate import migrate
from tests.commands.cli.conftest import Command
from tests.support import forks
from tests.support.kinds import ON_SQLITE
from tests.support.next_release import ADD_COLUMN, add_migrations, find_newest
from tests.support.postgres import PACKAGES, PROGRAMS
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
    assert first.lines[2].startswith("Migrations that ran: 0099, 0100, ")
    assert first.lines[3].startswith("The books are right (")
    assert first.lines[4].endswith(" serve")

    monkeypatch.setenv("PATH", str(programs))
    again = command("upgrade")
    assert again.code == 0, again
    assert again.lines[1].startswith("The database was up to date for 0.")
    assert again.lines[3] == f"Restart what runs, as root: systemctl restart {unit}"


def test_killed_in_the_middle_it_is_said_again_and_an_older_release_does_not_upgrade_what_came_of_it(
    command: Command, database_url: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    into = tmp_path / "backups"
    monkeypatch.setenv("PATH", f"{PACKAGES / PROGRAMS / 'bin'}:{os.environ['PATH']}")
    dies = "__import__('os').environ.get('DIES') and __import__('os').kill(__import__('os').getpid(), 9)"
    versions = add_migrations(tmp_path, ADD_COLUMN, dies)
    assert command("user", "add", "a@example.org", "--name", "A", "--password-stdin", stdin=b"correct horse").code == 0
    assert command("user", "credit", "a@example.org", "500").code == 0

    died = _next_release("upgrade", "--backups", str(into), versions=versions, DIES="yes")
    assert died.returncode == -signal.SIGKILL, died
    assert len(list(into.glob("foreknow-*"))) == 1
    is_half_done = database_url.startswith("postgresql")
    assert look(database_url, _at) == ("9001" if is_half_done else find_newest(versions[:-1]))
    # The release before works on.
    assert command("user", "credit", "a@example.org", "500").code == 0

    ended = _next_release("upgrade", versions=versions)
    assert ended.returncode == 0, ended
    assert f"Migrations that ran: {'9002' if is_half_done else '9001, 9002'}.\n" in ended.stdout
    assert "The books are right (" in ended.stdout
    assert look(database_url, _at) == "9002"

    refused = command("upgrade", "--backups", str(into))
    assert (refused.code, refused.out, refused.err.count("\n")) == (1, "", 1), refused
    assert "a newer release has migrated the database: it is at migration 9002" in refused.err
    assert len(list(into.iterdir())) == 1 + (into / "images").exists()

    kopeck = "UPDATE accounts SET balance_kopecks = balance_kopecks + 1 WHERE kind = 'user'"
    look(database_url, lambda tx: tx.execute(sa.text(kopeck)))
    wrong = _next_release("upgrade", "--backups", str(into), versions=versions)
    assert wrong.returncode == 1
    assert "the books are wrong: " in wrong.stderr
    assert f"the backup from before is in {into}/foreknow-" in wrong.stderr


def _at(tx: Any) -> str:
    return str(tx.execute(sa.text("SELECT version_num FROM alembic_version")).scalar_one())


def _next_release(*arguments: str, versions: tuple[Path, ...], **variables: str) -> subprocess.CompletedProcess[str]:
    """Run a command of a release that has further migrations."""
    program = (
        "import pathlib, foreknow.platform.db.migrate as m\n"
        f"m.VERSIONS = tuple(map(pathlib.Path, {[str(path) for path in versions]!r}))\n"
        f"from foreknow.commands.cli import main; main({list(arguments)!r})"
    )
    return forks.run([sys.executable, "-c", program], env=os.environ | variables)
