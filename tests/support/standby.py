"""A real replica of the tests' PostgreSQL: a streaming standby, which can fall behind, die, freeze and come back."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import pytest

from tests.support.postgres import (
    SETTINGS,
    STOP_TIMEOUT_SECONDS,
    Postgres,
    PostgresDidNotStart,
    _readable_programs,
    _start,
    _unprivileged_user,
)

CATCHES_UP_SECONDS = 120
# Its log tells what it was asked.
STANDBY_SETTINGS: Final = SETTINGS | {"log_statement": "all"}


@dataclass
class Standby:
    """A running standby of a primary."""

    primary: Postgres
    server: Postgres
    _folder: Path
    _programs: Path
    _owner: str | None
    _keeper: subprocess.Popen[bytes]

    def url(self, primary_url: str) -> str:
        """Return where the standby shows a database of the primary."""
        return self.server.url(primary_url.rsplit("/", 1)[1])

    @contextlib.contextmanager
    def paused(self) -> Iterator[None]:
        """Let it show nothing new meanwhile, having shown all there was."""
        self.catch_up()
        self.server.sql("SELECT pg_wal_replay_pause()")
        self._wait_for("SELECT pg_get_wal_replay_pause_state() = 'paused'")
        try:
            yield
        finally:
            self.server.sql("SELECT pg_wal_replay_resume()")

    @contextlib.contextmanager
    def frozen(self) -> Iterator[None]:
        """Let it answer nothing meanwhile, though every connection to it stays open."""
        processes = [self._postmaster(), *_children(self._postmaster())]
        for process in processes:
            os.kill(process, signal.SIGSTOP)
        try:
            yield
        finally:
            for process in reversed(processes):
                os.kill(process, signal.SIGCONT)

    def kill(self) -> None:
        """End it as a power cut does."""
        os.kill(self._postmaster(), signal.SIGQUIT)
        self.stop()

    def start(self) -> None:
        """Start it again after `kill`, at the same address."""
        _, self._keeper = _start(
            self._folder, self._programs, self._owner, STANDBY_SETTINGS, wanted_port=self.server.port
        )

    def stop(self) -> None:
        """Shut it down, if it still runs."""
        if self._keeper.stdin is not None:
            self._keeper.stdin.close()
        self._keeper.wait(STOP_TIMEOUT_SECONDS)

    def catch_up(self) -> None:
        """Wait until it shows all that the primary has committed."""
        # The flushed end may lie within a record; with this one after it, that is flushed too.
        self.primary.sql("SELECT pg_log_standby_snapshot()")
        flushed = self.primary.sql("SELECT pg_current_wal_flush_lsn()")
        self._wait_for(f"SELECT pg_last_wal_replay_lsn() >= '{flushed}'")

    def statements(self) -> str:
        """Return what it has logged so far since its start."""
        return (self._folder / "log").read_text()

    def _wait_for(self, condition: str) -> None:
        deadline = time.monotonic() + CATCHES_UP_SECONDS
        while self.server.sql(condition) != "t":
            assert time.monotonic() < deadline, f"the standby never came to: {condition}"
            time.sleep(0.01)

    def _postmaster(self) -> int:
        return int((self._folder / "data" / "postmaster.pid").read_text().splitlines()[0])


@contextlib.contextmanager
def running_standby(primary: Postgres) -> Iterator[Standby]:
    """Copy a running primary and follow it; throw the copy away at the end."""
    with tempfile.TemporaryDirectory(prefix="foreknow-standby-", ignore_cleanup_errors=True) as name:
        folder = Path(name)
        owner = _unprivileged_user(folder)
        programs = _readable_programs(folder, owner)
        options = ["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"]
        copied = subprocess.run(
            [programs / "bin" / "pg_basebackup", *options, "-D", folder / "data", "-d", primary.url()],
            user=owner,
            cwd=folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if copied.returncode:
            raise PostgresDidNotStart(copied.stderr)
        port, keeper = _start(folder, programs, owner, STANDBY_SETTINGS)
        standby = Standby(primary, Postgres(port, primary.password), folder, programs, owner, keeper)
        try:
            yield standby
        finally:
            standby.stop()


@pytest.fixture(scope="module")
def standby(postgres: Postgres) -> Iterator[Standby]:
    """A standby of this test process's PostgreSQL, for the tests of one file."""
    with running_standby(postgres) as running:
        yield running


def _children(parent: int) -> list[int]:
    found = []
    for status in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            # The name before it, in brackets, may hold anything.
            if int(status.read_text().rpartition(")")[2].split()[1]) == parent:
                found.append(int(status.parent.name))
    return found
