"""Sending GET requests to providers and other sites, bounded in time and size."""

from __future__ import annotations

import asyncio

import httpx2

from foreknow.kernel.tls import client_context

#: Time limit of a whole response.
ANSWER_S = 15.0
#: Size limit of a response; the largest known, all tickers of an exchange, has 200 kB.
ANSWER_BYTES_MAX = 4 * 1024 * 1024


class FetchFailed(Exception):
    """There is no response; the text says why in one line."""


class Fetcher:
    """Sends GET requests."""

    def __init__(self, *, answer_s: float = ANSWER_S, transport: httpx2.AsyncBaseTransport | None = None) -> None:
        """Wait `answer_s` seconds for each response, and follow no redirects.

        `transport` connects; without one, httpx2 does, through the environment's proxies where it names some.
        """
        self._answer_s = answer_s
        self._client = open_client(answer_s=answer_s, transport=transport)

    async def get(self, url: str) -> bytes:
        """Return the body of a 200; `FetchFailed` for anything else."""
        try:
            async with asyncio.timeout(self._answer_s), self._client.stream("GET", url) as answer:
                return await _body(answer)
        except TimeoutError as late:
            raise FetchFailed(f"no whole response within {self._answer_s:g} s") from late
        except (httpx2.HTTPError, httpx2.InvalidURL) as failure:
            raise FetchFailed(f"{type(failure).__name__}: {failure}") from failure

    async def close(self) -> None:
        """Close the connections."""
        await self._client.aclose()


def open_client(*, answer_s: float, transport: httpx2.AsyncBaseTransport | None) -> httpx2.AsyncClient:
    """Return a client with these limits, as `Fetcher` describes them."""
    return httpx2.AsyncClient(
        verify=client_context(),
        # What is compressed could be a bomb; tables are small enough as they are.
        headers={"Accept-Encoding": "identity", "User-Agent": "Foreknow"},
        timeout=answer_s,
        follow_redirects=False,
        transport=transport,
        trust_env=transport is None,
    )


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
