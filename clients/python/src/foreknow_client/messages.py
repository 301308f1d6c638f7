"""What sockets, streams and webhooks say and take.

Written by `just client` from docs/asyncapi.json.
"""

from __future__ import annotations

from datetime import datetime
from typing import TypeAlias

from msgspec import Struct

from foreknow_client import models


class InitialTrades(Struct, frozen=True, kw_only=True, tag_field="type", tag="initial"):
    """The first message: the last 50 trades."""

    #: The last trades, oldest first.
    trades: list[FeedTrade]


class FeedTrade(Struct, frozen=True, kw_only=True):
    """A trade as the feed shows it."""

    #: The stake, fee included, or what the sale paid, kopecks.
    amount: int
    #: The trader's name; a partner's for its users.
    name: str
    #: Which side of the market.
    token: models.TokenType
    #: Name of its event.
    event: str
    #: Name of its market.
    market: str
    #: Their picture's address; "" for none.
    avatar: str


class NextTrade(Struct, frozen=True, kw_only=True, tag_field="type", tag="trade"):
    """Each further trade of any market, once."""

    #: The trade.
    trade: FeedTrade


class NumberedInitialTrades(Struct, frozen=True, kw_only=True, tag_field="type", tag="initial"):
    """The first message with `?seq=1`: the last 50 trades, and the number of the last one."""

    #: The last trades, oldest first.
    trades: list[FeedTrade]
    #: Number of the last of them; 0 for none.
    seq: int


class NumberedNextTrade(Struct, frozen=True, kw_only=True, tag_field="type", tag="trade"):
    """Each further trade with `?seq=1`: where `prev` is not the last `seq` you saw, you have missed something."""

    #: The trade.
    trade: FeedTrade
    #: Its number, which grows.
    seq: int
    #: Number of the trade before it; 0 for none.
    prev: int


