"""The messages that sockets still have to be sent, kept once for all of them."""

from __future__ import annotations

from typing import Any

from foreknow.feed.messages import Frame

#: A reader for whom so many messages wait is closed.
WAITING_MAX = 256


class Backlog:
    """The newest messages, by position: 0 for the first ever, growing. A socket keeps only its own position."""

    def __init__(self) -> None:
        """Start empty."""
        self._frames: list[Frame] = []
        self._first = 0

    @property
    def end(self) -> int:
        """The position of the next message to come."""
        return self._first + len(self._frames)

    def append(self, frame: Frame) -> None:
        """Add the next message, and forget what no reader that may stay waits for."""
        self._frames.append(frame)
        if len(self._frames) > 4 * WAITING_MAX:
            surplus = len(self._frames) - 2 * WAITING_MAX
            del self._frames[:surplus]
            self._first += surplus

    def at(self, position: int, *, numbered: bool) -> dict[str, Any]:
        """Return the ASGI message at a position, in the form of `?seq=1` or without."""
        frame = self._frames[position - self._first]
        return frame.numbered if numbered else frame.plain
