"""Receiving bodies: never more than the endpoint's limit, and nothing of a body that breaks off."""

from __future__ import annotations

from collections.abc import Mapping

from starlette.types import Receive

from foreknow.kernel.errors import BadRequest, PayloadTooLarge

#: Limit of a JSON body, and of what is received of any body before its sender's permission is checked.
BODY_BYTES_MAX = 64 * 1024


class BrokenBody(BadRequest):
    """The client hung up: no one reads this response, and nothing is done."""

    message = "The body ended before it was whole."


async def receive_all(receive: Receive, headers: Mapping[bytes, bytes], limit_bytes: int) -> bytes:
    """Return a whole body; `PayloadTooLarge`, `BrokenBody`."""
    if _announced_bytes(headers) > limit_bytes:
        raise PayloadTooLarge
    message = await receive()
    if message["type"] == "http.disconnect":
        raise BrokenBody
    raw: bytes = message.get("body", b"")
    if message.get("more_body"):
        chunks, size = [raw], len(raw)
        while message.get("more_body"):
            # Before more is waited for: it may never come.
            if size > limit_bytes:
                raise PayloadTooLarge
            message = await receive()
            if message["type"] == "http.disconnect":
                raise BrokenBody
            chunks.append(message.get("body", b""))
            size += len(chunks[-1])
        raw = b"".join(chunks)
    if len(raw) > limit_bytes:
        raise PayloadTooLarge
    return raw


class RawBody:
    """A large body that is received step by step."""

    def __init__(self, receive: Receive, headers: Mapping[bytes, bytes], limit_bytes: int) -> None:
        """Take at most `limit_bytes`; `PayloadTooLarge` where Content-Length is larger."""
        self._announced_bytes = _announced_bytes(headers)
        if self._announced_bytes > limit_bytes:
            raise PayloadTooLarge
        self._receive = receive
        self._limit_bytes = limit_bytes
        self._chunks: list[bytes] = []
        self._size = 0
        self._is_whole = False

    async def small(self) -> bytes | None:
        """Return the body if it has at most `BODY_BYTES_MAX`; else None, without receiving more than that.

        Nothing is received of a body that Content-Length says is larger.
        """
        if self._announced_bytes > BODY_BYTES_MAX:
            return None
        while not self._is_whole and self._size <= BODY_BYTES_MAX:
            await self._receive_more()
        return b"".join(self._chunks) if self._is_whole and self._size <= BODY_BYTES_MAX else None

    async def whole(self) -> bytes:
        """Return all of it; `PayloadTooLarge`, `BrokenBody`."""
        while not self._is_whole:
            await self._receive_more()
        return b"".join(self._chunks)

    async def _receive_more(self) -> None:
        message = await self._receive()
        if message["type"] == "http.disconnect":
            raise BrokenBody
        self._chunks.append(message.get("body", b""))
        self._size += len(self._chunks[-1])
        if self._size > self._limit_bytes:
            raise PayloadTooLarge
        self._is_whole = not message.get("more_body")


def _announced_bytes(headers: Mapping[bytes, bytes]) -> int:
    announced = headers.get(b"content-length", b"0")
    return int(announced) if announced.isdigit() else 0
