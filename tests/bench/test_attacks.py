"""`python -m bench attacks` measures: honest clients are served, and attackers do what they are named for."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from bench.attacks.catalogue import CATALOGUE

ROOT = Path(__file__).parents[2]


@pytest.mark.slow
def test_a_table_tells_what_honest_clients_felt_and_what_came_of_each_attack() -> None:
    command = [sys.executable, "-m", "bench", "attacks", "--seconds", "1"]
    chosen = ["nothing", "broken", "call-operator"]
    done = subprocess.run(
        [*command, *(f"--only={name}" for name in chosen)], cwd=ROOT, check=False, capture_output=True, text=True
    )

    assert (done.returncode, done.stderr) == (0, "")
    heads, _, *rows = [[cell.strip() for cell in line.strip("| ").split(" | ")] for line in done.stdout.splitlines()]
    measured = [dict(zip(heads, row, strict=False)) for row in rows]
    assert [row["Attack"].split(":")[0].split(" (")[0] for row in measured] == chosen
    # Honest clients were there, and the noise of another is no error.
    assert all(row["failed"].startswith("0 of ") and not row["failed"].endswith(" of 0") for row in measured)
    assert "× 400" in measured[1]["what came of it"]
    assert "× called 200" in measured[2]["what came of it"]


def test_a_name_of_no_attack_is_refused() -> None:
    command = [sys.executable, "-m", "bench", "attacks", "--only", "kindness"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)

    assert done.returncode == 2
    assert all(name in done.stderr for name in CATALOGUE)
