"""Whose page a request comes from."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit


def origin_of(url: str) -> str:
    """Return the origin of an absolute URL."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower()


def is_cross_site(headers: Mapping[bytes, bytes], own_origin: str | None) -> bool:
    """Return whether a browser sent this from another site's page; `own_origin` is ours where a proxy rewrites Host."""
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        return site not in {b"same-origin", b"none"}
    origin = headers.get(b"origin")
    if origin is None:
        return False
    theirs = origin.decode("latin-1").lower()
    host = headers.get(b"host", b"").decode("latin-1").lower()
    return theirs != own_origin and (not host or urlsplit(theirs).netloc != host)
