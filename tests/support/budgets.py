"""What the tests of a folder may cost, in CPU seconds of a machine whose reference takes one second (`budgets.toml`).

Machines differ, and one that has other things to do is slower: what a run took is divided by what the same work takes
here and now.
"""

from __future__ import annotations

import json
import sqlite3
import time
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Final

TESTS: Final = Path(__file__).parents[1]
BUDGETS: Final = TESTS / "budgets.toml"
#: Parts of a second of the reference, and how often such a part is tried: the fastest one had the processor alone.
_PARTS: Final = 10
_TRIES: Final = 5


def folder_of(nodeid: str) -> str:
    """Return the folder of a test, such as `trading/desk`, as in `budgets.toml`."""
    return nodeid.partition("::")[0].rpartition("/")[0].removeprefix("tests").removeprefix("/")


def budgets_s() -> dict[str, float]:
    """Return what each folder may take."""
    with BUDGETS.open("rb") as file:
        return {folder: float(cpu_s) for folder, cpu_s in tomllib.load(file)["cpu_s"].items()}


def reference_s() -> float:
    """Return the CPU seconds that the reference takes now, on this machine."""
    return min(_part_s() for _ in range(_TRIES)) * _PARTS


def table(used_s: Mapping[str, float], allowed_s: Mapping[str, float], *, reference_s: float) -> list[str]:
    """Return a line for each folder, the dearest first, that says what it took, what it may take, and if that is more.

    `used_s` are seconds of this machine; the lines have seconds of the reference.
    """
    lines = []
    for folder, cpu_s in sorted(used_s.items(), key=lambda cost: -cost[1]):
        scaled_s = cpu_s / reference_s
        budget_s = allowed_s.get(folder)
        remark = "no budget" if budget_s is None else "OVER" if scaled_s > budget_s else ""
        lines.append(f"{scaled_s:8.1f} of {budget_s or 0:5.0f}  {folder}  {remark}".rstrip())
    return lines


def _part_s() -> float:
    """Do what tests do most: run Python, read and write JSON, ask SQLite."""
    began_s = time.thread_time()
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE numbers (id INTEGER PRIMARY KEY, body TEXT)")
        for number in range(13_500):
            body = json.dumps({"number": number, "squares": [other * other for other in range(number % 30)]})
            database.execute("INSERT INTO numbers (body) VALUES (?)", (body,))
        total = sum(json.loads(body)["number"] for (body,) in database.execute("SELECT body FROM numbers"))
    assert total == sum(range(13_500))
    return time.thread_time() - began_s
