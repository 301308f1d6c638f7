"""HTTP to providers: one client for all of them, bounded in time and bytes, and following nobody's redirects."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import httpx
import msgspec
import structlog

from foreknow.kernel.tls import trusted
from foreknow.oauth.errors import ProviderUnavailable

log = structlog.get_logger("foreknow.oauth")

T = TypeVar("T")
#: For one step (connecting, the next bytes), and for one request as a whole.
STEP_S = 5
REQUEST_S = 10
ANSWER_BYTES_MAX = 256 * 1024
_CONNECTIONS = 20
#: A proxy of the environment is for other hosts.
_LOCAL: dict[str, None] = {"all://localhost": None, "all://127.0.0.1": None, "all://[::1]": None}


@dataclass(frozen=True, slots=True)
class Reply:
    """A provider's answer: its status and its JSON."""

    status: int
    content: Any


class OidcClient:
    """Asks providers."""

    def __init__(self) -> None:
        """Connect to nobody yet."""
        self._http = httpx.AsyncClient(
            verify=trusted(),
            timeout=httpx.Timeout(STEP_S),
            limits=httpx.Limits(max_connections=_CONNECTIONS),
            follow_redirects=False,
            mounts=_LOCAL,
            # Unpacked, a small answer could be a huge one.
            headers={"Accept": "application/json", "Accept-Encoding": "identity", "User-Agent": "foreknow"},
        )

    async def ask(
        self,
        method: str,
        url: str,
        *,
        form: Mapping[str, str] | None = None,
        headers: Mapping[str, str] | None = None,
        auth: tuple[str, str] | None = None,
    ) -> Reply:
        """Return the JSON that a provider answers with, whatever its status; `ProviderUnavailable`.

        Nothing that was sent or received is logged: both hold secrets.
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
            log.warning("provider does not answer", url=url, failure=type(failure).__name__)
            raise ProviderUnavailable from failure
        if raw is None:
            log.warning("provider answers too much", url=url, status=response.status_code)
            raise ProviderUnavailable
        try:
            return Reply(response.status_code, msgspec.json.decode(raw))
        except (msgspec.DecodeError, RecursionError) as failure:
            log.warning("provider answers no JSON", url=url, status=response.status_code)
            raise ProviderUnavailable from failure

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()


async def _bounded(response: httpx.Response) -> bytes | None:
    raw = bytearray()
    async for chunk in response.aiter_raw():
        raw += chunk
        if len(raw) > ANSWER_BYTES_MAX:
            return None
    return bytes(raw)


class Kept(Generic[T]):
    """A value that is fetched once for all who want it at the same time, and kept for a while."""

    def __init__(self, fetch: Callable[[], Awaitable[T]], *, for_s: float, timer: Callable[[], float]) -> None:
        """Keep what `fetch` returns for `for_s` seconds of `timer`. A failure is not kept."""
        self._fetch = fetch
        self._for_s = for_s
        self._timer = timer
        self._kept: tuple[T, float] | None = None
        self._fetching: asyncio.Task[T] | None = None

    async def get(self) -> T:
        """Return it, fetched where it is not there or too old; raises what `fetch` raises."""
        if self._kept is not None and self._timer() < self._kept[1]:
            return self._kept[0]
        return await self.fetched()

    async def fetched(self) -> T:
        """Return it as it is now, however fresh what is kept may be."""
        # A slow provider is asked once, not once by each who waits, or they would wait one after the other.
        if self._fetching is None:
            self._fetching = asyncio.create_task(self._renew(), name="oauth-fetch")
        return await asyncio.shield(self._fetching)

    async def _renew(self) -> T:
        try:
            value = await self._fetch()
            self._kept = (value, self._timer() + self._for_s)
            return value
        finally:
            self._fetching = None
