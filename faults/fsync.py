"""No response before the data is on the disk: compares each response to a bet with the syncs before it.

python -m faults fsync

Twice. First at SQLite's own layer: the power is cut at the moment of each answer, and nothing that was not synced is
left. Then by the system calls of `foreknow serve`, where strace is installed (Debian: apt install strace): between a
bet's request and its 201 there must be a write to the log and then an fsync of it that has come back.
"""

from __future__ import annotations

import argparse
import os
import random
import re
import shutil
import signal
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

import httpx

from faults.kills import Killed
from faults.power import SEED, Recording, check, left_after, record
from faults.trading import RICH_KOPECKS, STAKE_KOPECKS
from foreknow.platform.db.migrate import migrate
from tests.support.http import NO_TLS
from tests.support.service import Service

CALLS = "pwrite64,fdatasync,fsync,read,recvfrom,write,writev,sendto,sendmsg"
_LOG = re.compile(r"<[^>]*-wal>")
_UNFINISHED = "<unfinished ...>"


@dataclass(slots=True)
class Trace:
    """Reads strace's output for a server whose client sends one bet at a time."""

    answers: int = 0
    #: Responses without a write and a sync before them.
    too_early: int = 0
    _wrote: bool = False
    _synced: bool = True
    #: Threads with a sync of the log under way.
    _syncing: set[str] = field(default_factory=set)

    def read(self, line: str) -> None:
        """Take the next line."""
        thread, _, call = line.partition(" ")
        call = call.strip()
        if '"POST /api/v1/market/bets' in call:
            self._wrote = self._synced = False
        elif call.startswith("pwrite64") and _LOG.search(call):
            self._wrote = True
        elif call.startswith(("fdatasync", "fsync")) and _LOG.search(call):
            if _UNFINISHED in call:
                self._syncing.add(thread)
            else:
                self._came_back(call)
        elif "sync resumed" in call and thread in self._syncing:
            self._syncing.remove(thread)
            self._came_back(call)
        elif '"HTTP/1.1 201' in call:
            self.answers += 1
            self.too_early += not self._synced

    def _came_back(self, call: str) -> None:
        if self._wrote and call.endswith("= 0"):
            self._synced = True


def trace(*, bets: int) -> Trace:
    """Place `bets` bets, one after the other, at a server that strace follows."""
    with tempfile.TemporaryDirectory(prefix="foreknow-faults-") as name:
        folder = Path(name)
        url = f"sqlite:///{folder}/foreknow.sqlite3"
        migrate(url)
        service = Service(url)
        market_id = int(service.event()["pools"][0]["markets"][0]["id"])
        person = service.user(balance_kopecks=RICH_KOPECKS)
        service.stop()
        calls = folder / "calls"
        before = ["strace", "-f", "-y", "-s", "32", "-e", f"trace={CALLS}", "-o", str(calls)]
        server = Killed(url, folder, before=before)
        order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": STAKE_KOPECKS}
        headers = {"Authorization": f"Bearer {person.token}"}
        try:
            with httpx.Client(headers=headers, verify=NO_TLS, trust_env=False, timeout=60) as client:
                for _ in range(bets):
                    client.post(f"{server.url}/market/bets", json=order).raise_for_status()
        finally:
            # strace ends with the one it follows, whose id begins its first line.
            os.kill(int(calls.read_text(errors="replace").split(maxsplit=1)[0]), signal.SIGKILL)
            server.process.wait()
        found = Trace()
        for line in calls.read_text(errors="replace").splitlines():
            found.read(line)
    return found


def cut_at_answers(recording: Recording) -> int:
    """Cut the power at each response, losing all unsynced writes; return the number of cuts."""
    chance = random.Random(SEED)
    for moment, _ in recording.answers:
        left = left_after(recording, moment, chance, kept=0.0)
        check(left, recording.answered_by(moment), books=False)
    return len(recording.answers)


def main(arguments: list[str]) -> None:
    """Bet, and print the number of responses after their sync; raises if one came before."""
    parser = argparse.ArgumentParser(prog="faults fsync", description=__doc__)
    parser.add_argument("--bets", type=int, default=200)
    options = parser.parse_args(arguments)
    print(f"{cut_at_answers(record(bets=options.bets))} power cuts, each as a bet was answered: none lost", flush=True)
    if shutil.which("strace") is None:
        raise SystemExit("strace is not installed: the system calls themselves were not looked at")
    found = trace(bets=options.bets)
    print(f"{found.answers} answers by the system calls: {found.too_early} before their fsync had come back")
    if found.too_early or found.answers != options.bets:
        raise SystemExit(1)
