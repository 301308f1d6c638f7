"""What clients watch, and the messages of one pass of the hub for those who watch the same."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Watch:
    """What a client watches: events, and with `tape` the trades of all others too."""

    event_ids: tuple[int, ...]
    tape: bool


@dataclass(frozen=True, slots=True)
class TradeMessage:
    """A trade's message and its event."""

    event_id: int
    frames: Sequence[bytes]


@dataclass(frozen=True, slots=True)
class Batch:
    """Messages for the sockets of a group: prices and states, then trades; and all of them joined."""

    updates: Sequence[Sequence[bytes]]
    trades: Sequence[Sequence[bytes]]
    joined: bytes

    @classmethod
    def of(
        cls,
        event_ids: frozenset[int],
        updates: Mapping[int, Sequence[Sequence[bytes]]],
        trades: Iterable[TradeMessage],
        *,
        tape: bool,
    ) -> Batch:
        """Choose from the messages of each event those of `event_ids`, and with `tape` all trades."""
        mine = [message for event_id in event_ids & updates.keys() for message in updates[event_id]]
        traded = [trade.frames for trade in trades if tape or trade.event_id in event_ids]
        return cls(mine, traded, b"".join(frame for message in (*mine, *traded) for frame in message))
