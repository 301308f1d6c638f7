"""The client's IP address.

Any client can send `X-Forwarded-For`, so only entries written by trusted proxies count: the last entry was written by
the proxy that connected to us, the one before by that proxy's peer, and so on. The first address from the right that is
not a trusted proxy is the client's.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

from foreknow.kernel.networks import Network

#: The address of a Unix socket's peer.
UNKNOWN = "unknown"
#: Size of the caches of resolved addresses.
_CACHE_SIZE = 4_096
#: Limits the parsed part of a header: its right end, where our proxies write.
_HEADER_BYTES_MAX = 2_048
_WITH_PORT = re.compile(r"(?:\[(?P<six>[^\]]*)\]|(?P<four>[0-9.]+))(?::[0-9]{1,5})?")
#: The smallest network that a client with one IPv6 address controls.
_IPV6_HOST_PREFIX = 64


class ClientAddresses:
    """Resolves clients' addresses behind `trusted` proxies."""

    def __init__(self, trusted: Iterable[Network] = ()) -> None:
        """Trust the proxies in these networks."""
        self._trusted = tuple(trusted)
        self._resolve = lru_cache(_CACHE_SIZE)(self._walk)
        #: Whether an address is a trusted proxy's.
        self.is_trusted = lru_cache(_CACHE_SIZE)(self._is_trusted)

    def client(self, scope: Any) -> str:
        """Return the client's address of an ASGI scope; `UNKNOWN` if the peer has none."""
        client = scope.get("client")
        peer: str = client[0] if client else UNKNOWN
        if not self._trusted:
            return peer
        # Several headers form one list.
        lines = [value for name, value in scope["headers"] if name == b"x-forwarded-for"]
        return self._resolve(peer, b",".join(lines)[-_HEADER_BYTES_MAX:]) if lines else peer

    def _is_trusted(self, address: str) -> bool:
        found = _address(address) if self._trusted else None
        return found is not None and _within(found, self._trusted)

    def _walk(self, peer: str, header: bytes) -> str:
        nearest = _address(peer)
        for text in reversed(header.decode("latin-1").split(",")):
            if nearest is None or not _within(nearest, self._trusted):
                break
            farther = _address(text.strip())
            if farther is None:
                # Not an address: the proxy that wrote it counts as the client.
                break
            nearest = farther
        return peer if nearest is None else str(nearest)


@lru_cache(_CACHE_SIZE)
def rate_limit_key(address: str) -> str:
    """Return the key under which limits count an address: an IPv4 address, or the /64 of an IPv6 address."""
    if ":" not in address:
        return address
    found = _address(address)
    if not isinstance(found, IPv6Address):
        return address if found is None else str(found)
    return str(IPv6Network((found, _IPV6_HOST_PREFIX), strict=False))


def is_loopback(address: str) -> bool:
    """Return whether an address is this machine's loopback."""
    found = _address(address)
    return found is not None and found.is_loopback


def _address(text: str) -> IPv4Address | IPv6Address | None:
    match = _WITH_PORT.fullmatch(text)
    bare = (match["six"] or match["four"] or "") if match else text
    try:
        found = ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        return found.ipv4_mapped
    return found


def _within(address: IPv4Address | IPv6Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)
