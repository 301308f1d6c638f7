"""The messages that sockets still have to be sent, kept once for all of them."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.feed.messages import Frame

#: A reader for whom so many messages wait is closed.
WAITING_MAX = 256
#: So many bytes at most are put together for one write. Whoever does not take them holds on to them.
WRITE_BYTES_MAX = 32 * 1024


class Backlog:
    """The newest messages, by position: 0 for the first ever, growing. A socket keeps only its own position."""

    def __init__(self) -> None:
        """Start empty."""
        self._frames: list[Frame] = []
        #: The position of the next message to come.
        self.end = 0
        #: Where the messages of the last `extend` begin, and all of them in one piece, without and with numbers.
        self.batch_start = 0
        self.batch = (b"", b"")

    def extend(self, frames: Sequence[Frame]) -> None:
        """Add the next messages, and forget what no reader that may stay waits for."""
        self._frames += frames
        self.batch_start, self.end = self.end, self.end + len(frames)
        self.batch = (b"".join(frame.plain for frame in frames), b"".join(frame.numbered for frame in frames))
        if len(self._frames) > 3 * WAITING_MAX:
            del self._frames[: -2 * WAITING_MAX]

    def pieces(self, position: int, *, numbered: bool) -> list[bytes]:
        """Return the next messages from a position on: at least one, and as many as make a write.

        They are the backlog's own bytes: a reader that does not take them holds no copy of them.
        """
        assert self.end - len(self._frames) <= position < self.end, "a reader was left behind"
        pieces: list[bytes] = []
        size = 0
        for frame in self._frames[position - self.end :]:
            data = frame.form(numbered=numbered)
            size += len(data)
            if pieces and size > WRITE_BYTES_MAX:
                break
            pieces.append(data)
        return pieces
