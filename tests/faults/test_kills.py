"""Servers that are killed under load, short."""

from __future__ import annotations

from pathlib import Path

from faults.kills import BETS_BETWEEN, kill_often


def test_a_killed_server_loses_nothing_and_does_nothing_twice(tmp_path: Path) -> None:
    load = kill_often(f"sqlite:///{tmp_path}/foreknow.sqlite3", kills=1)
    assert len(load.answered) >= BETS_BETWEEN
    assert load.unanswered
    # Bets filled the orders of a maker, who was paid for each fill once.
    assert load.brought_kopecks
