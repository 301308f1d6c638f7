"""Processes that score a pool and are killed at a commit, short."""

from __future__ import annotations

from pathlib import Path

from faults.scores import PEOPLE, ScoreTrial
from tests.support.proofs import proves


@proves("forecasts: pools are scored within a minute of being final, each once, whatever is killed.")
def test_what_a_killed_process_left_is_scored_once_by_another(tmp_path: Path) -> None:
    outcome = ScoreTrial().kill(f"sqlite:///{tmp_path}/foreknow.sqlite3", commits=[3])
    assert outcome.kills == outcome.rounds == 2
    assert 0 < outcome.scores < 2 * PEOPLE
