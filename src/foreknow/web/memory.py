"""Memory use of this process against its limit: over a container's limit, the kernel kills it."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

#: Part of the limit from which memory is short.
SHORT_FROM = 0.9
MIB = 1024 * 1024
#: Version 1 of cgroups writes "no limit" as a number near 2^63.
_NO_LIMIT_BYTES = 2**60
_PAGE_BYTES = os.sysconf("SC_PAGE_SIZE")
_PROC, _CGROUPS = Path("/proc/self"), Path("/sys/fs/cgroup")


class Memory:
    """Whether memory is short, as of the last measurement."""

    def __init__(self, limit_bytes: int | None, *, proc: Path = _PROC) -> None:
        """Compare this process's memory with `limit_bytes` (None: no limit)."""
        self.limit_bytes = limit_bytes
        self.is_short = False
        self._proc = proc

    def measure(self) -> None:
        """Update `is_short`; takes some microseconds."""
        if self.limit_bytes is not None:
            self.is_short = resident_bytes(self._proc) >= SHORT_FROM * self.limit_bytes


def resident_bytes(proc: Path = _PROC) -> int:
    """Return the resident memory of this process; 0 on systems other than Linux."""
    try:
        return int((proc / "statm").read_text().split()[1]) * _PAGE_BYTES
    except OSError:
        return 0


def cgroup_limit_bytes(proc: Path = _PROC, cgroups: Path = _CGROUPS) -> int | None:
    """Return the lowest memory limit of this process's control groups (version 1 or 2); None without one."""
    limits = [limit for file in _limit_files(proc, cgroups) if (limit := _limit_in(file)) is not None]
    return min(limits, default=None)


def _limit_files(proc: Path, cgroups: Path) -> Iterator[Path]:
    """Yield the limit files of our control groups and their ancestors."""
    try:
        lines = (proc / "cgroup").read_text().splitlines()
    except OSError:
        return
    for line in lines:
        _, controllers, group = line.split(":", 2)
        if not controllers:
            root, name = cgroups, "memory.max"
        elif "memory" in controllers.split(","):
            root, name = cgroups / "memory", "memory.limit_in_bytes"
        else:
            continue
        # In a container its own group is often mounted as the root, while `group` is the host's path.
        inside = Path(group.lstrip("/"))
        yield from (root / ancestor / name for ancestor in (inside, *inside.parents))


def _limit_in(file: Path) -> int | None:
    try:
        text = file.read_text().strip()
    except OSError:
        return None
    limit = int(text) if text.isdigit() else None
    return None if limit is None or limit >= _NO_LIMIT_BYTES else limit
