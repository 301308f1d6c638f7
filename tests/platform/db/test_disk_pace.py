"""Whether commits are worth a thread, from how long they take."""

from __future__ import annotations

from foreknow.platform.db.sqlite.database import PAUSE_S, QUICK_S, DiskPace


def test_a_disk_is_quick_until_it_is_slow_more_than_once() -> None:
    pace = DiskPace()
    assert pace.is_quick(0.0)
    for _ in range(20):
        pace.note(QUICK_S / 4, 0.0)
    # A commit that also copies the log into the file.
    pace.note(0.5, 1.0)
    assert pace.is_quick(1.0)
    pace.note(0.5, 2.0)
    assert not pace.is_quick(2.0)


def test_a_slow_disk_is_tried_again_the_later_the_slower_it_is() -> None:
    pace = DiskPace()
    for _ in range(5):
        pace.note(0.005, 0.0)
    assert not pace.is_quick(PAUSE_S / 2)
    assert pace.is_quick(PAUSE_S)
    pace.note(3.0, 1.0)
    assert not pace.is_quick(100.0)
    assert pace.is_quick(302.0)


def test_a_disk_that_is_quick_again_is_used_so() -> None:
    pace = DiskPace()
    for _ in range(5):
        pace.note(0.005, 0.0)
    for tried in range(1, 20):
        pace.note(QUICK_S / 4, float(tried))
    assert pace.is_quick(19.0)
