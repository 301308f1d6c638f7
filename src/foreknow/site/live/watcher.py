"""One socket of `/ws/live`.

While the kernel takes what is written, a message is one write of bytes shared by all sockets. Where the peer reads too
slowly, messages wait here, shared as well, up to as many as a reader of the feed may leave waiting.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from typing import Any

import structlog
from starlette.types import Send

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import BadRequest
from foreknow.site.feed.backlog import WAITING_MAX, WRITE_BYTES_MAX
from foreknow.site.feed.peer import POLICY_VIOLATION, TRY_AGAIN_LATER, Peer, WritableSocket
from foreknow.site.live.batches import MessageBatch, Watch

log = structlog.get_logger("foreknow.live")

#: New trades sent to a socket in any second.
TRADES_PER_S = 20
#: Longest close reason (RFC 6455, section 5.5: 125 bytes with the code).
_REASON_BYTES_MAX = 120


class Watcher(Peer):
    """An accepted socket; `serve` it until it ends."""

    __slots__ = (
        "_asked",
        "_is_ready",
        "_on_asked",
        "_parse",
        "_queue",
        "_traded_s",
        "_waiting",
        "answer_from_s",
        "caller",
        "had_last_trades",
    )

    def __init__(
        self,
        socket: WritableSocket,
        send: Send,
        *,
        parse: Callable[[str], Watch],
        on_asked: Callable[[Watcher], None],
    ) -> None:
        """`parse` reads a client's message (`BadRequest`); `on_asked` is called when there is a watch to answer."""
        super().__init__(socket, send)
        self._parse = parse
        self._on_asked = on_asked
        #: The newest watch that has not been answered.
        self._asked: Watch | None = None
        #: When the next watch may be answered, in seconds of the event loop's clock.
        self.answer_from_s = 0.0
        #: Whose session it is; None for a stranger.
        self.caller: UserCaller | None = None
        #: Whether its watch began with the last trades.
        self.had_last_trades = False
        self._is_ready = True
        #: Frames that wait, each with whether it ends a message, and the number of messages.
        self._queue: deque[tuple[bytes, bool]] = deque()
        self._waiting = 0
        #: When the last trades were sent, in seconds of the event loop's clock.
        self._traded_s: deque[float] = deque(maxlen=TRADES_PER_S)
        socket.on_pause_writing = self._pause
        socket.on_resume_writing = self._resume

    @property
    def asked(self) -> Watch | None:
        """The watch that can be answered now; none while earlier messages wait."""
        return self._asked if self._is_ready and not self._is_ending else None

    def take(self, message: Any) -> None:
        """Take a client's message: a watch, which replaces the one before. Any other closes the socket with 1008."""
        if self._is_ending:
            return
        text = message.get("text")
        try:
            if text is None:
                raise BadRequest("A message is text.")
            self._asked = self._parse(text)
        except BadRequest as error:
            self.close(POLICY_VIOLATION, error.text.encode()[:_REASON_BYTES_MAX].decode(errors="ignore"))
            return
        self._on_asked(self)

    def answer(self, watch: Watch, messages: Sequence[Sequence[bytes]], last_trades: Sequence[Sequence[bytes]]) -> None:
        """Send the answer to a watch, and the last trades; a watch that has come since stays to be answered.

        Past trades do not count as sent in this second: new ones would be lost.
        """
        if self._asked is watch:
            self._asked = None
        self._enqueue([*messages, *last_trades])

    def tell(self, *messages: Sequence[bytes]) -> None:
        """Send messages that are no trades."""
        self._enqueue(messages)

    def offer(self, batch: MessageBatch, now_s: float) -> None:
        """Send a group's messages, of its trades the newest, as many as a socket is sent in a second."""
        count, data = len(batch.trades), batch.joined()
        allowed = self._allowed(count, now_s) if count else 0
        if allowed < count or not self._is_ready or len(data) > WRITE_BYTES_MAX:
            self._enqueue([*batch.updates, *batch.trades[count - allowed :]])
        elif not self._transport.is_closing():
            self._transport.write(data)

    def _allowed(self, trades: int, now_s: float) -> int:
        """Return how many of these trades may be sent now, and count them as sent."""
        sent = self._traded_s
        while sent and sent[0] <= now_s - 1.0:
            sent.popleft()
        allowed = min(trades, TRADES_PER_S - len(sent))
        sent.extend([now_s] * allowed)
        return allowed

    def _enqueue(self, messages: Sequence[Sequence[bytes]]) -> None:
        if self._is_ending or self._transport.is_closing():
            return
        for message in messages:
            self._queue.extend((frame, place == len(message)) for place, frame in enumerate(message, 1))
        self._waiting += len(messages)
        if self._is_ready:
            self._drain()
        elif self._waiting >= WAITING_MAX:
            log.info("live socket disconnected: too slow", waiting=self._waiting)
            self.close(TRY_AGAIN_LATER)

    def _drain(self) -> None:
        """Write waiting frames while the socket is writable."""
        while self._queue and self._is_ready and not self._transport.is_closing():
            pieces: list[bytes] = []
            size = 0
            while self._queue and (not pieces or size + len(self._queue[0][0]) <= WRITE_BYTES_MAX):
                frame, is_last = self._queue.popleft()
                size += len(frame)
                pieces.append(frame)
                self._waiting -= is_last
            # May call `_pause`.
            self._transport.writelines(pieces)

    def _pause(self) -> None:
        self._is_ready = False

    def _resume(self) -> None:
        if self._is_ending:
            return
        self._is_ready = True
        self._drain()
        if self.asked is not None:
            self._on_asked(self)

    def _end(self) -> None:
        super()._end()
        self._is_ready = False
        self._queue.clear()
