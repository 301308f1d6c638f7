"""One socket of the feed, and its disconnection if it cannot keep up.

Messages are written as bytes shared by all sockets, waiting ones joined in one write. If the peer reads too slowly, the
kernel's buffer fills, then ours (`UNWRITTEN_MAX` in `peer`); from then on the socket only has a position in the shared
backlog. A stalled subscriber costs its unwritten bytes, most of them shared, and no time, until it is disconnected.
"""

from __future__ import annotations

from dataclasses import dataclass

import structlog
from starlette.types import Send

from foreknow.site.feed.backlog import WAITING_MAX, Backlog
from foreknow.site.feed.peer import TRY_AGAIN_LATER, Peer, WritableSocket

log = structlog.get_logger("foreknow.feed")


@dataclass(slots=True)
class FeedMetrics:
    """Counts since the start."""

    #: Trades sent, each counted once.
    trades: int = 0
    #: Writes to sockets.
    writes: int = 0
    #: Sockets closed because their peers read too slowly.
    dropped: int = 0


class Subscriber(Peer):
    """An accepted socket: `admit` it before sending to it, `serve` it until it ends."""

    __slots__ = ("_backlog", "_metrics", "_position", "_ready_at", "numbered")

    def __init__(
        self, socket: WritableSocket, send: Send, backlog: Backlog, metrics: FeedMetrics, *, numbered: bool
    ) -> None:
        """Send from `backlog`, with seq and prev if `numbered`; `send` is ASGI's, to close the socket."""
        super().__init__(socket, send)
        self.numbered = numbered
        self._backlog = backlog
        self._metrics = metrics
        #: Position of its next message in the backlog; None before `admit`.
        self._position: int | None = None
        #: The same while the socket is writable, else None.
        self._ready_at: int | None = None
        socket.on_pause_writing = self._pause
        socket.on_resume_writing = self._catch_up

    @property
    def waiting(self) -> int:
        """Number of messages waiting for it in the backlog."""
        return 0 if self._position is None else self._backlog.end - self._position

    def admit(self, initial: bytes) -> None:
        """Write its first message; the messages added to the backlog from now on follow."""
        if self._is_ending or self._transport.is_closing():
            return
        self._position = self._ready_at = self._backlog.end
        self._transport.write(initial)

    def push(self) -> None:
        """Write the newest batch; disconnect it if it is stalled with too many messages waiting."""
        backlog = self._backlog
        if self._ready_at != backlog.batch_start:
            self._push_lagging()
        elif not self._transport.is_closing():
            self._position = self._ready_at = backlog.end
            self._metrics.writes += 1
            self._transport.write(backlog.batch[self.numbered])

    def _pause(self) -> None:
        self._ready_at = None

    def _catch_up(self) -> None:
        """Write waiting messages while the socket is writable."""
        backlog = self._backlog
        self._ready_at = None if self._is_ending else self._position
        while self._ready_at is not None and self._ready_at < backlog.end and not self._transport.is_closing():
            pieces = backlog.pieces(self._ready_at, numbered=self.numbered)
            self._position = self._ready_at = self._ready_at + len(pieces)
            self._metrics.writes += 1
            # May call `_pause`.
            self._transport.writelines(pieces)

    def _push_lagging(self) -> None:
        """Handle a batch for a socket that does not expect exactly this one."""
        if self._is_ending or self._position is None:
            return
        if self._ready_at is not None:
            self._catch_up()
        elif self.waiting >= WAITING_MAX:
            self._metrics.dropped += 1
            log.info("feed subscriber disconnected: too slow", waiting=self.waiting)
            self.close(TRY_AGAIN_LATER)

    def _end(self) -> None:
        super()._end()
        self._ready_at = None
