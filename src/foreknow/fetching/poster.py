"""Posting to other sites, bounded in time and size; only the status of a response counts."""

from __future__ import annotations

import asyncio
from collections.abc import Mapping

import httpx2

from foreknow.fetching.fetcher import FetchFailed, open_client

#: How much of a response is read, so that its connection can be used again; a longer one is closed.
ANSWER_BYTES_MAX = 16 * 1024


class Poster:
    """Sends POST requests."""

    def __init__(self, *, answer_s: float, transport: httpx2.AsyncBaseTransport) -> None:
        """Wait `answer_s` seconds for each response, and follow no redirects; `transport` connects."""
        self._answer_s = answer_s
        self._client = open_client(answer_s=answer_s, transport=transport)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Return the status of the response; `FetchFailed` where there is none in time."""
        try:
            async with (
                asyncio.timeout(self._answer_s),
                self._client.stream("POST", url, content=body, headers=headers) as answer,
            ):
                await _skip(answer)
                return answer.status_code
        except TimeoutError as late:
            raise FetchFailed(f"no response within {self._answer_s:g} s") from late
        except (httpx2.HTTPError, httpx2.InvalidURL) as failure:
            raise FetchFailed(f"{type(failure).__name__}: {failure}") from failure

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


async def _skip(answer: httpx2.Response) -> None:
    size_bytes = 0
    async for chunk in answer.aiter_raw():
        size_bytes += len(chunk)
        if size_bytes > ANSWER_BYTES_MAX:
            return
