"""Power cuts: records the writes of a service, and replays them up to the moment of a cut.

python -m faults power-cuts --cuts 300

What was synced by then is on the disk. Of what was written since, each sector of 512 bytes is there or not, as chance
has it; in every third cut none is. SQLite then recovers what is left, and every bet that a client had its answer to
must be in it, books and all.
"""

from __future__ import annotations

import argparse
import contextlib
import random
import shutil
import sqlite3
import tempfile
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from faults.trading import AnsweredAndLost, Trader, open_trader
from faults.vfs import SECTOR_BYTES, Step, watched
from foreknow.platform.db.migrate import migrate
from tests.support.books import audit_database
from tests.support.service import Service

NAME = "foreknow.sqlite3"
TRADERS = 4
SEED = 9


@dataclass(frozen=True, slots=True)
class Recording:
    """The operations of SQLite while traders bet, and the moment of each response."""

    #: The files before the first step, by name.
    before: Mapping[str, bytes]
    steps: list[Step]
    #: Number of steps at the response to a bet → the bet.
    answers: list[tuple[int, int]]

    def answered_by(self, moment: int) -> set[int]:
        """Return the bets that were answered after this number of steps."""
        return {bet for after, bet in self.answers if after <= moment}


def record(*, bets: int) -> Recording:
    """Let traders bet concurrently, `bets` bets in all."""
    answers: list[tuple[int, int]] = []
    with tempfile.TemporaryDirectory(prefix="foreknow-faults-") as folder, watched(Path(folder)) as disk:
        disk.is_noting = False
        path = disk.folder / NAME
        migrate(f"sqlite:///{path}")
        before = {NAME: path.read_bytes()}
        disk.is_noting = True
        service = Service(f"sqlite:///{path}")
        try:
            traders = [open_trader(service) for _ in range(TRADERS)]

            def trade(trader: Trader) -> None:
                for number in range(bets // TRADERS):
                    if trader is traders[0] and number == bets // TRADERS // 2:
                        # Even a short recording contains one checkpoint, after which SQLite starts its log again.
                        with contextlib.closing(sqlite3.connect(path)) as other:
                            other.execute("PRAGMA wal_checkpoint(FULL)").fetchall()
                    key, _status = trader.bet()
                    answers.append((len(disk.steps), trader.answered[key]))

            threads = [threading.Thread(target=trade, args=(trader,)) for trader in traders]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            steps = list(disk.steps)
        finally:
            service.stop()
    if len(answers) != bets // TRADERS * TRADERS:
        raise AssertionError("not every bet was answered")
    return Recording(before, steps, sorted(answers))


def left_after(recording: Recording, moment: int, chance: random.Random, *, kept: float) -> dict[str, bytes]:
    """Return the files as the disk has them after a power cut; of each unsynced sector `kept` is how likely it is."""
    synced: dict[str, int] = {}
    for step in recording.steps[:moment]:
        if step.kind == "sync":
            synced[step.file] = step.at_bytes
    files = {name: bytearray(content) for name, content in recording.before.items()}
    for number, step in enumerate(recording.steps[:moment]):
        content = files.setdefault(step.file, bytearray())
        is_sure = number < synced.get(step.file, 0)
        if step.kind == "truncate" and (is_sure or chance.random() < kept):
            del content[step.at_bytes :]
        elif step.kind == "write":
            for start in range(0, len(step.content), SECTOR_BYTES):
                if is_sure or chance.random() < kept:
                    _put(content, step.at_bytes + start, step.content[start : start + SECTOR_BYTES])
    return {name: bytes(content) for name, content in files.items()}


def _put(content: bytearray, at_bytes: int, piece: bytes) -> None:
    if len(content) < at_bytes:
        content.extend(bytes(at_bytes - len(content)))
    content[at_bytes : at_bytes + len(piece)] = piece


def check(files: dict[str, bytes], answered: set[int], *, books: bool) -> int:
    """Recover what is left and return how many bets are in it; raises `AnsweredAndLost`, or where books are wrong."""
    folder = Path(tempfile.mkdtemp(prefix="foreknow-faults-"))
    try:
        for name, content in files.items():
            (folder / name).write_bytes(content)
        with contextlib.closing(sqlite3.connect(folder / NAME)) as connection:
            found = {bet for (bet,) in connection.execute("SELECT id FROM trades")}
            sound = connection.execute("PRAGMA integrity_check").fetchone()[0]
        if sound != "ok" or not found >= answered:
            raise AnsweredAndLost(f"{sound}; {len(answered - found)} of {len(answered)} answered bets are gone")
        if books:
            audit_database(f"sqlite:///{folder / NAME}")
    finally:
        shutil.rmtree(folder)
    return len(found)


def cut(recording: Recording, *, cuts: int, books: bool = True) -> int:
    """Cut the power at `cuts` moments; return the number of answered bets that were checked."""
    chance = random.Random(SEED)
    first = recording.answers[0][0]
    looked_for = 0
    for number in range(cuts):
        moment = chance.randrange(first, len(recording.steps) + 1)
        answered = recording.answered_by(moment)
        check(left_after(recording, moment, chance, kept=(0.0, 0.5, 0.9)[number % 3]), answered, books=books)
        looked_for += len(answered)
    return looked_for


def main(arguments: list[str]) -> None:
    """Record, cut, recover and check; print the figures. Raises on a failure."""
    parser = argparse.ArgumentParser(prog="faults power-cuts", description=__doc__)
    parser.add_argument("--cuts", type=int, default=300)
    parser.add_argument("--bets", type=int, default=400)
    options = parser.parse_args(arguments)
    recording = record(bets=options.bets)
    looked_for = cut(recording, cuts=options.cuts)
    print(
        f"{options.cuts} power cuts in {len(recording.steps):,} writes and syncs of {len(recording.answers)} bets:"
        f" no answered bet lost of {looked_for:,} looked for, every book right"
    )
