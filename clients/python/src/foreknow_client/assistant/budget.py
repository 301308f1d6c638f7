"""What an assistant may still stake today. Noted before a bet is sent: a killed program stakes nothing twice."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from datetime import UTC, datetime
from pathlib import Path

#: How long to wait for another program that uses the same budget.
WAIT_S = 10.0


class BudgetSpent(Exception):
    """The bet would stake more than is left today."""


class DailyBudget:
    """The stakes of each day (UTC), in a file that programs may share and that outlives them."""

    def __init__(self, path: Path, *, kopecks: int, now: Callable[[], datetime] = lambda: datetime.now(UTC)) -> None:
        """Allow stakes of `kopecks` a day, noted in the file at `path`; `sqlite3.Error`, `OSError`."""
        self.kopecks = kopecks
        self._path = path
        self._now = now
        path.parent.mkdir(parents=True, exist_ok=True)
        with closing(self._open()) as file:
            file.execute("CREATE TABLE IF NOT EXISTS stakes (day TEXT PRIMARY KEY, kopecks INTEGER NOT NULL)")

    def left_kopecks(self) -> int:
        """Return what may still be staked today."""
        with closing(self._open()) as file:
            return self.kopecks - self._staked(file)

    def take(self, kopecks: int) -> str:
        """Note a stake before it is sent, and return its day; `BudgetSpent`."""
        day = self._day()
        with closing(self._open()) as file:
            # Of two programs, the second waits here for the first.
            file.execute("BEGIN IMMEDIATE")
            left = self.kopecks - self._staked(file)
            if kopecks > left:
                file.execute("ROLLBACK")
                raise BudgetSpent(
                    f"The owner's budget is {self.kopecks} kopecks a day (UTC), and {max(0, left)} are left today."
                )
            file.execute(
                "INSERT INTO stakes VALUES (?, ?) ON CONFLICT (day) DO UPDATE SET kopecks = kopecks + excluded.kopecks",
                (day, kopecks),
            )
            file.execute("COMMIT")
        return day

    def give_back(self, kopecks: int, day: str) -> None:
        """Note that a stake of a day was refused."""
        with closing(self._open()) as file:
            file.execute("UPDATE stakes SET kopecks = kopecks - ? WHERE day = ?", (kopecks, day))

    def _staked(self, file: sqlite3.Connection) -> int:
        row = file.execute("SELECT kopecks FROM stakes WHERE day = ?", (self._day(),)).fetchone()
        return 0 if row is None else int(row[0])

    def _day(self) -> str:
        return self._now().date().isoformat()

    def _open(self) -> sqlite3.Connection:
        return sqlite3.connect(self._path, timeout=WAIT_S, isolation_level=None)
