"""Parses hosts and origins, as in the Host header and in settings."""

from __future__ import annotations

import re
from ipaddress import IPv6Address
from urllib.parse import urlsplit

_HOST = re.compile(
    r"(?P<name>[a-z0-9._-]{1,255}|\[(?P<v6>[0-9a-f:.]{2,45})\])(:(?P<port>[0-9]{1,5}))?", re.ASCII | re.IGNORECASE
)
_LABEL = re.compile(r"[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?", re.ASCII | re.IGNORECASE)
_PORT_MAX = 65_535
#: Hosts of this machine alone.
LOOPBACK = frozenset({"localhost", "127.0.0.1", "::1"})


def is_host(text: str) -> bool:
    """Return whether a text is `host` or `host:port`: a name of ASCII labels, an IPv4 or a bracketed IPv6 address."""
    found = _HOST.fullmatch(text)
    if found is None:
        return False
    if found["port"] is not None and not 1 <= int(found["port"]) <= _PORT_MAX:
        return False
    if found["v6"] is None:
        return all(map(_LABEL.fullmatch, found["name"].removesuffix(".").split(".")))
    try:
        IPv6Address(found["v6"])
    except ValueError:
        return False
    return True


def parse_origin(text: str) -> str:
    """Return `http(s)://host[:port]` without a trailing slash. Raises `ValueError` for anything else."""
    scheme, separator, rest = text.partition("://")
    if scheme.lower() not in {"http", "https"} or not separator or not is_host(rest.removesuffix("/")):
        raise ValueError("it has the form http(s)://host[:port], with nothing after it")
    return text.removesuffix("/")


def without_secrets(url: str) -> str:
    """Return a URL without its password and its query, to log or show it."""
    if "://" not in url:
        return url
    parts = urlsplit(url)
    user, at, host = parts.netloc.rpartition("@")
    return f"{parts.scheme}://{user.partition(':')[0]}{at}{host}{parts.path}"
