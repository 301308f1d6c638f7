"""Runs pytest in copies of this process, which has imported what no mutant changes: the packages of others.

A third of the time that a mutant's tests take is theirs. Each copy imports what is ours by itself.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import resource
import select
import signal
import subprocess
import sys
import tempfile
import types
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Any, Final

import pytest

from tests.mutants.entries import ROOT

#: Imports what nearly all tests import, and names what came of it.
_IMPORTED: Final = """
import sys
import tests.conftest, tests.support.postgres, foreknow.service.server
print(*(name for name, module in sys.modules.items() if "site-packages" in (getattr(module, "__file__", "") or "")))
"""
#: `hypothesis` notes where it is imported; pytest and its plugins want to be the first to import themselves.
_NOT_BEFORE: Final = {"_pytest", "_hypothesis_pytestplugin", "hypothesis", "pytest", "pytest_asyncio", "xdist"}
_OURS: Final = {"foreknow", "foreknow_client", "tests"}
#: pytest cannot rewrite the assertions of packages that are imported already; those that tests assert by are ours.
_QUIET: Final = ("-W", "ignore::pytest.PytestAssertRewriteWarning")
_BROKE_OFF: Final = 70


def import_packages(root: Path, environment: Mapping[str, str]) -> None:
    """Import what tests of the checkout in `root` do of others' packages."""
    command = [sys.executable, "-c", _IMPORTED]
    said = subprocess.run(command, cwd=root, env=environment, check=True, capture_output=True, text=True)
    for name in said.stdout.split():
        if name.partition(".")[0] not in _NOT_BEFORE | _OURS:
            # What is no module of its own comes with another.
            with contextlib.suppress(Exception):
                importlib.import_module(name)
    # The copies need not look through it for garbage.
    gc.collect()
    gc.freeze()
    if len([*Path("/proc/self/task").iterdir()]) > 1:
        raise RuntimeError("A package has begun a thread, which no copy of the process would have.")


def run_pytest(
    arguments: Sequence[str], *, root: Path, environment: Mapping[str, str], output: IO[str], limit_s: float
) -> int | None:
    """Run pytest in `root`; return its exit code, None if it was ended after `limit_s` seconds."""
    pid = os.fork()
    if not pid:
        status = _BROKE_OFF
        try:
            status = _run(arguments, root, environment, output)
        finally:
            os._exit(status)
    ended = os.pidfd_open(pid)
    try:
        is_over = bool(select.select([ended], [], [], limit_s)[0])
    finally:
        os.close(ended)
        end_session(pid)
        _, status = os.waitpid(pid, 0)
    return os.waitstatus_to_exitcode(status) if is_over else None


def _run(arguments: Sequence[str], root: Path, environment: Mapping[str, str], output: IO[str]) -> int:
    begin_session(output)
    os.chdir(root)
    os.environ.clear()
    os.environ.update(environment)
    tempfile.tempdir = None
    for name in [name for name in sys.modules if name.partition(".")[0] in _OURS]:
        del sys.modules[name]
    sys.modules["__main__"] = types.ModuleType("__main__")
    ours = [str(root), *environment["PYTHONPATH"].split(":")]
    sys.path[:] = [*ours, *(one for one in sys.path if Path(one).resolve() != ROOT)]
    importlib.invalidate_caches()
    gc.enable()
    return int(pytest.main([*_QUIET, *arguments]))


def begin_session(output: IO[Any]) -> None:
    """Have this process lead a session of its own, which reads nothing and writes to a file."""
    os.setsid()
    with open(os.devnull) as nothing:  # noqa: PTH123 - a device
        os.dup2(nothing.fileno(), 0)
    for descriptor in (1, 2):
        os.dup2(output.fileno(), descriptor)


def end_session(leader: int) -> None:
    """Kill a session: all that was started and left behind, whatever groups of processes it has made."""
    for folder in Path("/proc").glob("[0-9]*"):
        with contextlib.suppress(OSError):
            # What stands in parentheses is a name of any form.
            fields = (folder / "stat").read_text().rpartition(")")[2].split()
            if int(fields[3]) == leader:
                os.kill(int(folder.name), signal.SIGKILL)


def used_s() -> float:
    """Return the CPU seconds of the processes that were waited for, and of theirs."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
