"""The command as its user can type it again."""

from __future__ import annotations

import os
import shlex
import shutil
import sys
from pathlib import Path

from foreknow.kernel.settings import Settings


def again(given: Settings) -> str:
    """Return what to type in this folder before `user add …`, so that it is this program on this database.

    A checkout's own starter by its path, else `foreknow` if the shell finds it, else the path of the program. Settings
    that were given in the environment are expected there again, but for the data folder, which is named.
    """
    place = os.environ.get("FOREKNOW_DATA_DIR", "")
    before = f"FOREKNOW_DATA_DIR={shlex.quote(place)} " if place and not given.database_url else ""
    return before + _program(Path(sys.argv[0]))


def _program(called: Path) -> str:
    if called.name == "__main__.py":
        return f"{shlex.quote(sys.executable)} -m foreknow"
    program = called.resolve()
    starter = program.parents[2] / "bin" / "foreknow" if program.parent.parent.name == ".venv" else program
    if starter != program and starter.is_file():
        return shlex.quote(_from_here(starter))
    found = shutil.which(program.name)
    if found is not None and Path(found).resolve() == program:
        return program.name
    return shlex.quote(_from_here(program))


def _from_here(path: Path) -> str:
    here = Path.cwd()
    if not path.is_relative_to(here):
        return str(path)
    # A bare name would be looked for in PATH.
    return f"./{path.name}" if path.parent == here else str(path.relative_to(here))
