"""docs/operations/install.md and upgrade.md, typed as they stand, on a checkout whose programs say who they are.

systemd is not here: its commands are noted down. What a new release does with the database is tested elsewhere
(`tests/platform/migrations/test_rolling.py`, `tests/service/servers/test_rolling_restart.py`).
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="releases are fetched with git")

ROOT = Path(__file__).parents[2]
PAGES = ROOT / "docs" / "operations"
#: Makes a program that runs from its release, as the real one does.
SETUP = """#!/bin/sh
set -eu
[ "$1" = runtime ]
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
mkdir -p "$root/.venv/bin"
printf '#!%s\\n' "$(command -v sh)" >"$root/.venv/bin/foreknow"
printf 'echo "%s: $*"\\n' "$(cat "$root/VERSION")" >>"$root/.venv/bin/foreknow"
chmod +x "$root/.venv/bin/foreknow"
"""
STARTER = """#!/bin/sh
root=$(dirname -- "$(dirname -- "$(readlink -f -- "$0")")")
"$root/bin/setup" runtime && exec "$root/.venv/bin/foreknow" "$@"
"""


def block(page: str, with_text: str) -> str:
    """Return the one block of a page that has this text."""
    shown = re.findall(r"^```sh\n(.*?)^```$", (PAGES / page).read_text(), flags=re.MULTILINE | re.DOTALL)
    (found,) = [text for text in shown if with_text in text]
    return str(found)


class Machine:
    """A folder in place of /opt, and a repository that releases come from."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.origin, self.opt = folder, folder / "origin", folder / "opt"
        (self.origin / "bin").mkdir(parents=True)
        for name, text in (("setup", SETUP), ("foreknow", STARTER)):
            (self.origin / "bin" / name).write_text(text)
            (self.origin / "bin" / name).chmod(0o755)
        (self.origin / ".gitignore").write_text(".venv\n")
        programs = folder / "programs"
        programs.mkdir()
        (programs / "systemctl").write_text(f'#!/bin/sh\necho "$@" >>{folder}/systemctl\n')
        (programs / "systemctl").chmod(0o755)
        self._environment = {
            "PATH": f"{programs}:{os.environ['PATH']}",
            "HOME": str(folder),
            "GIT_CONFIG_GLOBAL": os.devnull,
            **{f"GIT_{who}_{what}": "a@b.example" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")},
        }
        self.type(f"git init --quiet --initial-branch=main {self.origin}")

    def type(self, text: str, *, within: Path | None = None) -> str:
        """Run what a page shows, with this machine's folders; stops at the first command that fails."""
        text = text.replace("/opt/foreknow", str(self.opt)).replace("git clone …", f"git clone --quiet {self.origin}")
        ended = subprocess.run(
            ["sh", "-eu", "-c", text],
            cwd=within or self._folder,
            env=self._environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert ended.returncode == 0, ended.stderr
        return ended.stdout

    def release(self, version: str) -> None:
        (self.origin / "VERSION").write_text(version)
        self.type(f"git add --all && git commit --quiet --message={version}", within=self.origin)

    def runs(self) -> str:
        """Return what the unit would start now."""
        return self.type("/opt/foreknow/current/.venv/bin/foreknow serve")

    @property
    def asked_of_systemd(self) -> list[str]:
        return (self._folder / "systemctl").read_text().splitlines()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    made = Machine(tmp_path)
    made.release("one")
    return made


def test_a_release_is_installed_replaced_and_brought_back_without_a_change_under_it(machine: Machine) -> None:
    machine.type(block("install.md", "worktree add"))
    assert machine.runs() == "one: serve\n"
    (one,) = (machine.opt / "releases").iterdir()
    held = {file: file.read_bytes() for file in one.rglob("*") if file.is_file()}

    machine.release("two")
    upgrade, back = block("upgrade.md", "worktree add"), block("upgrade.md", 'ln -sfn "$previous"')
    machine.type(f"{upgrade}\n/opt/foreknow/current/.venv/bin/foreknow | grep '^two'\n{back}")

    assert machine.runs() == "one: serve\n"
    assert machine.asked_of_systemd == ["start foreknow-backup", *["restart foreknow@8000"] * 2]
    assert {file: file.read_bytes() for file in one.rglob("*") if file.is_file()} == held


def test_a_checkout_run_by_hand_is_upgraded_and_brought_back(machine: Machine, tmp_path: Path) -> None:
    checkout = tmp_path / "checkout"
    machine.type(f"git clone --quiet {machine.origin} {checkout}")
    machine.release("two")

    said = machine.type(f"{block('upgrade.md', 'before=')}\n{block('upgrade.md', 'git checkout')}", within=checkout)

    lines = [line for line in said.splitlines() if line.startswith(("one", "two"))]
    assert lines == ["two: upgrade", "two: serve", "one: serve"]


def test_the_units_start_what_the_link_names_and_not_the_checkout_that_is_pulled() -> None:
    for unit in ("foreknow@.service", "foreknow-backup.service"):
        (start,) = re.findall(r"^ExecStart=(\S+)", (ROOT / "deploy" / unit).read_text(), re.MULTILINE)
        assert start.startswith("/opt/foreknow/current/")
