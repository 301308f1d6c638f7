"""A command at a terminal: what it asks is waited for, then answered, as by a person."""

from __future__ import annotations

import codecs
import contextlib
import os
import pty
import re
import select
import time
from collections.abc import Iterator, Mapping
from pathlib import Path

from tests.support import forks
from tests.support.forks import FOREKNOW

WAIT_S = 60


class Terminal:
    """A running command. What it has said since the last question is `said`."""

    def __init__(self, process: forks.Popen, descriptor: int) -> None:
        self._process = process
        self._descriptor = descriptor
        # `select` takes no descriptor over 1023, and a process of many tests has more.
        self._poll = select.poll()
        self._poll.register(descriptor, select.POLLIN)
        self._decoder = codecs.getincrementaldecoder("utf-8")()
        self._unread = ""
        self.said = ""

    def answer(self, question: str, text: str) -> None:
        """Wait for a prompt that has `question` in it, and type a line."""
        found = self._read_until(re.compile(rf"(?s)^(.*{re.escape(question)}[^\n]*: )$"))
        self.said, self._unread = found, ""
        self.type(text)

    def type(self, text: str, *, ends: bool = True) -> None:
        """Type a line; `ends` False: without Enter."""
        os.write(self._descriptor, f"{text}{chr(10) if ends else ''}".encode())

    def end(self) -> int:
        """Wait until the command has ended and return its exit code; `said` is the rest."""
        self.said = self._read_until(None)
        return self._process.wait(WAIT_S)

    def _read_until(self, wanted: re.Pattern[str] | None) -> str:
        deadline = time.monotonic() + WAIT_S
        while time.monotonic() < deadline:
            if wanted is not None and (found := wanted.search(self._unread)):
                return found[1]
            has_ended = self._process.poll() is not None
            if self._poll.poll(100):
                self._unread += self._decoder.decode(os.read(self._descriptor, 65_536)).replace("\r\n", "\n")
            elif has_ended:
                if wanted is None:
                    return self._unread
                break
        raise AssertionError(self._unread)


@contextlib.contextmanager
def at_terminal(*arguments: str, environment: Mapping[str, str], cwd: Path) -> Iterator[Terminal]:
    """Start an installed command at a terminal of its own; it is killed where it still runs at the end."""
    ours, its = pty.openpty()
    # It is the session's, which passwords are read from.
    process = forks.Popen([FOREKNOW, *arguments], env=environment, cwd=cwd, terminal=os.ttyname(its))
    try:
        yield Terminal(process, ours)
    finally:
        process.kill()
        process.wait()
        os.close(its)
        os.close(ours)
