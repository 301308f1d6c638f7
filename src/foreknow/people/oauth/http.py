"""HTTP to providers: one client for all of them, bounded in time and bytes, following no redirects."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import httpx2
import msgspec
import structlog

from foreknow.people.oauth.errors import ProviderUnavailable
from foreknow.platform.fetching import OutsideTransport, ProxiedTransport

log = structlog.get_logger("foreknow.oauth")

#: Time limits of one step (connecting, the next bytes), and of a whole request.
STEP_S = 5
REQUEST_S = 10
RESPONSE_BYTES_MAX = 256 * 1024
_CONNECTIONS = 20
#: Local hosts, which are reached without the environment's proxy.
_LOCAL = ("all://localhost", "all://127.0.0.1", "all://[::1]")


@dataclass(frozen=True, slots=True)
class Reply:
    """A provider's response: its status and its JSON."""

    status: int
    content: Any


class OidcClient:
    """Sends requests to providers."""

    def __init__(self) -> None:
        """Make a client; nothing is connected yet."""
        self._http = httpx2.AsyncClient(
            timeout=httpx2.Timeout(STEP_S),
            transport=ProxiedTransport(connections_max=_CONNECTIONS),
            follow_redirects=False,
            mounts=dict.fromkeys(_LOCAL, OutsideTransport(connections_max=_CONNECTIONS)),
            # Decompressed, a small response could be a huge one.
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
    ) -> Reply:
        """Return a provider's JSON response, whatever its status; `ProviderUnavailable`.

        Logs neither request nor response: both hold secrets.
        """
        try:
            async with asyncio.timeout(REQUEST_S):
                request = self._http.build_request(method, url, data=form, headers=headers)
                response = await self._http.send(request, stream=True, auth=httpx2.BasicAuth(*auth) if auth else None)
                try:
                    raw = await _bounded(response)
                finally:
                    await response.aclose()
        except (httpx2.HTTPError, httpx2.InvalidURL, TimeoutError) as failure:
            log.warning("provider request failed", url=url, failure=type(failure).__name__)
            raise ProviderUnavailable from failure
        if raw is None:
            log.warning("provider response too large", url=url, status=response.status_code)
            raise ProviderUnavailable
        try:
            return Reply(response.status_code, msgspec.json.decode(raw))
        except (msgspec.DecodeError, RecursionError) as failure:
            log.warning("provider response is not JSON", url=url, status=response.status_code)
            raise ProviderUnavailable from failure

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()


async def _bounded(response: httpx2.Response) -> bytes | None:
    raw = bytearray()
    async for chunk in response.aiter_raw():
        raw += chunk
        if len(raw) > RESPONSE_BYTES_MAX:
            return None
    return bytes(raw)
