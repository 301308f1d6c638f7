"""Connections to other sites, whose responses are parsed in small pieces, with the event loop's other work between.

However fast servers send, and however many do: one piece is parsed at a time (`pieces`).
"""

from __future__ import annotations

import asyncio
import socket
import ssl
from collections.abc import Iterable
from typing import Any
from urllib.request import getproxies, proxy_bypass
from weakref import WeakKeyDictionary

import httpcore2
import httpx2

from foreknow.kernel.tls import client_context
from foreknow.platform.fetching.pieces import PIECE_BYTES, Endless, ResponsePieces

#: What the system receives ahead of us. Less would slow down distant servers: so much comes within one round trip.
RECEIVED_BYTES = 32 * 1024
CONNECTIONS_MAX = 100

_turns: WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Lock] = WeakKeyDictionary()


async def _turn() -> None:
    """Return when a piece may be parsed: one in a pass of the event loop, of all connections together."""
    async with _turns.setdefault(asyncio.get_running_loop(), asyncio.Lock()):
        await asyncio.sleep(0)


class OutsideTransport(httpx2.AsyncHTTPTransport):
    """Sends requests of httpx2 within the bounds of `pieces`, whatever the environment says of proxies."""

    def __init__(
        self,
        *,
        tls: ssl.SSLContext | None = None,
        proxy: str | None = None,
        connections_kept: int = 20,
        connections_max: int = CONNECTIONS_MAX,
    ) -> None:
        """`tls` verifies certificates, by default with those that all outgoing connections trust.

        `proxy` is the URL of one that all requests go through. `connections_kept` stay open after a response.
        """
        context = tls or client_context()
        super().__init__(verify=context, trust_env=False)
        through = None if proxy is None else httpx2.Proxy(proxy)
        # The only place to say who connects.
        self._pool = httpcore2.AsyncConnectionPool(
            ssl_context=context,
            proxy=None if through is None else httpcore2.Proxy(str(through.url), through.raw_auth),
            max_connections=connections_max,
            max_keepalive_connections=connections_kept,
            keepalive_expiry=5.0,
            network_backend=_Backend(),
        )


class ProxiedTransport(httpx2.AsyncBaseTransport):
    """Sends requests through the proxies of the environment: HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, but for NO_PROXY."""

    def __init__(self, *, connections_max: int = CONNECTIONS_MAX) -> None:
        """Read the environment; `connections_max` are open at a time through each proxy."""
        self._connections_max = connections_max
        self._proxies = getproxies()
        self._transports: dict[str | None, OutsideTransport] = {}

    async def handle_async_request(self, request: httpx2.Request) -> httpx2.Response:
        """Send a request."""
        proxy = self._proxy_of(request.url)
        if proxy not in self._transports:
            self._transports[proxy] = OutsideTransport(proxy=proxy, connections_max=self._connections_max)
        return await self._transports[proxy].handle_async_request(request)

    async def aclose(self) -> None:
        """Close the connections."""
        for transport in self._transports.values():
            await transport.aclose()

    def _proxy_of(self, url: httpx2.URL) -> str | None:
        if proxy_bypass(url.netloc.decode("ascii")):
            return None
        proxy = self._proxies.get(url.scheme) or self._proxies.get("all")
        return proxy if not proxy or "://" in proxy else f"http://{proxy}"


class _Backend(httpcore2.AsyncNetworkBackend):
    """Connects."""

    def __init__(self) -> None:
        self._inner = httpcore2.AnyIOBackend()

    async def connect_tcp(
        self,
        host: str,
        port: int,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's
        local_address: str | None = None,
        socket_options: Iterable[httpcore2.SOCKET_OPTION] | None = None,
    ) -> httpcore2.AsyncNetworkStream:
        options = [(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVED_BYTES), *(socket_options or ())]
        return _Stream(await self._inner.connect_tcp(host, port, timeout, local_address, options))

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


class _Stream(httpcore2.AsyncNetworkStream):
    """A connection, read in pieces."""

    def __init__(self, inner: httpcore2.AsyncNetworkStream) -> None:
        self._inner = inner
        self._pieces = ResponsePieces()
        self._has_read = False

    async def read(self, max_bytes: int, timeout: float | None = None) -> bytes:  # noqa: ASYNC109 - httpcore's
        self._has_read = True
        try:
            while (piece := self._pieces.take()) is None:
                data = await self._inner.read(PIECE_BYTES, timeout)
                if not data:
                    return self._pieces.rest()
                self._pieces.feed(data)
        except Endless as endless:
            raise httpcore2.RemoteProtocolError(str(endless)) from endless
        await _turn()
        return piece

    async def write(self, buffer: bytes, timeout: float | None = None) -> None:  # noqa: ASYNC109 - httpcore's
        if self._has_read:
            # The next exchange.
            self._pieces, self._has_read = ResponsePieces(), False
        await self._inner.write(buffer, timeout)

    async def aclose(self) -> None:
        await self._inner.aclose()

    async def start_tls(
        self,
        ssl_context: ssl.SSLContext,
        server_hostname: str | None = None,
        timeout: float | None = None,  # noqa: ASYNC109 - httpcore's
    ) -> httpcore2.AsyncNetworkStream:
        try:
            return _Stream(await self._inner.start_tls(ssl_context, server_hostname, timeout))
        except asyncio.CancelledError:
            # httpcore closes it at all other failures.
            await self._inner.aclose()
            raise

    def get_extra_info(self, info: str) -> Any:
        # A connection on which more than a response has come is not used again.
        return (info == "is_readable" and not self._pieces.is_empty) or self._inner.get_extra_info(info)
