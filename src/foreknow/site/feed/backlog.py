"""The messages still to be sent, stored once for all sockets."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.site.feed.messages import Frame

#: Messages that may wait for a subscriber; at this number it is disconnected.
WAITING_MAX = 256
#: Bytes of messages joined in one write; a stalled socket keeps them in memory.
WRITE_BYTES_MAX = 32 * 1024


class Backlog:
    """The newest messages by position, which starts at 0 and grows. A socket stores only its position."""

    def __init__(self) -> None:
        """Start empty."""
        self._frames: list[Frame] = []
        #: The position of the next message.
        self.end = 0
        #: Position of the first message of the last `extend`, and all of them joined, without and with numbers.
        self.batch_start = 0
        self.batch = (b"", b"")

    def extend(self, frames: Sequence[Frame]) -> None:
        """Append messages, and drop those older than any connected subscriber may still need."""
        self._frames += frames
        self.batch_start, self.end = self.end, self.end + len(frames)
        self.batch = (b"".join(frame.plain for frame in frames), b"".join(frame.numbered for frame in frames))
        if len(self._frames) > 3 * WAITING_MAX:
            del self._frames[: -2 * WAITING_MAX]

    def pieces(self, position: int, *, numbered: bool) -> list[bytes]:
        """Return the messages from a position on: at least one, and at most `WRITE_BYTES_MAX` bytes.

        They are shared with the backlog: a stalled subscriber holds no copy.
        """
        assert self.end - len(self._frames) <= position < self.end, "position is no longer in the backlog"
        pieces: list[bytes] = []
        size = 0
        for frame in self._frames[position - self.end :]:
            data = frame.form(numbered=numbered)
            size += len(data)
            if pieces and size > WRITE_BYTES_MAX:
                break
            pieces.append(data)
        return pieces
