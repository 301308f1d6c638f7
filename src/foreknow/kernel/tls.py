"""Whom we trust when we speak TLS to others."""

from __future__ import annotations

import functools
import ssl

import httpx


@functools.cache
def trusted() -> ssl.SSLContext:
    """Return the context of all our clients; reading its certificates takes longer than the rest of a start."""
    return httpx.create_ssl_context()
