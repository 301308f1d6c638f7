"""Whose page a request comes from."""

from __future__ import annotations

from collections.abc import Mapping
from urllib.parse import urlsplit

_OWN_PORTS = {"http": ":80", "https": ":443"}


def origin_of(url: str) -> str:
    """Return the origin of an absolute URL as browsers write it: in lower case, without the scheme's own port."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc}".lower().removesuffix(_OWN_PORTS.get(parts.scheme, ""))


def is_cross_site(headers: Mapping[bytes, bytes], own_origin: str | None) -> bool:
    """Return whether a browser sent this from another site's page.

    `own_origin` is this site's where it is set (`FOREKNOW_PUBLIC_URL`), and then alone counts; None: the Host's.
    """
    site = headers.get(b"sec-fetch-site")
    if site is not None:
        return site not in {b"same-origin", b"none"}
    origin = headers.get(b"origin")
    if origin is None:
        return False
    theirs = origin.decode("latin-1").lower()
    scheme, _, their_host = theirs.partition("://")
    own_port = _OWN_PORTS.get(scheme, "")
    if own_origin is not None:
        return theirs.removesuffix(own_port) != own_origin
    # Which scheme the browser sees, a proxy alone knows.
    host = headers.get(b"host", b"").decode("latin-1").lower()
    return not host or their_host.removesuffix(own_port) != host.removesuffix(own_port)
