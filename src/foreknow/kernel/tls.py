"""The TLS context of all outgoing connections."""

from __future__ import annotations

import functools
import ssl

import httpx2


@functools.cache
def client_context() -> ssl.SSLContext:
    """Return the shared context; loading its certificates takes longer than the rest of a start."""
    return httpx2.create_ssl_context()
