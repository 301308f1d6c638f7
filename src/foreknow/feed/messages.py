"""What a trade looks like on the wire (interface, sections 2 and 6; decisions, `/ws/trades`)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import msgspec

_encode = msgspec.json.Encoder().encode


class TradeItem(msgspec.Struct, frozen=True):
    """A trade feed item; `amount` in kopecks, paid or received."""

    amount: int
    name: str
    token: str
    event: str
    market: str
    avatar: str


class _Initial(msgspec.Struct, frozen=True, tag_field="type", tag="initial"):
    trades: Sequence[TradeItem]


class _NumberedInitial(msgspec.Struct, frozen=True, tag_field="type", tag="initial"):
    trades: Sequence[TradeItem]
    seq: int


class _Trade(msgspec.Struct, frozen=True, tag_field="type", tag="trade"):
    trade: TradeItem


class _NumberedTrade(msgspec.Struct, frozen=True, tag_field="type", tag="trade"):
    trade: TradeItem
    seq: int
    prev: int


@dataclass(frozen=True, slots=True)
class SequencedTrade:
    """A trade with its place in the one order."""

    seq: int
    item: TradeItem


@dataclass(frozen=True, slots=True)
class Frame:
    """One message in both forms, as ASGI messages that all sockets share: without and with `?seq=1`."""

    plain: dict[str, Any]
    numbered: dict[str, Any]


def initial_frame(trades: Sequence[SequencedTrade], *, seq: int) -> Frame:
    """Encode the first message of a socket: the last trades, oldest first; `seq` is the last one's, 0 for none."""
    items = [trade.item for trade in trades]
    return Frame(_text(_Initial(items)), _text(_NumberedInitial(items, seq)))


def trade_frame(trade: SequencedTrade, *, prev: int) -> Frame:
    """Encode the message of one trade; `prev` is the seq of the trade before it, 0 for none."""
    return Frame(_text(_Trade(trade.item)), _text(_NumberedTrade(trade.item, trade.seq, prev)))


def _text(message: msgspec.Struct) -> dict[str, Any]:
    return {"type": "websocket.send", "text": _encode(message).decode()}