class WatchRequest(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What you watch from now on, in place of what you watched: as often as you like."""

    #: What to watch.
    watch: WatchBody


class WatchBody(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """All may be left out."""

    #: Ids of events, at most 50.
    events: list[int] | None = None
    #: Whether to send the trades of all other events too.
    tape: bool | None = None
    #: Whether to send `traders` and, signed in, `own` too.
    more: bool | None = None
    #: Number of past trades of all events to begin with, at most 20.
    last_trades: int | None = None


class LiveNow(Struct, frozen=True, kw_only=True, tag_field="type", tag="now"):
    """The answer to a watch: every event that everyone may see, in your order. At most 4 a second; of watches
    that come faster, the last is answered.
    """

    #: The events that you watch, but drafts and unknown ones.
    events: list[LiveEvent]


class LiveEvent(Struct, frozen=True, kw_only=True):
    """An event at one moment, with its pools."""

    #: The event's id.
    event_id: int
    #: Its state.
    status: models.EventStatus
    #: Comments and replies that are not deleted.
    comments: int
    #: Its pools in their order.
    pools: list[LivePool]


class LivePool(Struct, frozen=True, kw_only=True):
    """A pool at one moment."""

    #: The pool's id.
    pool_id: int
    #: Whether trading is paused.
    paused: bool
    #: Index of the outcome that won; in a single-market pool 0 = YES, 1 = NO; −1 = settled without a winner; null
    #: before.
    won_side: int | None
    #: YES probabilities in the order of outcomes, 0 … 1; a single one of a yes/no pool.
    probabilities: list[float]
    #: Stakes and payouts of sales in this pool, kopecks.
    volume_kopecks: int
    #: Number of bets and sales in it.
    trades: int


class LivePrices(Struct, frozen=True, kw_only=True, tag_field="type", tag="prices"):
    """New prices, volume or number of trades: at most 4 a second a pool, the last."""

    #: The pool as it is now.
    pool: LivePool


class LiveState(Struct, frozen=True, kw_only=True, tag_field="type", tag="state"):
    """A new status, number of comments, pause or result, or a draft that is published. Also where only what a
    page shows beside has changed: a decision, a payment, added liquidity, a clarification of the rules, a
    list's further outcome (`probabilities` has more entries then: read the event again). At most 4 a second
    an event, the last.
    """

    #: The event as it is now.
    event: LiveEvent


class LiveTrade(Struct, frozen=True, kw_only=True, tag_field="type", tag="trade"):
    """A trade, as `GET /events/{id}/trades` shows it: at most 20 a second, the newest."""

    #: What was bet or sold.
    trade: models.Trade


class LiveTraders(Struct, frozen=True, kw_only=True, tag_field="type", tag="traders"):
    """With `more`: after each watch those of all its events, then those that have changed, at most 2 a second."""

    #: Events that you watch.
    events: list[EventTraders]


class EventTraders(Struct, frozen=True, kw_only=True):
    """How many have traded in an event."""

    #: The event's id.
    event_id: int
    #: Number of people who ever traded in it.
    traders: int


class LiveOwn(Struct, frozen=True, kw_only=True, tag_field="type", tag="own"):
    """With `more`, to a page whose session is live: at first, and after any change of your money or positions.
    Within a second of a bet, a sale, a credit or a payout, wherever it was made; at most once a second.
    """

    #: The user's balance, kopecks.
    balance_kopecks: int
    #: Profit of all sales and settlements so far (below 0: loss), kopecks.
    realized_kopecks: int


class StatusEvent(Struct, frozen=True, kw_only=True):
    """The session's status: at first, and when it changes."""

    #: Its state.
    status: models.ChatSessionStatus


class TransactionMessage(Struct, frozen=True, kw_only=True, tag_field="type", tag="partner.transaction"):
    """A line of the statement, as GET /partner/transactions shows it."""

    #: When the money moved, UTC.
    timestamp: datetime
    #: The line.
    data: models.PartnerTransaction


class DecidedPoolMessage(Struct, frozen=True, kw_only=True, tag_field="type", tag="pool.decided"):
    """A pool has a result that can be corrected, another such result, or an objection holds it."""

    #: When that was, UTC.
    timestamp: datetime
    #: The pool and its result.
    data: DecidedPool


class DecidedPool(Struct, frozen=True, kw_only=True):
    """A published pool whose result can still be corrected."""

    #: The pool's id.
    pool_id: int
    #: The event's id.
    event_id: int
    #: As of a final one.
    market_ids: list[int]
    #: Likewise, unless it is corrected.
    won_side: int
    #: What a share of each outcome is to pay, kopecks; null for a void.
    payouts: list[float] | None
    #: Null: it is not final.
    resolved_at: None
    #: Until when it can be objected to, UTC.
    disputable_until: datetime
    #: Until when an objection holds it at the latest, UTC; null for none.
    held_until: datetime | None


class ResolvedPoolMessage(Struct, frozen=True, kw_only=True, tag_field="type", tag="pool.resolved"):
    """The result of a pool is final; the lines that pay its positions follow."""

    #: When its result was final, UTC.
    timestamp: datetime
    #: The pool.
    data: ResolvedPool


class ResolvedPool(Struct, frozen=True, kw_only=True):
    """A published pool whose result is final."""

    #: The pool's id.
    pool_id: int
    #: The event's id.
    event_id: int
    #: Its markets in the order of outcomes.
    market_ids: list[int]
    #: Place of the outcome that won, from 0; of one market 0 is YES and 1 NO; -1: none.
    won_side: int
    #: What a share of each outcome pays, kopecks; null for a void.
    payouts: list[float] | None
    #: When its result was final, UTC.
    resolved_at: datetime


class WebhookTestMessage(Struct, frozen=True, kw_only=True, tag_field="type", tag="webhook.test"):
    """A test of the webhook."""

    #: When it was sent, UTC.
    timestamp: datetime
    #: Nothing.
    data: WebhookTestData


class WebhookTestData(Struct, frozen=True, kw_only=True):
    """Nothing: a test says no more."""


FeedMessage: TypeAlias = InitialTrades | NextTrade
NumberedFeedMessage: TypeAlias = NumberedInitialTrades | NumberedNextTrade
LiveMessage: TypeAlias = LiveNow | LivePrices | LiveState | LiveTrade | LiveTraders | LiveOwn
ChatEvent: TypeAlias = models.ChatMessage | StatusEvent
WebhookMessage: TypeAlias = TransactionMessage | DecidedPoolMessage | ResolvedPoolMessage | WebhookTestMessage
