"""Responses that are the same for all callers: an ETag for each coding, 304, and gzip, made for the first who takes it.

Only these are compressed. A compressed length reveals something of the content to who sees it on its way (BREACH), and
an attacker who gets own text into a victim's response can guess the rest from it. A shared response holds nothing but
what the attacker may request, too; a personal one, which is any other, goes out as it is.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import Hashable, Mapping, Sequence
from hashlib import blake2b
from typing import NamedTuple

import msgspec

from foreknow.kernel.cost import COST
from foreknow.web.codings import accepts_gzip, deflated, gzip_of, stored
from foreknow.web.responses import NOSNIFF, Response, header_lines

#: A smaller body fits into one packet as it is.
GZIP_BYTES_MIN = 1_000
#: Limit of what is compressed on the event loop: about 1 ms.
BRIEF_BYTES = 48 * 1024
#: Revalidated each time (`no-cache`), so that no one sees an older state; without a change the response is 304.
_HEADERS: tuple[tuple[bytes, bytes], ...] = (
    (b"content-type", b"application/json"),
    (b"cache-control", b"no-cache"),
    (b"vary", b"Accept-Encoding"),
    NOSNIFF,
)
_GZIP = (b"content-encoding", b"gzip")


class _Head(NamedTuple):
    """The headers of a response, also as lines of HTTP/1.1."""

    etag: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    lines: bytes


class SharedBody:
    """JSON that many responses hold; compressed at most once. Use it from one event loop."""

    __slots__ = ("blocks", "digest", "plain")

    def __init__(self, plain: bytes) -> None:
        """Hold `plain`, not compressed yet."""
        self.plain = plain
        self.digest = blake2b(plain, digest_size=16).digest()
        #: Its blocks of a deflate stream; None until a client takes them.
        self.blocks: bytes | None = None

    @property
    def size_bytes(self) -> int:
        """About what it takes of memory, at most: JSON is at least halved."""
        return len(self.plain) + len(self.plain) // 2


class Compressor:
    """Compresses bodies: brief ones at once, others one after another and beside the event loop."""

    def __init__(self) -> None:
        """Begin without work."""
        self._turn = asyncio.Lock()

    async def compress(self, bodies: Sequence[SharedBody]) -> None:
        """Set the blocks of all bodies."""
        missing = _missing(bodies)
        if sum(len(body.plain) for body in missing) <= BRIEF_BYTES:
            _fill(missing)
            return
        async with self._turn:
            # Others may have waited for the same.
            missing = _missing(bodies)
            await asyncio.to_thread(_fill, missing)


class SharedResponse(Response, frozen=True, gc=False, kw_only=True):
    """A response of one shared body, or of several as an array. `body` holds all of it, not compressed."""

    bodies: Sequence[SharedBody]
    compressor: Compressor
    #: Of all of it, in hex: the ETag without the coding.
    digest: bytes
    is_array: bool = False
    #: Under which `ResponseCache` holds it; None where it holds no such response.
    key: Hashable = None
    #: Headers beside those of every shared response.
    extra: tuple[tuple[bytes, bytes], ...] = ()
    #: Heads made so far: by whether the ETag names the gzip coding, and whether the body comes in it.
    heads: dict[tuple[bool, bool], _Head] = msgspec.field(default_factory=dict)

    def as_it_is(self, headers: Mapping[bytes, bytes]) -> Response | None:
        """Return what a request accepts: 304, gzip or the plain body; None where it is to be compressed before."""
        accepted = headers.get(b"accept-encoding")
        gzipped = accepted is not None and len(self.body) >= GZIP_BYTES_MIN and accepts_gzip(accepted)
        head = self._head(gzipped=gzipped)
        known = headers.get(b"if-none-match")
        # A proxy may have made it a weak one. Ours are in quotes and unique, so searching is reading.
        if known is not None and (head.etag in known or known == b"*"):
            return Response(b"", 304, head.headers, head.lines)
        if not gzipped:
            return Response(self.body, 200, head.headers, head.lines)
        return None if _missing(self.bodies) else self._compressed()

    async def compressed(self) -> Response:
        """Return it compressed, for a request that accepts it so."""
        await self.compressor.compress(self.bodies)
        return self._compressed()

    def _compressed(self) -> Response:
        head = self._head(gzipped=True, is_encoded=True)
        return Response(self._gzipped(), 200, head.headers, head.lines)

    def _head(self, *, gzipped: bool, is_encoded: bool = False) -> _Head:
        head = self.heads.get((gzipped, is_encoded))
        if head is None:
            etag = b'"%b%b"' % (self.digest, b"-gzip" if gzipped else b"")
            headers = (*_HEADERS, *self.extra, (b"etag", etag), *([_GZIP] if is_encoded else []))
            head = self.heads[gzipped, is_encoded] = _Head(etag, headers, header_lines(headers))
        return head

    def _gzipped(self) -> bytes:
        blocks = [body.blocks or b"" for body in self.bodies]
        if self.is_array:
            separated = [piece for block in blocks for piece in (_COMMA, block)][1:]
            blocks = [_BEGIN, *separated, _END]
        return gzip_of(blocks, self.body)


_BEGIN, _COMMA, _END = stored(b"["), stored(b","), stored(b"]")


def shared_response(
    body: bytes, compressor: Compressor, *, key: Hashable = None, extra: tuple[tuple[bytes, bytes], ...] = ()
) -> SharedResponse:
    """Return the response that is one body."""
    shared = SharedBody(body)
    digest = _hex(shared.digest)
    return SharedResponse(body, bodies=(shared,), compressor=compressor, digest=digest, key=key, extra=extra)


def shared_array(bodies: Sequence[SharedBody], compressor: Compressor, *, key: Hashable = None) -> SharedResponse:
    """Return the response that is an array of bodies, compressed with what is known of each."""
    plain = b"[" + b",".join([body.plain for body in bodies]) + b"]"
    digest = blake2b(b"".join([body.digest for body in bodies]), digest_size=16).digest()
    return SharedResponse(plain, bodies=bodies, compressor=compressor, digest=_hex(digest), is_array=True, key=key)


def _hex(digest: bytes) -> bytes:
    return digest.hex().encode()


def _missing(bodies: Sequence[SharedBody]) -> list[SharedBody]:
    return [body for body in bodies if body.blocks is None]


def _fill(bodies: Sequence[SharedBody]) -> None:
    began_s, cost = time.thread_time(), COST.get()
    for body in bodies:
        body.blocks = deflated(body.plain)
    if cost is not None:
        cost.work_s += time.thread_time() - began_s
