"""What clients watch, and the messages of one pass of the hub for those who watch the same."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Watch:
    """What a client watches: events, with `tape` the trades of all others too.

    With `more` it is sent what only some want; it begins with as many trades as `last_trades`.
    """

    event_ids: tuple[int, ...]
    tape: bool
    more: bool = False
    last_trades: int = 0


@dataclass(frozen=True, slots=True)
class TradeMessage:
    """A trade's message and its event."""

    event_id: int
    frames: Sequence[bytes]


@dataclass(eq=False, slots=True)
class MessageBatch:
    """Messages for the sockets of a group: prices and states, then trades."""

    updates: list[Sequence[bytes]] = field(default_factory=list)
    trades: list[Sequence[bytes]] = field(default_factory=list)
    _pieces: list[bytes] = field(default_factory=list)

    def add_updates(self, messages: Sequence[Sequence[bytes]], data: bytes) -> None:
        """Add prices and states; `data` is all of their frames."""
        self.updates += messages
        self._pieces.append(data)

    def add_trade(self, frames: Sequence[bytes], data: bytes) -> None:
        """Add a trade; `data` is all of its frames."""
        self.trades.append(frames)
        self._pieces.append(data)

    def joined(self) -> bytes:
        """Return all frames, joined once for all sockets."""
        if len(self._pieces) > 1:
            self._pieces = [b"".join(self._pieces)]
        return self._pieces[0]
