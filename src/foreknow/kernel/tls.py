"""The TLS context of all outgoing connections."""

from __future__ import annotations

import functools
import ssl

import httpx


@functools.cache
def client_context() -> ssl.SSLContext:
    """Return the shared context; loading its certificates takes longer than the rest of a start."""
    return httpx.create_ssl_context()
