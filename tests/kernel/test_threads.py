"""Background threads leave the cores to the event loop."""

from __future__ import annotations

import os
import sys
import threading

import pytest

from foreknow.kernel.threads import NICENESS, background_threads


def niceness() -> int:
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives threads priorities of their own")
def test_they_alone_run_at_a_lower_priority() -> None:
    ours = niceness()
    with background_threads(1, name="test") as threads:
        assert threads.submit(niceness).result() == min(19, ours + NICENESS)
    assert niceness() == ours
