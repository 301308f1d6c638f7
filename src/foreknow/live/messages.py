"""Messages of `/ws/live`. Everything in them is absolute."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foreknow.feed.frames import text_frames
from foreknow.trading.schemas import Trade

_encode = msgspec.json.Encoder().encode


class PoolNow(msgspec.Struct, frozen=True, gc=False):
    """A pool: YES probabilities in outcome order, kopecks of stakes and sale payouts, number of trades."""

    pool_id: int
    paused: bool
    won_side: int | None
    probabilities: tuple[float, ...]
    volume_kopecks: int
    trades: int


class EventNow(msgspec.Struct, frozen=True):
    """An event with its pools, which are encoded already."""

    event_id: int
    status: str
    comments: int
    pools: list[msgspec.Raw]


class _Prices(msgspec.Struct, frozen=True, tag_field="type", tag="prices"):
    pool: msgspec.Raw


class _State(msgspec.Struct, frozen=True, tag_field="type", tag="state"):
    event: msgspec.Raw


class _Trade(msgspec.Struct, frozen=True, tag_field="type", tag="trade"):
    trade: Trade


def pool_json(pool: PoolNow) -> bytes:
    """Encode a pool."""
    return _encode(pool)


def event_json(event_id: int, status: str, comments: int, pools: Sequence[bytes]) -> bytes:
    """Encode an event with its encoded pools."""
    return _encode(EventNow(event_id, status, comments, [msgspec.Raw(pool) for pool in pools]))


def now_frames(events: Sequence[bytes]) -> list[bytes]:
    """Return the answer to a watch: all encoded events."""
    parts: list[bytes] = []
    for event in events:
        parts += [b",", event]
    return text_frames([b'{"type":"now","events":[', *parts[1:], b"]}"])


def prices_frames(pool: bytes) -> list[bytes]:
    """Return the message of an encoded pool's new prices."""
    return text_frames([_encode(_Prices(msgspec.Raw(pool)))])


def state_frames(event: bytes) -> list[bytes]:
    """Return the message of an encoded event's new state."""
    return text_frames([_encode(_State(msgspec.Raw(event)))])


def trade_frames(trade: Trade) -> list[bytes]:
    """Return the message of a trade."""
    return text_frames([_encode(_Trade(trade))])
