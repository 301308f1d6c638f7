"""A request's head that comes in pieces: joined before it is parsed, measured and checked."""

from __future__ import annotations

from httptools import HttpRequestParser

from foreknow.kernel.errors import BadRequest, DomainError, HeadersTooLarge

HEADERS_MAX = 100
#: Limits the request line and all headers together.
HEAD_BYTES_MAX = 64 * 1024
#: The parser counts the end of the message before, too; a head is measured exactly once it is whole.
_MARGIN_BYTES = 8 * 1024
HEAD_END = b"\r\n\r\n"


class HeadBuffer:
    """The pieces of one head. The parser copies what it has of a head for each piece; this limits the copying."""

    def __init__(self) -> None:
        """Begin with none."""
        #: Bytes parsed.
        self.parsed_bytes = 0
        self._tail = b""
        self._pieces: list[bytes] = []
        self._pieces_bytes = 0

    @property
    def is_too_large(self) -> bool:
        """Whether it is over the limit for sure."""
        return self.parsed_bytes + self._pieces_bytes > HEAD_BYTES_MAX + _MARGIN_BYTES

    def add(self, piece: bytes) -> bytes | None:
        """Return what to parse: all pieces once the head ends, or once they are as long as what was parsed."""
        window = self._tail + piece
        self._tail = window[-3:]
        self._pieces.append(piece)
        self._pieces_bytes += len(piece)
        if HEAD_END not in window and self._pieces_bytes < self.parsed_bytes:
            return None
        whole = b"".join(self._pieces)
        self._pieces.clear()
        self._pieces_bytes = 0
        return whole

    def on_parsed(self, data: bytes, size: int) -> None:
        """Count `size` bytes, the last of which are those of `data`, and which did not end the head."""
        self.parsed_bytes += size
        self._tail = (self._tail + data)[-3:]

    def on_end(self) -> None:
        """Prepare for the next head."""
        self._tail = b""


def head_error(
    parser: HttpRequestParser, url: bytes, headers: list[tuple[bytes, bytes]], *, is_long: bool
) -> DomainError | None:
    """Return what is wrong with a whole head: it is too large (its bytes count where it `is_long`), or has no Host."""
    if len(headers) > HEADERS_MAX or (is_long and head_size(parser.get_method(), url, headers) > HEAD_BYTES_MAX):
        return HeadersTooLarge()
    hosts = 0
    # A generator would cost each request twice as much.
    for name, _ in headers:
        if name == b"host":
            hosts += 1
    if hosts != 1 and (hosts or parser.get_http_version() != "1.0"):
        return BadRequest("A request has exactly one Host header.")
    return None


def head_size(method: bytes, url: bytes, headers: list[tuple[bytes, bytes]]) -> int:
    """Return the bytes of a whole head, with the version, separators and line breaks."""
    return len(method) + len(url) + 12 + sum(len(name) + len(value) + 4 for name, value in headers) + 2
