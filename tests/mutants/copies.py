"""Copies of a process of pytest, each of which runs some of the tests that were collected."""

from __future__ import annotations

import json
import os
import select
import shutil
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Final

import pytest

from tests.mutants.forks import begin_session, end_session, used_s
from tests.support.temporary import SHARED_MEMORY, has_space

#: How long a copy has to end what its tests share once the last is over.
END_S: Final = 30.0
#: Longest text of a message.
_TEXT_MAX: Final = 300

Say = Callable[..., None]


class Copy:
    """One copy. What it is to do gets a function by which it says something: a list of texts and numbers."""

    def __init__(self, work: Callable[[Say], None], *, within_s: float) -> None:
        """Begin; it is to say something within `within_s` seconds, or is ended."""
        above = SHARED_MEMORY if has_space(wanted_bytes=1 << 30) else None
        self._folder = Path(tempfile.mkdtemp(prefix="foreknow-mutants-", dir=above))
        # PostgreSQL, which does not run as root, has its files in it.
        self._folder.chmod(0o711)
        self.said, answers = os.pipe()
        self._rest = b""
        self.ends_s = time.monotonic() + within_s
        self._pid = os.fork()
        if not self._pid:
            self._run(work, answers)
        os.close(answers)

    def _run(self, work: Callable[[Say], None], answers: int) -> None:
        status = 1
        try:
            with (self._folder / "output").open("wb") as output:
                begin_session(output)
            os.environ["TMPDIR"] = tempfile.tempdir = str(self._folder)
            work(lambda *what: _write(answers, what))
            status = 0
        except BaseException as error:
            _write(answers, ("broke", repr(error)[:_TEXT_MAX]))
            raise
        finally:
            os._exit(status)

    def heard(self) -> tuple[list[list[object]], bool]:
        """Return what it has said since, and whether that was all; there must be something to read."""
        got = os.read(self.said, 1 << 16)
        *lines, self._rest = (self._rest + got).split(b"\n")
        return [json.loads(line) for line in lines], not got

    def end(self) -> float:
        """Be rid of it, and of all that it has started; return its CPU seconds, those of its children included."""
        before_s = used_s()
        end_session(self._pid)
        os.waitpid(self._pid, 0)
        os.close(self.said)
        shutil.rmtree(self._folder, ignore_errors=True)
        return used_s() - before_s


def ready(copies: Sequence[Copy]) -> Iterator[tuple[Copy, bool]]:
    """Wait until a copy has said something or has to be ended: yield those, and whether they have."""
    wait_s = min(copy.ends_s for copy in copies) - time.monotonic()
    found, _, _ = select.select([copy.said for copy in copies], [], [], max(0.0, wait_s))
    for copy in copies:
        if copy.said in found:
            yield copy, True
        elif time.monotonic() >= copy.ends_s:
            yield copy, False


class Failures:
    """A plugin of pytest that keeps the first test that failed, and why."""

    def __init__(self) -> None:
        self.first = ""
        self.because = ""

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.failed and not self.first:
            self.first = report.nodeid
            crash = getattr(report.longrepr, "reprcrash", None)
            self.because = str(crash.message if crash else report.longrepr).partition("\n")[0][:_TEXT_MAX]


def run(session: pytest.Session, items: Sequence[pytest.Item], say: Say, *, until_one_fails: bool) -> Failures:
    """Run tests in this process, and say the name of each before."""
    failures = Failures()
    session.config.pluginmanager.register(failures)
    session.items = list(items)
    for item, following in zip(items, [*items[1:], None], strict=True):
        say("runs", item.nodeid)
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        if failures.first and until_one_fails:
            break
    return failures


def _write(answers: int, what: Sequence[object]) -> None:
    os.write(answers, json.dumps(what).encode() + b"\n")
