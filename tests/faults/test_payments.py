"""Processes that pay and are killed at a commit, short."""

from __future__ import annotations

from pathlib import Path

from faults.payments import PaymentTrial
from tests.support.proofs import proves


@proves(
    "lifecycle: Whatever dies, another goes on within 5 s;",
    "lifecycle: each piece once, whatever is killed.",
    "lifecycle: `foreknow audit` is clean at every moment.",
    "results: Audit: what was paid is the last of `history`; no final pool has an open objection.",
)
def test_what_a_killed_process_left_is_paid_once_by_another(tmp_path: Path) -> None:
    outcome = PaymentTrial().kill(f"sqlite:///{tmp_path}/foreknow.sqlite3", commits=[2])
    # Before and after it, of a pool resolved at once, of one whose window has ended, and of one that was held.
    assert outcome.kills == outcome.rounds == 6
    assert outcome.positions > 0
