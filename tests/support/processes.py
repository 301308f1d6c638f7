"""Which processes serve, and which of them a connection leads to, as Linux tells."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable
from pathlib import Path

_ESTABLISHED = "01"


def workers_of(pid: int) -> list[int]:
    """Return the workers of a `foreknow serve --workers`: what its fork server has started, all but dead ones."""
    return [worker for child in _children(pid) if "forkserver" in _command(child) for worker in _children(child)]


def is_alive(pid: int) -> bool:
    """Tell whether a process runs; one that its parent has not waited for does not."""
    try:
        return "zombie" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


def server_of(*, server_port: int, client_port: int, among: Iterable[int]) -> int | None:
    """Return which process answers on a connection of this machine; None where none took it yet."""
    socket_name = _socket_name(server_port=server_port, client_port=client_port)
    return next((pid for pid in among if socket_name in _open_files(pid)), None)


def _socket_name(*, server_port: int, client_port: int) -> str:
    for line in Path("/proc/net/tcp").read_text().splitlines()[1:]:
        _, local, remote, state, *rest = line.split()
        ports = (int(local.split(":")[1], 16), int(remote.split(":")[1], 16))
        if ports == (server_port, client_port) and state == _ESTABLISHED:
            return f"socket:[{rest[5]}]"
    return "no socket"


def _open_files(pid: int) -> set[str]:
    found: set[str] = set()
    for link in Path(f"/proc/{pid}/fd").iterdir():
        with contextlib.suppress(FileNotFoundError):
            found.add(str(link.readlink()))
    return found


def _children(pid: int) -> list[int]:
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    except FileNotFoundError:
        return []
    return [child for child in map(int, found) if is_alive(child)]


def _command(pid: int) -> str:
    try:
        return Path(f"/proc/{pid}/cmdline").read_text()
    except FileNotFoundError:
        return ""
