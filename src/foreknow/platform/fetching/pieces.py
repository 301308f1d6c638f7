"""What a server sends, cut into pieces that are quick to parse; what has no end is refused. Pure: bytes in, bytes out.

The parser behind it (h11) works through all it is given before anything else runs, a microsecond or more for each line.
So it gets a head at a time, and of a body no more than `PIECE_BYTES` or `PIECE_CHUNKS` at a time.
"""

from __future__ import annotations

import enum
import re

#: All heads of one exchange together: of interim responses (1xx), of the response itself, and its trailers.
HEAD_BYTES_MAX = 32 * 1024
HEAD_LINES_MAX = 200
#: Interim responses before the response.
INTERIM_MAX = 8
#: A piece of a body, and the chunks in it.
PIECE_BYTES = 8 * 1024
PIECE_CHUNKS = 25
#: Chunks of a body: this number, and one more for each 256 bytes.
CHUNKS_MAX, CHUNK_BYTES_MIN = 1_000, 256
#: The line before a chunk, extensions included.
CHUNK_LINE_BYTES_MAX = 256

_HEAD_END = re.compile(rb"\n\r?\n")
_CHUNKED = re.compile(rb"^transfer-encoding:", re.IGNORECASE | re.MULTILINE)
_LENGTH = re.compile(rb"^content-length:[ \t]*([0-9]{1,18})[ \t]*\r?$", re.IGNORECASE | re.MULTILINE)
_ENDLESS_BYTES = 10**18
_CHUNK_LINE = re.compile(rb"([0-9A-Fa-f]{1,16})[ \t]*(?:;[^\n]*)?")


class Endless(ValueError):
    """A response exceeds a bound; the text says which."""


class _Part(enum.Enum):
    """What comes next."""

    HEAD = enum.auto()
    #: As long as its head says, or until the connection closes; the caller counts its bytes. What follows it, or
    #: the trailers, is never taken.
    BODY = enum.auto()
    CHUNKS = enum.auto()
    #: Behind the last chunk; mostly an empty line alone.
    TRAILERS = enum.auto()


class ResponsePieces:
    """Cuts what comes in one exchange."""

    def __init__(self) -> None:
        """Nothing has come yet."""
        self._held = bytearray()
        self._stage = _Part.HEAD
        self._head_bytes = self._head_lines = self._interim = 0
        #: Bytes of an unfinished head whose lines are counted.
        self._looked_bytes = 0
        self._chunks = self._chunked_bytes = 0
        #: Bytes of the body that are to come, or of the current chunk with its line end.
        self._left_bytes = 0

    @property
    def is_empty(self) -> bool:
        """Whether all that came was taken."""
        return not self._held

    def feed(self, data: bytes) -> None:
        """Add what came."""
        self._held += data

    def take(self) -> bytes | None:
        """Return the next piece, None where more has to come first; `Endless`."""
        if not self._held:
            return None
        if self._stage is _Part.BODY:
            return self._body()
        return self._chunks_of_body() if self._stage is _Part.CHUNKS else self._head()

    def rest(self) -> bytes:
        """Return all that was not taken: nothing more will come."""
        return self._cut(len(self._held))

    def _head(self) -> bytes | None:
        end = self._head_end()
        size_bytes = end or len(self._held)
        self._head_lines += self._held.count(b"\n", self._looked_bytes, size_bytes)
        if self._head_lines > HEAD_LINES_MAX:
            raise Endless(f"more than {HEAD_LINES_MAX} lines of headers")
        if self._head_bytes + size_bytes > HEAD_BYTES_MAX:
            raise Endless(f"headers of more than {HEAD_BYTES_MAX} bytes")
        self._looked_bytes = 0 if end else size_bytes
        if end is None:
            return None
        self._head_bytes += size_bytes
        head = self._cut(end)
        if self._stage is _Part.TRAILERS:
            self._stage, self._left_bytes = _Part.BODY, 0
        elif head[9:10] == b"1":
            self._interim += 1
            if self._interim > INTERIM_MAX:
                raise Endless(f"more than {INTERIM_MAX} interim responses")
        else:
            self._begin_body(head)
        return head

    def _begin_body(self, head: bytes) -> None:
        if _CHUNKED.search(head):
            self._stage = _Part.CHUNKS
            return
        length = _LENGTH.search(head)
        self._stage, self._left_bytes = _Part.BODY, int(length[1]) if length else _ENDLESS_BYTES

    def _body(self) -> bytes | None:
        size_bytes = min(len(self._held), PIECE_BYTES, self._left_bytes)
        self._left_bytes -= size_bytes
        return self._cut(size_bytes) if size_bytes else None

    def _head_end(self) -> int | None:
        if self._stage is _Part.TRAILERS and self._held.startswith(b"\r\n"):
            # There are none.
            return 2
        found = _HEAD_END.search(self._held, max(0, self._looked_bytes - 2))
        return found and found.end()

    def _chunks_of_body(self) -> bytes | None:
        at = chunks = 0
        until = min(len(self._held), PIECE_BYTES)
        while at < until and (self._left_bytes or chunks < PIECE_CHUNKS):
            if self._left_bytes:
                step = min(self._left_bytes, until - at)
                self._left_bytes -= step
                at += step
                continue
            end = self._held.find(b"\r\n", at)
            if (len(self._held) if end < 0 else end) - at > CHUNK_LINE_BYTES_MAX:
                raise Endless(f"a chunk with a line of more than {CHUNK_LINE_BYTES_MAX} bytes")
            if end < 0:
                break
            self._begin_chunk(bytes(self._held[at:end]))
            at, chunks = end + 2, chunks + 1
            if self._stage is _Part.TRAILERS:
                break
        return self._cut(at) if at else None

    def _begin_chunk(self, line: bytes) -> None:
        found = _CHUNK_LINE.fullmatch(line)
        if found is None:
            raise Endless("a chunk without its size")
        size_bytes = int(found[1], 16)
        if size_bytes == 0:
            self._stage = _Part.TRAILERS
            return
        self._left_bytes = size_bytes + 2
        self._chunks += 1
        self._chunked_bytes += size_bytes
        if self._chunks > CHUNKS_MAX + self._chunked_bytes // CHUNK_BYTES_MIN:
            raise Endless(f"{self._chunks} chunks for {self._chunked_bytes} bytes")

    def _cut(self, size_bytes: int) -> bytes:
        piece = bytes(self._held[:size_bytes])
        del self._held[:size_bytes]
        return piece
