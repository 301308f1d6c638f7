"""Messages of `/ws/live`, and how they are encoded. Everything in them is absolute.

`just openapi` writes docs/asyncapi.json from these types, and from that the docs and both clients. What is in a message
is encoded once, before the message: where one shows it, its type is open (`…Of`) and holds it as `Raw`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Generic, TypeVar

import msgspec
from msgspec import Meta

from foreknow.kernel.schema_types import NATURAL, EventId, PoolId, UserBalance
from foreknow.market.events.schemas import EventStatusName
from foreknow.market.markets.schemas import Paused
from foreknow.market.pools.schemas import WonSide
from foreknow.site.comments.schemas import CommentCount
from foreknow.site.feed.frames import text_frames
from foreknow.site.portfolio.schemas import RealizedProfit
from foreknow.trading.history.schemas import Trade

#: Number of events that a socket may watch.
EVENTS_MAX = 50
#: Number of past trades that a watch may begin with.
LAST_TRADES_MAX = 20

PoolT = TypeVar("PoolT")
EventT = TypeVar("EventT")
_encode = msgspec.json.Encoder().encode


class WatchBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """All may be left out."""

    events: Annotated[
        tuple[Annotated[int, Meta(ge=1)], ...],
        Meta(max_length=EVENTS_MAX, description="Ids of events, at most 50.", examples=[[7, 9]]),
    ] = ()
    tape: Annotated[bool, Meta(description="Whether to send the trades of all other events too.", examples=[False])] = (
        False
    )
    more: Annotated[
        bool,
        Meta(
            description="Whether to send `traders` and, signed in, `own` too.",
            examples=[False],
        ),
    ] = False
    last_trades: Annotated[
        int,
        Meta(
            ge=0,
            le=LAST_TRADES_MAX,
            description="Number of past trades of all events to begin with, at most 20.",
            examples=[0],
        ),
    ] = 0


class WatchRequest(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What you watch from now on, in place of what you watched: as often as you like."""

    watch: Annotated[WatchBody, Meta(description="What to watch.")]


class LivePool(msgspec.Struct, frozen=True, gc=False):
    """A pool at one moment."""

    pool_id: PoolId
    paused: Paused
    won_side: WonSide | None
    probabilities: Annotated[
        tuple[float, ...],
        Meta(
            description="YES probabilities in the order of outcomes, 0 … 1; a single one of a yes/no pool.",
            examples=[[0.62, 0.38]],
        ),
    ]
    volume_kopecks: Annotated[
        int, NATURAL, Meta(description="Stakes and payouts of sales in this pool, kopecks.", examples=[125000])
    ]
    trades: Annotated[int, NATURAL, Meta(description="Number of bets and sales in it.", examples=[41])]


class _EventOf(msgspec.Struct, Generic[PoolT], frozen=True):
    event_id: EventId
    status: EventStatusName
    comments: CommentCount
    pools: Annotated[list[PoolT], Meta(description="Its pools in their order.")]


class LiveEvent(_EventOf[LivePool], frozen=True):
    """An event at one moment, with its pools."""


class LiveNow(msgspec.Struct, frozen=True, tag_field="type", tag="now"):
    """The answer to a watch: every event that everyone may see, in your order.

    At most 4 a second; of watches that come faster, the last is answered.
    """

    events: Annotated[Sequence[LiveEvent], Meta(description="The events that you watch, but drafts and unknown ones.")]


class _PricesOf(msgspec.Struct, Generic[PoolT], frozen=True, tag_field="type", tag="prices"):
    pool: Annotated[PoolT, Meta(description="The pool as it is now.")]


class LivePrices(_PricesOf[LivePool], frozen=True, tag="prices"):
    """New prices, volume or number of trades: at most 4 a second a pool, the last."""


class _StateOf(msgspec.Struct, Generic[EventT], frozen=True, tag_field="type", tag="state"):
    event: Annotated[EventT, Meta(description="The event as it is now.")]


class LiveState(_StateOf[LiveEvent], frozen=True, tag="state"):
    """A new status, number of comments, pause or result, or a draft that is published.

    Also where only what a page shows beside has changed: a decision, a payment, added liquidity, a clarification of the
    rules, a list's further outcome (`probabilities` has more entries then: read the event again). At most 4 a second an
    event, the last.
    """


class LiveTrade(msgspec.Struct, frozen=True, tag_field="type", tag="trade"):
    """A trade, as `GET /events/{id}/trades` shows it: at most 20 a second, the newest."""

    trade: Annotated[Trade, Meta(description="What was bet or sold.")]


class EventTraders(msgspec.Struct, frozen=True):
    """How many have traded in an event."""

    event_id: EventId
    traders: Annotated[int, NATURAL, Meta(description="Number of people who ever traded in it.", examples=[17])]


class LiveTraders(msgspec.Struct, frozen=True, tag_field="type", tag="traders"):
    """With `more`: after each watch those of all its events, then those that have changed, at most 2 a second."""

    events: Annotated[Sequence[EventTraders], Meta(description="Events that you watch.")]


class LiveOwn(msgspec.Struct, frozen=True, tag_field="type", tag="own"):
    """With `more`, to a page whose session is live: at first, and after any change of your money or positions.

    Within a second of a bet, a sale, a credit or a payout, wherever it was made; at most once a second.
    """

    balance_kopecks: UserBalance
    realized_kopecks: RealizedProfit


#: All that a socket is sent.
LiveMessage = LiveNow | LivePrices | LiveState | LiveTrade | LiveTraders | LiveOwn

#: What stands around the events of a `LiveNow`.
_NOW_HEAD, _NOW_TAIL = _encode(LiveNow(()))[:-2], b"]}"


def pool_json(pool: LivePool) -> bytes:
    """Encode a pool."""
    return _encode(pool)


def event_json(event_id: int, status: EventStatusName, comments: int, pools: Sequence[bytes]) -> bytes:
    """Encode an event with its encoded pools."""
    return _encode(_EventOf(event_id, status, comments, [msgspec.Raw(pool) for pool in pools]))


def now_frames(events: Sequence[bytes]) -> list[bytes]:
    """Return the answer to a watch: all encoded events."""
    parts: list[bytes] = []
    for event in events:
        parts += [b",", event]
    return text_frames([_NOW_HEAD, *parts[1:], _NOW_TAIL])


def prices_frames(pool: bytes) -> list[bytes]:
    """Return the message of an encoded pool's new prices."""
    return text_frames([_encode(_PricesOf(msgspec.Raw(pool)))])


def state_frames(event: bytes) -> list[bytes]:
    """Return the message of an encoded event's new state."""
    return text_frames([_encode(_StateOf(msgspec.Raw(event)))])


def trade_frames(trade: Trade) -> list[bytes]:
    """Return the message of a trade."""
    return text_frames([_encode(LiveTrade(trade))])


def traders_frames(counts: Mapping[int, int]) -> list[bytes]:
    """Return the message of how many have traded in these events."""
    return text_frames([_encode(LiveTraders([EventTraders(*count) for count in counts.items()]))])


def own_frames(own: LiveOwn) -> list[bytes]:
    """Return the message of what one trader has."""
    return text_frames([_encode(own)])
