"""The HTTP client: a pool of connections, and retries where a repeated request is safe."""

from __future__ import annotations

import asyncio
import ssl
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Any, Self

import httpx2

from foreknow.commands.replay.errors import ReplayFailed

PREFIX = "/api/v1"
TIMEOUT_S = 30.0
#: Attempts for one request; the pause between two where the service sends no Retry-After.
ATTEMPTS = 8
PAUSE_S = 0.5
CONNECTIONS_MAX = 64
_AGAIN = {429, 503}


class ApiClient:
    """A client of one service's interface, to be used as `async with ApiClient(url) as client`."""

    def __init__(self, url: str) -> None:
        """Connect to the service at `url`, its origin."""
        self._idle: asyncio.LifoQueue[httpx2.AsyncClient] = asyncio.LifoQueue()
        self._clients = [_client(url, context) for context in [httpx2.create_ssl_context()] * CONNECTIONS_MAX]

    async def __aenter__(self) -> Self:
        """Open."""
        for client in self._clients:
            self._idle.put_nowait(client)
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, raised: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close all connections."""
        for client in self._clients:
            await client.aclose()

    async def get(self, path: str, token: str | None = None, **query: Any) -> Any:
        """Return the body of a GET."""
        return await self.call("GET", path, token, query=query)

    async def post(self, path: str, token: str | None = None, body: Any = None, *, key: str | None = None) -> Any:
        """Return the body of a POST. With `key`, its Idempotency-Key, the request may be retried."""
        return await self.call("POST", path, token, body=body, key=key)

    async def call(
        self,
        method: str,
        path: str,
        token: str | None = None,
        *,
        body: Any = None,
        content: bytes | None = None,
        query: dict[str, Any] | None = None,
        key: str | None = None,
    ) -> Any:
        """Return the body of a 2xx. `body` is sent as JSON, `content` as it is.

        Raises `RequestFailed` for another status, `ReplayFailed` without a response.
        """
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        for attempt in range(1, ATTEMPTS + 1):
            client = await self._idle.get()
            try:
                answer = await client.request(method, path, headers=headers, json=body, content=content, params=query)
            except httpx2.TransportError as failure:
                # A write without a key may have been executed already.
                if attempt == ATTEMPTS or not (method == "GET" or key is not None):
                    raise ReplayFailed(f"{method} {path}: {str(failure) or type(failure).__name__}") from failure
                await asyncio.sleep(PAUSE_S)
                continue
            finally:
                self._idle.put_nowait(client)
            if answer.status_code in _AGAIN and attempt < ATTEMPTS:
                await asyncio.sleep(float(answer.headers.get("Retry-After", PAUSE_S)))
                continue
            return _body(method, path, answer)
        raise AssertionError


def _client(url: str, context: ssl.SSLContext) -> httpx2.AsyncClient:
    """Make a client of one connection.

    The pool of httpx2 scans all its connections for every request, which takes most of the time of a replay with 64 of
    them. This one is a queue of idle clients.
    """
    origin = httpx2.URL(url.rstrip("/").removesuffix(PREFIX))
    return httpx2.AsyncClient(
        base_url=str(origin).rstrip("/") + PREFIX,
        timeout=TIMEOUT_S,
        verify=context,
        limits=httpx2.Limits(max_connections=1, max_keepalive_connections=1),
        # Accounts share connections: only the Authorization header identifies the caller.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        # No proxy for a service on this machine.
        trust_env=origin.host not in {"127.0.0.1", "::1", "localhost"},
    )


class RequestFailed(ReplayFailed):
    """The service answered with an error; `code` is its error code."""

    def __init__(self, request: str, answer: httpx2.Response) -> None:
        """Describe an error response."""
        self.status = answer.status_code
        try:
            body = answer.json()
        except ValueError:
            body = {}
        self.code: str = body.get("error", "") if isinstance(body, dict) else ""
        message = body.get("message", "") if isinstance(body, dict) else ""
        super().__init__(f"{request} answered {self.status} {self.code}: {message}".rstrip(": "))


def _body(method: str, path: str, answer: httpx2.Response) -> Any:
    if not answer.is_success:
        raise RequestFailed(f"{method} {path}", answer)
    try:
        return answer.json()
    except ValueError as broken:
        raise ReplayFailed(f"{method} {path} answered no JSON: is this a Foreknow service?") from broken
