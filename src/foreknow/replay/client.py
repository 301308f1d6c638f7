"""The service as its clients see it: requests over one pool of connections, tried again where that is safe."""

from __future__ import annotations

import asyncio
import ssl
from http.cookiejar import CookieJar, DefaultCookiePolicy
from types import TracebackType
from typing import Any, Self

import httpx

from foreknow.replay.errors import ReplayFailed

PREFIX = "/api/v1"
TIMEOUT_S = 30.0
#: How often a request is sent before the replay gives up, and how long it pauses where the service does not say.
ATTEMPTS = 8
PAUSE_S = 0.5
CONNECTIONS_MAX = 64
_AGAIN = {429, 503}


class ApiClient:
    """A client of one service's interface, to be used as `async with ApiClient(url) as site`."""

    def __init__(self, url: str) -> None:
        """Speak to the service at `url`, its origin."""
        self._idle: asyncio.LifoQueue[httpx.AsyncClient] = asyncio.LifoQueue()
        self._clients = [_client(url, context) for context in [httpx.create_ssl_context()] * CONNECTIONS_MAX]

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
        """Return the body of the answer to a POST. `key` is its Idempotency-Key, under which it may be sent again."""
        return await self.call("POST", path, token, body=body, key=key)

    async def call(
        self,
        method: str,
        path: str,
        token: str | None = None,
        *,
        body: Any = None,
        query: dict[str, Any] | None = None,
        key: str | None = None,
    ) -> Any:
        """Return the body of a 2xx; raise `Refused` for a refusal and `ReplayFailed` where no answer comes."""
        headers = {} if token is None else {"Authorization": f"Bearer {token}"}
        if key is not None:
            headers["Idempotency-Key"] = key
        for attempt in range(1, ATTEMPTS + 1):
            client = await self._idle.get()
            try:
                answer = await client.request(method, path, headers=headers, json=body, params=query)
            except httpx.TransportError as failure:
                # Without a key it may have been done, and must not be done twice.
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


def _client(url: str, context: ssl.SSLContext) -> httpx.AsyncClient:
    """Make a client of one connection.

    httpx's own pool looks through all its connections at every request; with one for each market, that is most of the
    time a replay takes. Ours is a queue of those that are idle.
    """
    origin = httpx.URL(url.rstrip("/").removesuffix(PREFIX))
    return httpx.AsyncClient(
        base_url=str(origin).rstrip("/") + PREFIX,
        timeout=TIMEOUT_S,
        verify=context,
        limits=httpx.Limits(max_connections=1, max_keepalive_connections=1),
        # Whoever calls is told by a header alone: many accounts share a connection.
        cookies=CookieJar(DefaultCookiePolicy(allowed_domains=[])),
        # No proxy stands between us and this machine.
        trust_env=origin.host not in {"127.0.0.1", "::1", "localhost"},
    )


class Refused(ReplayFailed):
    """The service said no: `code` is the answer's error code."""

    def __init__(self, request: str, answer: httpx.Response) -> None:
        """Describe a refusal, or what else came that is no success."""
        self.status = answer.status_code
        try:
            told = answer.json()
        except ValueError:
            told = {}
        self.code: str = told.get("error", "") if isinstance(told, dict) else ""
        message = told.get("message", "") if isinstance(told, dict) else ""
        super().__init__(f"{request} answered {self.status} {self.code}: {message}".rstrip(": "))


def _body(method: str, path: str, answer: httpx.Response) -> Any:
    if not answer.is_success:
        raise Refused(f"{method} {path}", answer)
    try:
        return answer.json()
    except ValueError as broken:
        raise ReplayFailed(f"{method} {path} answered no JSON: is this a Foreknow service?") from broken
