"""Connecting to names of other sites at public addresses only, and at exactly the addresses that were checked.

A name that resolves to an address inside our own network would let its owner send our requests there (server-side
request forgery). A check before the request is not enough, because the name may resolve differently a moment later
(DNS rebinding): the connection goes to the checked address, while TLS and the Host header keep the name.
"""

from __future__ import annotations

import asyncio
import contextlib
import socket
import ssl
import threading
from collections.abc import Awaitable, Callable, Sequence
from functools import partial
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network, ip_address

import httpx2

from foreknow.platform.fetching.outside import OutsideTransport

Address = IPv4Address | IPv6Address
#: Returns the addresses of a name (name, port); `OSError` where it has none.
Resolve = Callable[[str, int], Awaitable[Sequence[str]]]

#: Limits the addresses of a name that are tried.
ADDRESSES_MAX = 4
#: Time limit of each connection, so that the next address is tried while the request still has time.
CONNECT_S = 3.0

#: Blocks that `is_global` allows, or did in some release of Python, and no site on the internet has.
_NOT_PUBLIC_4 = (
    # Protocol assignments.
    IPv4Network("192.0.0.0/24"),
    # Anycast of 6to4 relays, withdrawn by RFC 7526.
    IPv4Network("192.88.99.0/24"),
    # The metadata service of Azure.
    IPv4Network("168.63.129.16/32"),
)
#: Global unicast, the only block of IPv6 from which addresses of sites are assigned.
_UNICAST_6 = IPv6Network("2000::/3")
_NOT_PUBLIC_6 = (
    # Protocol assignments, Teredo among them, whose addresses contain others.
    IPv6Network("2001::/23"),
    # Examples in documents.
    IPv6Network("2001:db8::/32"),
    IPv6Network("3fff::/20"),
    # 6to4, whose addresses contain those of IPv4.
    IPv6Network("2002::/16"),
)
#: IPv4 as seen through NAT64; the last 32 bits are the address.
_NAT64 = IPv6Network("64:ff9b::/96")


def is_public(address: Address) -> bool:
    """Return whether an address can be that of a site on the internet.

    Loopback, private and shared networks, link-local addresses (metadata services), multicast and reserved blocks are
    not, nor are IPv6 addresses that contain such an IPv4 address.
    """
    if isinstance(address, IPv6Address):
        if address.scope_id is not None:
            return False
        inner = address.ipv4_mapped
        if inner is None and address in _NAT64:
            inner = IPv4Address(int(address) & 0xFFFF_FFFF)
        if inner is None:
            return address in _UNICAST_6 and not any(address in block for block in _NOT_PUBLIC_6)
        address = inner
    is_usual = address.is_global and not address.is_multicast and not address.is_reserved
    return is_usual and not any(address in block for block in _NOT_PUBLIC_4)


async def resolve(name: str, port: int) -> Sequence[str]:
    """Return the addresses of a name, as the machine resolves it; `OSError`, `ValueError`.

    In a thread of its own: the owner of the name decides how long that takes, and the event loop has two threads for
    all names, those of the database and of sign-in providers among them.
    """
    loop = asyncio.get_running_loop()
    answer: asyncio.Future[Sequence[str]] = loop.create_future()

    def look_up() -> None:
        try:
            found = socket.getaddrinfo(name, port, type=socket.SOCK_STREAM)
        except (OSError, ValueError) as failure:
            tell(partial(answer.set_exception, failure))
        else:
            tell(partial(answer.set_result, [str(address[0]) for *_, address in found]))

    def tell(settle: Callable[[], None]) -> None:
        # The loop may have ended meanwhile.
        with contextlib.suppress(RuntimeError):
            loop.call_soon_threadsafe(lambda: None if answer.done() else settle())

    # Ends with the process, however long it takes.
    threading.Thread(target=look_up, name="resolve", daemon=True).start()
    return await answer


class PublicTransport(httpx2.AsyncBaseTransport):
    """Sends requests of httpx2: https to a name goes to its public addresses, anything else as its URL says.

    A name with any other address is not connected to at all. Ignores the environment's proxies, which would resolve
    names themselves.
    """

    def __init__(
        self,
        *,
        resolve: Resolve = resolve,
        is_public: Callable[[Address], bool] = is_public,
        tls: ssl.SSLContext | None = None,
        connections_kept: int = 0,
    ) -> None:
        """`tls` verifies certificates, by default with those that all outgoing connections trust.

        `connections_kept` open after a response: none unless all requests go to one name, because the pool knows
        connections by address, and one address may serve several names.
        """
        self._resolve = resolve
        self._is_public = is_public
        self._inner = OutsideTransport(tls=tls, connections_kept=connections_kept)

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request; `httpx2.ConnectError` where the name is not public."""
        if request.url.scheme != "https" or _is_address(request.url.host):
            return await self._inner.handle_async_request(request)
        name = request.url.raw_host.decode("ascii")
        failure: httpx2.ConnectError | httpx2.ConnectTimeout | None = None
        for address in await self._addresses(name, request.url.port or 443):
            try:
                return await self._inner.handle_async_request(_sent_to(address, request, name))
            except (httpx2.ConnectError, httpx2.ConnectTimeout) as failed:
                failure = failed
        raise failure or httpx2.ConnectError(f"{name} has no address")

    async def aclose(self) -> None:
        """Close the connections."""
        await self._inner.aclose()

    async def _addresses(self, name: str, port: int) -> Sequence[Address]:
        try:
            texts = await self._resolve(name, port)
            addresses = [ip_address(text) for text in dict.fromkeys(texts)]
        except (OSError, ValueError) as failure:
            raise httpx2.ConnectError(f"{name} cannot be resolved: {failure}") from failure
        for address in addresses:
            if not self._is_public(address):
                # Without the address: partners see this, and names of our network are none of their business.
                raise httpx2.ConnectError(f"{name} has an address that is not public")
        return addresses[:ADDRESSES_MAX]


def _is_address(host: str) -> bool:
    try:
        ip_address(host)
    except ValueError:
        return False
    return True


def _sent_to(address: Address, request: httpx2.Request, name: str) -> httpx2.Request:
    """Return the request for an address; its Host header, SNI and the certificate's check keep the name."""
    limits = {**request.extensions.get("timeout", {}), "connect": CONNECT_S}
    return httpx2.Request(
        request.method,
        request.url.copy_with(host=str(address)),
        headers=request.headers,
        stream=request.stream,
        extensions={**request.extensions, "timeout": limits, "sni_hostname": name},
    )
