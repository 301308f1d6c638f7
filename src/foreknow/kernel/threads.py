"""Threads for work that must not slow the event loop down."""

from __future__ import annotations

import contextlib
import os
import sys
import threading
from concurrent.futures import ThreadPoolExecutor

#: Added to the niceness of background threads: a third of the event loop's share where both want the same core.
NICENESS = 5


def background_threads(count: int, *, name: str) -> ThreadPoolExecutor:
    """Return a pool of `count` threads that run at a lower priority than the rest of the process, on Linux."""
    return ThreadPoolExecutor(count, thread_name_prefix=name, initializer=_lower_priority)


def _lower_priority() -> None:
    # Only Linux gives each thread a priority of its own; elsewhere this would slow the whole process down.
    if sys.platform == "linux":
        with contextlib.suppress(OSError):
            thread_id = threading.get_native_id()
            os.setpriority(os.PRIO_PROCESS, thread_id, os.getpriority(os.PRIO_PROCESS, thread_id) + NICENESS)
