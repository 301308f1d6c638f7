"""CPU time of other processes, from /proc (Linux; elsewhere it is not a number).

A rate depends on whatever else the machine does; what a request costs the server in CPU time hardly does.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")
#: Places in /proc/PID/stat, counted from the state that follows the command's name.
_PARENT, _USER, _SYSTEM, _CHILDREN_USER, _CHILDREN_SYSTEM = 1, 11, 12, 13, 14


def cpu_s(process_id: int) -> float:
    """Return the CPU seconds that a process has used so far, all its threads together."""
    fields = _fields(process_id)
    return math.nan if fields is None else _TICK_S * (int(fields[_USER]) + int(fields[_SYSTEM]))


def family_cpu_s(process_id: int) -> float:
    """Return the CPU seconds of a process and its children, those that have ended too: of a whole PostgreSQL server."""
    own = _fields(process_id)
    if own is None:
        return math.nan
    ticks = sum(int(own[place]) for place in (_USER, _SYSTEM, _CHILDREN_USER, _CHILDREN_SYSTEM))
    for folder in Path("/proc").glob("[0-9]*"):
        fields = _fields(int(folder.name))
        if fields is not None and int(fields[_PARENT]) == process_id:
            ticks += int(fields[_USER]) + int(fields[_SYSTEM])
    return _TICK_S * ticks


def _fields(process_id: int) -> list[str] | None:
    try:
        text = Path(f"/proc/{process_id}/stat").read_text(encoding="ascii", errors="replace")
    except OSError:
        return None
    # The command's name is in brackets and may contain any character.
    return text.rpartition(")")[2].split()
