"""The feed's messages (interface, sections 2 and 6; decisions, `/ws/trades`)."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foreknow.feed.frames import text_frame

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


class SequencedTrade(msgspec.Struct, frozen=True):
    """A trade with its number in the feed."""

    seq: int
    item: TradeItem


class Frame(msgspec.Struct, frozen=True):
    """One message as WebSocket frames shared by all sockets, without and with `?seq=1`."""

    plain: bytes
    numbered: bytes

    def form(self, *, numbered: bool) -> bytes:
        """Return the form without or with numbers."""
        return self.numbered if numbered else self.plain


def initial_frame(trades: Sequence[SequencedTrade], *, seq: int) -> Frame:
    """Encode a socket's first message: the last trades, oldest first; `seq` is the last one's, 0 for none."""
    items = [trade.item for trade in trades]
    return Frame(text_frame(_encode(_Initial(items))), text_frame(_encode(_NumberedInitial(items, seq))))


def trade_frame(trade: SequencedTrade, *, prev: int) -> Frame:
    """Encode the message of one trade; `prev` is the seq of the trade before it, 0 for none."""
    plain = _encode(_Trade(trade.item))
    # Appends two members to the same object, to encode a trade once.
    numbered = b'%b,"seq":%d,"prev":%d}' % (plain[:-1], trade.seq, prev)
    return Frame(text_frame(plain), text_frame(numbered))
