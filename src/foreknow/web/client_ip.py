"""Where a request comes from.

`X-Forwarded-For` is a claim that anybody can make: it counts only as far as proxies that the operator named wrote it.
Its last address was written by the proxy that connected to us, and so on to the left; the first one that is no proxy
of ours is the client.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from ipaddress import IPv4Address, IPv6Address, IPv6Network, ip_address
from typing import Any

from foreknow.kernel.networks import Network

#: Whose address is not known: a Unix socket's peer.
UNKNOWN = "unknown"
#: So many pairs of peer and header are remembered.
_REMEMBERED = 4_096
#: A longer header is not looked through: its right end, where our own proxies write, tells.
_HEADER_BYTES_MAX = 2_048
_WITH_PORT = re.compile(r"(?:\[(?P<six>[^\]]*)\]|(?P<four>[0-9.]+))(?::[0-9]{1,5})?")
#: Who has one IPv6 address has at least a /64 of them.
_IPV6_HOST_PREFIX = 64


class ClientAddresses:
    """Finds the client's address, believing only the proxies `trusted`."""

    def __init__(self, trusted: Iterable[Network] = ()) -> None:
        """Believe what proxies in these networks say of their clients."""
        self._trusted = tuple(trusted)
        self._resolve = lru_cache(_REMEMBERED)(self._walk)
        #: Tells whether an address is a trusted proxy's.
        self.is_trusted = lru_cache(_REMEMBERED)(self._is_trusted)

    def client(self, scope: Any) -> str:
        """Return the address of the client behind an ASGI scope, `UNKNOWN` where its peer has none."""
        client = scope.get("client")
        peer: str = client[0] if client else UNKNOWN
        if not self._trusted:
            return peer
        # A list over several lines is one list.
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
                # Not an address: the proxy that wrote it is as far as we know.
                break
            nearest = farther
        return peer if nearest is None else str(nearest)


@lru_cache(_REMEMBERED)
def rate_limit_key(address: str) -> str:
    """Return under which name an address is counted: itself, or its /64 where it is IPv6."""
    if ":" not in address:
        return address
    found = _address(address)
    if not isinstance(found, IPv6Address):
        return address if found is None else str(found)
    return str(IPv6Network((found, _IPV6_HOST_PREFIX), strict=False))


def is_loopback(address: str) -> bool:
    """Tell whether an address is of this very machine."""
    found = _address(address)
    return found is not None and found.is_loopback


def _address(text: str) -> IPv4Address | IPv6Address | None:
    ported = _WITH_PORT.fullmatch(text)
    bare = (ported["six"] or ported["four"] or "") if ported else text
    try:
        found = ip_address(bare.partition("%")[0])
    except ValueError:
        return None
    if isinstance(found, IPv6Address) and found.ipv4_mapped is not None:
        return found.ipv4_mapped
    return found


def _within(address: IPv4Address | IPv6Address, networks: Sequence[Network]) -> bool:
    return any(address in network for network in networks)
