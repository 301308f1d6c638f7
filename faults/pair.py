"""Two PostgreSQL servers, of which one follows the other and has every commit before it is answered.

`Pair` does what a failover manager does, such as Patroni: it promotes the standby, lets it work alone until another one
has caught up, makes the old primary follow, and says who is primary.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

from faults.database import Crashing
from tests.support.postgres import (
    DURABLE_SETTINGS,
    PostgresDidNotStart,
    _free_port,
    _init,
    _readable_programs,
    _start,
    _unprivileged_user,
)
from tests.support.standby import _children

PASSWORD = "faults"
#: Memory that servers share is in their folders, so that nothing is left of one that was killed.
SETTINGS = DURABLE_SETTINGS | {"dynamic_shared_memory_type": "mmap", "shared_buffers": "64MB", "wal_keep_size": "64MB"}
WAIT_S = 120.0
WAITING = (
    "SELECT pid FROM pg_stat_activity WHERE wait_event = 'SyncRep' AND datname = current_database()"
    " AND pid IN (SELECT pid FROM pg_locks WHERE relation = 'pools'::regclass AND mode <> 'AccessShareLock')"
)


class Member(Crashing):
    """One of the two servers, on a port that stays its own."""

    def start(self) -> None:
        """Start it, as what its folder says that it is."""
        _, self.keeper = _start(self.folder, self.programs, self.owner, SETTINGS, wanted_port=self.port)

    def kill(self) -> None:
        """Kill all its processes (SIGKILL), as the end of its machine does."""
        lines = (self.folder / "data" / "postmaster.pid").read_text().splitlines()
        postmaster = int(lines[0])
        for process in (postmaster, *_children(postmaster)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(process, signal.SIGKILL)
        self.wait()
        # A restarted machine's memory is empty.
        subprocess.run(["ipcrm", "-m", lines[6].split()[1]], capture_output=True, check=False)
        (self.folder / "data" / "postmaster.pid").unlink()

    def follow(self, primary: Member) -> None:
        """Throw away what it has, copy a running primary and follow it. Once promoted it works alone at first."""
        data = self.folder / "data"
        shutil.rmtree(data, ignore_errors=True)
        options = ["--write-recovery-conf", "--wal-method=stream", "--checkpoint=fast", "--no-sync"]
        copied = subprocess.run(
            [self.programs / "bin" / "pg_basebackup", *options, "-D", data, "-d", primary.url()],
            user=self.owner,
            cwd=self.folder,
            capture_output=True,
            text=True,
            check=False,
        )
        if copied.returncode:
            raise PostgresDidNotStart(copied.stderr)
        with (data / "postgresql.auto.conf").open("a") as settings:
            settings.write("synchronous_standby_names = ''\n")
        self.start()


class Pair:
    """Who is primary, and who follows it."""

    def __init__(self, primary: Member, standby: Member) -> None:
        """Both run."""
        self.primary, self.standby = primary, standby

    def synchronize(self) -> None:
        """Let commits wait for the standby, once it follows. Raises `AssertionError` where it does not."""
        followed = "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'"
        wait_for(lambda: self.primary.sql(followed) == "1", "the standby does not follow")
        self.primary.sql("ALTER SYSTEM SET synchronous_standby_names = '*'")
        self.primary.sql("SELECT pg_reload_conf()")
        state = "SELECT sync_state FROM pg_stat_replication"
        wait_for(lambda: self.primary.sql(state) == "sync", "commits do not wait for the standby")

    def promote(self) -> None:
        """Make the standby the primary; the old one has ended."""
        self.standby.sql("SELECT pg_promote()")
        self.primary, self.standby = self.standby, self.primary

    def waiting(self, database: str) -> list[str]:
        """Return the processes of the primary whose commits of orders wait for the standby."""
        return self.primary.sql(WAITING, database=database).splitlines()


@contextlib.contextmanager
def running_pair() -> Iterator[Pair]:
    """Run two servers; throw them away at the end."""
    with tempfile.TemporaryDirectory(prefix="foreknow-faults-", ignore_cleanup_errors=True) as name:
        members: list[Member] = []
        for number in range(2):
            folder = Path(name, str(number))
            folder.mkdir()
            owner = _unprivileged_user(folder)
            programs = _readable_programs(folder, owner) if not members else members[0].programs
            members.append(Member(_free_port(), PASSWORD, folder=folder, programs=programs, owner=owner))
        Path(name).chmod(0o755)
        primary, standby = members
        _init(primary.folder, primary.programs, primary.owner, PASSWORD)
        primary.start()
        try:
            standby.follow(primary)
            pair = Pair(primary, standby)
            pair.synchronize()
            yield pair
        finally:
            for member in members:
                member.close()
                if member.keeper is not None:
                    member.wait()


def wait_for(condition: Callable[[], bool], otherwise: str) -> None:
    """Return once a condition holds."""
    until_s = time.monotonic() + WAIT_S
    while not condition():
        if time.monotonic() > until_s:
            raise AssertionError(otherwise)
        time.sleep(0.02)
