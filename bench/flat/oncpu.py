"""How long processes were on a CPU, to the microsecond, from /proc (Linux): fine enough for a single request."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path


def on_cpu_ms(process_ids: Iterable[int]) -> float:
    """Return the milliseconds that all threads of these processes were on a CPU so far."""
    nanoseconds = 0
    for process_id in process_ids:
        for schedule in Path(f"/proc/{process_id}/task").glob("*/schedstat"):
            with contextlib.suppress(OSError):
                nanoseconds += int(schedule.read_text(encoding="ascii").split()[0])
    return nanoseconds / 1e6
