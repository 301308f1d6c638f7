"""The TLS context of all outgoing connections."""

from __future__ import annotations

import functools
import ssl


@functools.cache
def client_context() -> ssl.SSLContext:
    """Return the shared context; loading its certificates takes longer than the rest of a start."""
    # Commands that ask no other service do not load it.
    import httpx2  # noqa: PLC0415

    return httpx2.create_ssl_context()
