"""The feed's messages (interface, sections 2 and 6; decisions, `/ws/trades`), and how they are encoded.

`just openapi` writes docs/asyncapi.json from these types, and from that the docs and both clients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import TokenType
from foreknow.site.feed.frames import text_frame
from foreknow.trading.history.schemas import TradedAmount, TraderAvatar, TraderName

_encode = msgspec.json.Encoder().encode


class FeedTrade(msgspec.Struct, frozen=True):
    """A trade as the feed shows it."""

    amount: TradedAmount
    name: TraderName
    token: TokenType
    event: Annotated[str, Meta(description="Name of its event.", examples=["Who wins the derby?"])]
    market: Annotated[str, Meta(description="Name of its market.", examples=["Reds"])]
    avatar: TraderAvatar


class InitialTrades(msgspec.Struct, frozen=True, tag_field="type", tag="initial"):
    """The first message: the last 50 trades."""

    trades: Annotated[Sequence[FeedTrade], Meta(description="The last trades, oldest first.")]


class NumberedInitialTrades(InitialTrades, frozen=True, tag="initial"):
    """The first message with `?seq=1`: the last 50 trades, and the number of the last one."""

    seq: Annotated[int, Meta(ge=0, description="Number of the last of them; 0 for none.", examples=[1204])]


class NextTrade(msgspec.Struct, frozen=True, tag_field="type", tag="trade"):
    """Each further trade of any market, once."""

    trade: Annotated[FeedTrade, Meta(description="The trade.")]


class NumberedNextTrade(NextTrade, frozen=True, tag="trade"):
    """Each further trade with `?seq=1`: where `prev` is not the last `seq` you saw, you have missed something."""

    seq: Annotated[int, Meta(ge=1, description="Its number, which grows.", examples=[1205])]
    prev: Annotated[int, Meta(ge=0, description="Number of the trade before it; 0 for none.", examples=[1204])]


#: All that a socket is sent, without and with `?seq=1`.
FeedMessage = InitialTrades | NextTrade
NumberedFeedMessage = NumberedInitialTrades | NumberedNextTrade


class SequencedTrade(msgspec.Struct, frozen=True):
    """A trade with its number in the feed."""

    seq: int
    item: FeedTrade


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
    return Frame(text_frame(_encode(InitialTrades(items))), text_frame(_encode(NumberedInitialTrades(items, seq))))


def trade_frame(trade: SequencedTrade, *, prev: int) -> Frame:
    """Encode the message of one trade; `prev` is the seq of the trade before it, 0 for none."""
    plain = _encode(NextTrade(trade.item))
    # A `NumberedNextTrade`: appends two members to the same object, to encode a trade once.
    numbered = b'%b,"seq":%d,"prev":%d}' % (plain[:-1], trade.seq, prev)
    return Frame(text_frame(plain), text_frame(numbered))
