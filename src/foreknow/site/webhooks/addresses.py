"""Which addresses webhooks may have: those of the internet, by https and name; others only as the settings spell them.

A name's own addresses are checked when it is connected to, at every message (`fetching.PublicTransport`).
"""

from __future__ import annotations

from collections.abc import Collection
from ipaddress import ip_address
from urllib.parse import urlsplit

from foreknow.kernel.hosts import is_host
from foreknow.kernel.validation.fields import wrong_field
from foreknow.kernel.validation.urls import URL_LENGTH_MAX, optional_url

#: For the API page: lower-case names on the internet. Capitals, other ends of names and the hosts of the settings are
#: accepted, too.
ADDRESS_SCHEMA = {
    "maxLength": URL_LENGTH_MAX,
    "pattern": r"^(https://([a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?\.){1,4}[a-z]{2,20}(:[1-9][0-9]{0,3})?([/?][!-\"$-~]*)?)?$",
}

#: Ends of names that mean this machine or its network (RFC 6761, RFC 6762, and the domain that ICANN set aside).
_INNER_ENDS = (".localhost", ".local", ".internal")


def read_address(text: str, internal_hosts: Collection[str]) -> str:
    """Return the URL of a webhook, or "" for none; `BadRequest` for one that is not allowed."""
    url = optional_url("url", text)
    if url and (problem := problem_of(url, internal_hosts)):
        raise wrong_field("url", problem)
    return url


def read_public_address(text: str, internal_hosts: Collection[str]) -> str:
    """Do as `read_address` for one who may not name the hosts of the settings: they are inside the operator's network.

    Such a host may have a form that a public one has, too.
    """
    url = read_address(text, ())
    host = (urlsplit(url).hostname or "").rstrip(".")
    if is_internal(url, internal_hosts) or (url and ("." not in host or host.endswith(_INNER_ENDS))):
        raise wrong_field("url", "must name a host on the internet; an operator sets any other")
    return url


def problem_of(url: str, internal_hosts: Collection[str]) -> str | None:
    """Return why an absolute http or https URL is not allowed; None if it is."""
    parts = urlsplit(url)
    if "@" in parts.netloc:
        return "must hold no user name and no password: messages are signed"
    if parts.fragment or not url.isascii():
        return "must be plain ASCII, without a fragment"
    if not is_host(parts.netloc):
        return "must name a host, and a port from 1 to 65535 if any"
    if is_internal(url, internal_hosts):
        return None
    if parts.scheme != "https" or _is_address(parts.hostname or ""):
        return "must begin with https:// and name a host, not an IP address"
    return None


def is_internal(url: str, internal_hosts: Collection[str]) -> bool:
    """Return whether the settings spell the URL's host."""
    return (urlsplit(url).hostname or "") in internal_hosts


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        # Short and octal forms (127.1, 0x7f000001), which resolvers read as addresses, end in a number.
        return host.rstrip(".").rpartition(".")[2][:1].isdigit()
    return True
