"""Where SQLite's commits wait for the disk: on the event loop while the disk is quick, or on the writer's thread."""

from __future__ import annotations

from collections.abc import Callable

#: A commit this quick is not worth a thread: after it the thread waits for Python's lock, up to five milliseconds while
#: the loop has work, and each of the loop's steps meanwhile costs more.
QUICK_S = 0.002
#: Part of the newest commit in the usual one, and the most that it counts for: one that also copies the log into the
#: file takes longer than the others.
NEWEST_SHARE = 0.2
COUNTED_S_MAX = 0.005
#: A slow disk is tried again after this multiple of the commit's time, or this long.
PAUSE_SHARE = 100.0
PAUSE_S = 1.0


class DiskPace:
    """How long commits usually take; a disk is taken for quick until it is known."""

    def __init__(self) -> None:
        """Start without a commit."""
        self._usual_s = 0.0
        self._again_at_s = 0.0

    def is_quick(self, now_s: float) -> bool:
        """Return whether to commit on the event loop; `now_s` by one monotonic clock."""
        return self._usual_s <= QUICK_S or now_s >= self._again_at_s

    def take(self, commit: Callable[[], object], clock: Callable[[], float]) -> None:
        """Commit on the event loop, and note how long it took."""
        began_s = clock()
        commit()
        ended_s = clock()
        self.note(ended_s - began_s, ended_s)

    def note(self, seconds: float, now_s: float) -> None:
        """Note how long a commit on the event loop took."""
        self._usual_s += NEWEST_SHARE * (min(seconds, COUNTED_S_MAX) - self._usual_s)
        self._again_at_s = now_s + max(PAUSE_S, PAUSE_SHARE * seconds)
