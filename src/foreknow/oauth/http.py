"""HTTP client for providers, with limits on time and size, and without redirects."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import httpx
import msgspec
import structlog

from foreknow.kernel.tls import client_context
from foreknow.oauth.errors import ProviderUnavailable

log = structlog.get_logger("foreknow.oauth")

T = TypeVar("T")
#: Limits a step (connecting, the next bytes), and a whole request.
STEP_S = 5
REQUEST_S = 10
RESPONSE_BYTES_MAX = 256 * 1024
_CONNECTIONS = 20
#: Local hosts, which are reached without the environment's proxy.
_LOCAL: dict[str, None] = {"all://localhost": None, "all://127.0.0.1": None, "all://[::1]": None}


@dataclass(frozen=True, slots=True)
class OidcResponse:
    """A provider's response: its status and decoded JSON."""

    status: int
    content: Any


class OidcClient:
    """Sends requests to providers."""

    def __init__(self) -> None:
        """Connect lazily."""
        self._http = httpx.AsyncClient(
            verify=client_context(),
            timeout=httpx.Timeout(STEP_S),
            limits=httpx.Limits(max_connections=_CONNECTIONS),
            follow_redirects=False,
            mounts=_LOCAL,
            # A small compressed response could be huge when unpacked.
            headers={"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "foreknow"},
        )

    async def request(
        self,
        method: str,
        url: str,
        *,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
    ) -> OidcResponse:
        """Return a provider's JSON response of any status; `ProviderUnavailable`.

        Logs neither request nor response: both hold secrets.
        """
        try:
            async with asyncio.timeout(REQUEST_S):
                request = self._http.build_request(method, url, data=form, headers=headers)
                response = await self._http.send(request, stream=True, auth=httpx.BasicAuth(*auth) if auth else None)
                try:
                    raw = await _bounded(response)
                finally:
                    await response.aclose()
        except (httpx.HTTPError, httpx.InvalidURL, TimeoutError) as failure:
            log.warning("provider request failed", url=url, failure=type(failure).__name__)
            raise ProviderUnavailable from failure
        if raw is None:
            log.warning("provider response too large", url=url, status=response.status_code)
            raise ProviderUnavailable
        try:
            return OidcResponse(response.status_code, msgspec.json.decode(raw))
        except (msgspec.DecodeError, RecursionError) as failure:
            log.warning("provider response is not JSON", url=url, status=response.status_code)
            raise ProviderUnavailable from failure

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()


async def _bounded(response: httpx.Response) -> bytes | None:
    raw = bytearray()
    async for chunk in response.aiter_raw():
        raw += chunk
        if len(raw) > RESPONSE_BYTES_MAX:
            return None
    return bytes(raw)


class CachedValue(Generic[T]):
    """A fetched value, cached for a time; concurrent callers share one fetch."""

    def __init__(self, fetch: Callable[[], Awaitable[T]], *, ttl_s: float, timer: Callable[[], float]) -> None:
        """Cache the result of `fetch` for `ttl_s` seconds of `timer`. A failure is not cached."""
        self._fetch = fetch
        self._ttl_s = ttl_s
        self._timer = timer
        self._cached: tuple[T, float] | None = None
        self._fetching: asyncio.Task[T] | None = None

    async def get(self) -> T:
        """Return the value, fetching a missing or expired one; raises what `fetch` raises."""
        if self._cached is not None and self._timer() < self._cached[1]:
            return self._cached[0]
        return await self.refresh()

    async def refresh(self) -> T:
        """Fetch the value even if the cached one has not expired."""
        if self._fetching is None:
            self._fetching = asyncio.create_task(self._fetch_and_cache(), name="oauth-fetch")
        return await asyncio.shield(self._fetching)

    async def _fetch_and_cache(self) -> T:
        try:
            value = await self._fetch()
            self._cached = (value, self._timer() + self._ttl_s)
            return value
        finally:
            self._fetching = None
