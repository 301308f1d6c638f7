"""Processes that turn a list's positions and are killed at a commit, short."""

from __future__ import annotations

from pathlib import Path

from faults.splits import SplitTrial
from tests.support.proofs import proves


@proves("lists: Positions are turned piece by piece as in Payment (lifecycle.md)")
def test_what_a_killed_process_left_is_turned_once_by_another(tmp_path: Path) -> None:
    outcome = SplitTrial().kill(f"sqlite:///{tmp_path}/foreknow.sqlite3", commits=[2])
    assert outcome.kills == outcome.rounds == 2
    assert outcome.positions > 0
