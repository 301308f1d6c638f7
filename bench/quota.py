"""A limit of CPU time for processes: the kernel's own (control groups of Linux, version 1 or 2; needs root).

With a small share for each worker, the cores that are left do for a database and clients what more cores would.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator
from pathlib import Path

#: Short, so that a worker which used its share up waits for a few milliseconds only.
PERIOD_US = 5_000
_V1 = Path("/sys/fs/cgroup/cpu")
_V2 = Path("/sys/fs/cgroup")


@contextlib.contextmanager
def limited(process_ids: Iterable[int], share: float) -> Iterator[None]:
    """Give each process `share` of a core while the block runs."""
    groups = []
    try:
        for process_id in process_ids:
            groups.append(_group(f"foreknow-bench-{os.getpid()}-{process_id}", round(share * PERIOD_US)))
            (groups[-1] / "cgroup.procs").write_text(str(process_id))
        yield
    finally:
        for group in groups:
            _remove(group)


def _group(name: str, quota_us: int) -> Path:
    if (_V1 / "cpu.cfs_quota_us").exists():
        group = _V1 / name
        group.mkdir()
        (group / "cpu.cfs_period_us").write_text(str(PERIOD_US))
        (group / "cpu.cfs_quota_us").write_text(str(quota_us))
        return group
    group = _V2 / name
    group.mkdir()
    (group / "cpu.max").write_text(f"{quota_us} {PERIOD_US}")
    return group


def _remove(group: Path) -> None:
    """Put the processes of a group back where they may use what they want, then remove it."""
    for process_id in (group / "cgroup.procs").read_text().split():
        with contextlib.suppress(ProcessLookupError):
            (group.parent / "cgroup.procs").write_text(process_id)
    group.rmdir()
