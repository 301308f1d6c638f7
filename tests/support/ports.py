"""Ports that a server of another process is to have."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def kept_port() -> Iterator[int]:
    """Keep a port of this machine for a server that is started, and started again, while the block runs.

    Bound, but without a listener: the system gives it to no one who asks for any port, and to a server that asks for it
    by `SO_REUSEADDR`, as ours does.
    """
    with socket.socket() as kept:
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        yield int(kept.getsockname()[1])
