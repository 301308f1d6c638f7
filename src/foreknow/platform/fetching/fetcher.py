"""Sending requests to providers and other sites, bounded in time and size, and reading the JSON that they answer."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Mapping
from typing import Any, TypeVar

import httpx2
import msgspec

from foreknow.platform.fetching.outside import ProxiedTransport

#: Time limit of a whole exchange, from connecting to the last byte.
ANSWER_S = 15.0
#: Size limit of a response; the largest known, an event of some hundred markets, has 1 MB.
ANSWER_BYTES_MAX = 4 * 1024 * 1024
#: How much of a response to a POST is read, so that its connection can be used again; a longer one is closed.
SKIPPED_BYTES_MAX = 16 * 1024
Decoded = TypeVar("Decoded")


#: Objects and lists in a response; all tickers of an exchange have 3,500. Nothing else runs while JSON is decoded: some
#: 5 ms for the largest response, and 130 ms if it consisted of objects alone.
NESTED_MAX = 10_000


class FetchFailed(Exception):
    """There is no response; the text says why in one line."""


class Fetcher:
    """Sends requests."""

    def __init__(self, *, answer_s: float = ANSWER_S, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        """Wait `answer_s` seconds for each whole response, and follow no redirects.

        `transport` connects and bounds what comes (`outside`), by default through the environment's proxies.
        """
        self._answer_s = answer_s
        self._client = httpx2.AsyncClient(
            # What is compressed could be a bomb; tables are small enough as they are.
            headers={"Accept-Encoding": "identity", "User-Agent": "Foreknow"},
            timeout=answer_s,
            follow_redirects=False,
            transport=transport or ProxiedTransport(),
            trust_env=False,
        )

    async def get(self, url: str) -> bytes:
        """Return the body of a 200; `FetchFailed` for anything else."""
        async with self._sent("GET", url, awaited="whole response") as answer:
            return await _body(answer)

    async def post(self, url: str, body: bytes, headers: Mapping[str, str]) -> int:
        """Return the status of the response; `FetchFailed` where there is none in time."""
        async with self._sent("POST", url, awaited="response", content=body, headers=headers) as answer:
            size_bytes = 0
            async for chunk in answer.aiter_raw():
                size_bytes += len(chunk)
                if size_bytes > SKIPPED_BYTES_MAX:
                    break
            return answer.status_code

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()

    @contextlib.asynccontextmanager
    async def _sent(self, method: str, url: str, *, awaited: str, **rest: Any) -> AsyncIterator[httpx2.Response]:
        try:
            async with asyncio.timeout(self._answer_s), self._client.stream(method, url, **rest) as answer:
                yield answer
        except TimeoutError as late:
            raise FetchFailed(f"no {awaited} within {self._answer_s:g} s") from late
        except (httpx2.HTTPError, httpx2.InvalidURL) as failure:
            raise FetchFailed(f"{type(failure).__name__}: {failure}") from failure


async def _body(answer: httpx2.Response) -> bytes:
    if answer.status_code != httpx2.codes.OK:
        raise FetchFailed(f"status {answer.status_code}")
    if answer.headers.get("content-encoding", "identity") != "identity":
        raise FetchFailed("the response is compressed")
    body = bytearray()
    async for chunk in answer.aiter_raw():
        body += chunk
        if len(body) > ANSWER_BYTES_MAX:
            raise FetchFailed(f"more than {ANSWER_BYTES_MAX} bytes")
    return bytes(body)


class BadResponse(ValueError):
    """A response cannot be used; the text says why."""


def decode_json(body: bytes, kind: type[Decoded]) -> Decoded:
    """Decode JSON of one type; `BadResponse`."""
    if body.count(b"{") + body.count(b"[") > NESTED_MAX:
        raise BadResponse(f"more than {NESTED_MAX} objects and lists")
    try:
        return msgspec.json.decode(body, type=kind)
    except (msgspec.DecodeError, UnicodeDecodeError, RecursionError) as broken:
        raise BadResponse(f"not the JSON we expect: {broken}") from broken
