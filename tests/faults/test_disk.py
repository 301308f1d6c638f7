"""Disks that are full, fail, or lose a file of SQLite's under a service at work."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from faults.disk import FAULTS, Scene, meet
from faults.vfs import Disk


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS.keys())
def test_a_fault_of_the_disk_is_answered_503_and_loses_no_answered_bet(fault: Callable[[Scene, Disk], None]) -> None:
    trader = meet(fault)
    assert trader.wrong == []
    assert trader.statuses[503]
    assert trader.statuses.keys() == {200, 201, 503}
