"""Limits of a body: what goes on long after its response, or makes far more work than its content."""

from __future__ import annotations

from foreknow.kernel.errors import BadRequest, DomainError, HeadersTooLarge

#: Limits the rest of a body after its response, for clients that read it only once they have sent all; and after the
#: start of a stream.
LATE_BODY_BYTES_MAX = 8 * 1024 * 1024
STREAM_BODY_BYTES_MAX = 64 * 1024
#: Limits the bytes and pieces in a row without body content: chunk extensions, trailers.
IDLE_BYTES_MAX = 64 * 1024
IDLE_PIECES_MAX = 1024
#: Limits the work that a body makes whether or not it is read: the pieces it comes in, which cost a call each and may
#: be chunks of one byte, and the bytes around its content. Both grow with the content.
BODY_PIECES_MAX = 10_000
BODY_BYTES_PER_MORE_PIECE = 256
OVERHEAD_BYTES_MAX = 64 * 1024
OVERHEAD_PER_BODY_BYTE = 8


class BodyMeter:
    """What was received of one body."""

    __slots__ = ("_idle_bytes", "_idle_pieces", "_wire_bytes", "content_bytes", "pieces")

    def __init__(self) -> None:
        """Start with nothing."""
        self.content_bytes = self.pieces = 0
        #: All bytes, and bytes and pieces in a row without content.
        self._wire_bytes = self._idle_bytes = self._idle_pieces = 0

    def begin(self) -> None:
        """Start with nothing of the next body."""
        self.content_bytes = self.pieces = self._wire_bytes = self._idle_bytes = self._idle_pieces = 0

    def add(self, size: int, *, is_idle: bool) -> None:
        """Count received bytes whose content is counted already; `is_idle`: there was none."""
        self._wire_bytes += size
        if is_idle:
            self.pieces += 1
            self._idle_bytes += size
            self._idle_pieces += 1
        else:
            self._idle_bytes = self._idle_pieces = 0

    def error(self) -> DomainError | None:
        """Return what is wrong: too much around the content, or the content in too many pieces."""
        overhead_bytes = self._wire_bytes - self.content_bytes
        if (
            self._idle_bytes > IDLE_BYTES_MAX
            or self._idle_pieces > IDLE_PIECES_MAX
            or overhead_bytes > OVERHEAD_BYTES_MAX + OVERHEAD_PER_BODY_BYTE * self.content_bytes
        ):
            return HeadersTooLarge()
        if self.pieces > BODY_PIECES_MAX + self.content_bytes // BODY_BYTES_PER_MORE_PIECE:
            return BadRequest("The request's body comes in too many too small pieces.")
        return None

    def is_too_late(self, *, is_stream: bool) -> bool:
        """Whether there is too much content for a body whose response, or whose stream, has begun."""
        return self.content_bytes > (STREAM_BODY_BYTES_MAX if is_stream else LATE_BODY_BYTES_MAX)
