"""`python -m bench attacks` measures: honest clients are served, and attackers do what they are named for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.attacks.catalogue import CATALOGUE
from tests.support.lengths import LONG, length

#: What must be there for a comparison, and attacks that leave something to see.
CHOSEN = length(short=["broken"], long=["nothing", "broken", "call-operator"])
SAYS = {"broken": "× 400", "call-operator": "× called 200"}
ROOT = Path(__file__).parents[2]


@LONG
@pytest.mark.slow
def test_a_table_tells_what_honest_clients_felt_and_what_came_of_each_attack() -> None:
    command = [sys.executable, "-m", "bench", "attacks", "--seconds", "1"]
    done = subprocess.run(
        [*command, *(f"--only={name}" for name in CHOSEN)], cwd=ROOT, check=False, capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (0, "")
    heads, _, *rows = [
        [cell.strip() for cell in line.strip("| ").split(" | ")]
        for line in done.stdout.splitlines()
        if line.startswith("|")
    ]
    measured = [dict(zip(heads, row, strict=False)) for row in rows]
    assert [row["Attack"].split(":")[0].split(" (")[0] for row in measured] == CHOSEN
    # Honest clients were there, and the noise of another is no error.
    assert all(row["failed"].startswith("0 of ") and not row["failed"].endswith(" of 0") for row in measured)
    assert all(SAYS.get(name, "") in row["what came of it"] for name, row in zip(CHOSEN, measured, strict=True))


def test_a_name_of_no_attack_is_refused() -> None:
    command = [sys.executable, "-m", "bench", "attacks", "--only", "kindness"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)

    assert done.returncode == 2
    assert all(name in done.stderr for name in CATALOGUE)
