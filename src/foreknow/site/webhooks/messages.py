"""Messages after the Standard Webhooks specification: a JSON body, and headers with its id, time and signatures."""

from __future__ import annotations

import base64
import hashlib
import secrets
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
import standardwebhooks
from msgspec import Meta

from foreknow.kernel.clock import SECOND_MS, iso, iso_or_none
from foreknow.kernel.schema_types import LATER_TIME_EXAMPLE, TIME_EXAMPLE, EventId, MarketId, PoolId, Time
from foreknow.market.pools.store import PoolRow
from foreknow.trading.settlement.store import DecisionRow
from foreknow.trading.statement.lines import PartnerLine, PartnerTransaction, transaction_view

_PREFIX = "whsec_"
#: The specification allows 24 to 64.
_SECRET_BYTES = 32
#: Of what a pool's message says, in its id.
_DIGEST_CHARS = 12
_encode = msgspec.json.Encoder().encode
_ResolvedAt = Annotated[Time, Meta(description="When its result was final, UTC.", examples=[TIME_EXAMPLE])]


class ResolvedPool(msgspec.Struct, frozen=True):
    """A published pool whose result is final."""

    pool_id: PoolId
    event_id: EventId
    market_ids: Annotated[list[MarketId], Meta(description="Its markets in the order of outcomes.", examples=[[9]])]
    won_side: Annotated[
        int,
        Meta(
            description="Place of the outcome that won, from 0; of one market 0 is YES and 1 NO; -1: none.",
            examples=[0],
        ),
    ]
    payouts: Annotated[
        list[float] | None,
        Meta(description="What a share of each outcome pays, kopecks; null for a void.", examples=[[1.0, 0.0]]),
    ]
    resolved_at: _ResolvedAt


class DecidedPool(msgspec.Struct, frozen=True):
    """A published pool whose result can still be corrected."""

    pool_id: PoolId
    event_id: EventId
    market_ids: Annotated[list[MarketId], Meta(description="As of a final one.", examples=[[9]])]
    won_side: Annotated[int, Meta(description="Likewise, unless it is corrected.", examples=[0])]
    payouts: Annotated[
        list[float] | None,
        Meta(description="What a share of each outcome is to pay, kopecks; null for a void.", examples=[[1.0, 0.0]]),
    ]
    resolved_at: Annotated[None, Meta(description="Null: it is not final.", examples=[None])]
    disputable_until: Annotated[
        Time, Meta(description="Until when it can be objected to, UTC.", examples=[LATER_TIME_EXAMPLE])
    ]
    held_until: Annotated[
        Time | None,
        Meta(description="Until when an objection holds it at the latest, UTC; null for none.", examples=[None]),
    ]


class WebhookTestData(msgspec.Struct, frozen=True):
    """Nothing: a test says no more."""


_LineTime = Annotated[Time, Meta(description="When the money moved, UTC.", examples=[TIME_EXAMPLE])]
_TestTime = Annotated[Time, Meta(description="When it was sent, UTC.", examples=[TIME_EXAMPLE])]


class TransactionMessage(msgspec.Struct, frozen=True, tag="partner.transaction"):
    """A line of the statement, as GET /partner/transactions shows it."""

    timestamp: _LineTime
    data: Annotated[PartnerTransaction, Meta(description="The line.")]


class ResolvedPoolMessage(msgspec.Struct, frozen=True, tag="pool.resolved"):
    """The result of a pool is final; the lines that pay its positions follow."""

    timestamp: _ResolvedAt
    data: Annotated[ResolvedPool, Meta(description="The pool.")]


class DecidedPoolMessage(msgspec.Struct, frozen=True, tag="pool.decided"):
    """A pool has a result that can be corrected, another such result, or an objection holds it."""

    timestamp: Annotated[Time, Meta(description="When that was, UTC.", examples=[TIME_EXAMPLE])]
    data: Annotated[DecidedPool, Meta(description="The pool and its result.")]


class WebhookTestMessage(msgspec.Struct, frozen=True, tag="webhook.test"):
    """A test of the webhook."""

    timestamp: _TestTime
    data: Annotated[WebhookTestData, Meta(description="Nothing.")]


WebhookMessage = TransactionMessage | DecidedPoolMessage | ResolvedPoolMessage | WebhookTestMessage
_KINDS: Mapping[str, Callable[[str, Any], WebhookMessage]] = {
    "partner.transaction": TransactionMessage,
    "pool.decided": DecidedPoolMessage,
    "pool.resolved": ResolvedPoolMessage,
    "webhook.test": WebhookTestMessage,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is posted: `id` is the same at each attempt. It stands for a line, a pool, a verdict, or none (a test).

    `is_repeat`: the partner wanted the line again.
    """

    id: str
    type: str
    at_ms: int
    data: Any
    line_id: int | None = None
    pool_id: int | None = None
    decision_id: int | None = None
    is_repeat: bool = False

    def body(self) -> bytes:
        """Return the JSON body, the same at each attempt."""
        return _encode(_KINDS[self.type](iso(self.at_ms), self.data))


def of_line(line: PartnerLine) -> Message:
    """Return the message about a line of the statement."""
    row, view = line.row, transaction_view(line)
    return Message(
        id=f"transaction_{row.id}", type="partner.transaction", at_ms=row.created_at_ms, data=view, line_id=row.id
    )


def of_pool(row: PoolRow) -> Message:
    """Return the message about a pool whose result is final."""
    decision, at_ms = row.decision, row.resolved_at_ms
    assert decision is not None
    assert at_ms is not None
    data = ResolvedPool(
        pool_id=row.id,
        event_id=row.event_id,
        market_ids=[market.id for market in row.markets],
        won_side=decision.resolution.won_side,
        payouts=decision.resolution.shown_payouts(),
        resolved_at=iso(at_ms),
    )
    return Message(id=_pool_message_id(data), type="pool.resolved", at_ms=at_ms, data=data, pool_id=row.id)


def of_decision(decision: DecisionRow, row: PoolRow) -> Message:
    """Return the message about a verdict of a pool, or about its hold."""
    data = DecidedPool(
        pool_id=row.id,
        event_id=row.event_id,
        market_ids=[market.id for market in row.markets],
        won_side=decision.won_side,
        payouts=decision.payouts,
        resolved_at=None,
        disputable_until=iso(decision.disputable_until_ms),
        held_until=iso_or_none(decision.held_until_ms),
    )
    at_ms = decision.created_at_ms
    return Message(id=_pool_message_id(data), type="pool.decided", at_ms=at_ms, data=data, decision_id=decision.id)


def _pool_message_id(data: ResolvedPool | DecidedPool) -> str:
    # After a restore a pool may end otherwise than it did before: what says something else has another id.
    digest = hashlib.sha256(_encode(data)).hexdigest()[:_DIGEST_CHARS]
    return f"pool_{data.pool_id}_{digest}"


def of_test(at_ms: int) -> Message:
    """Return a message that says nothing, to try a webhook."""
    return Message(id=f"test_{secrets.token_hex(12)}", type="webhook.test", at_ms=at_ms, data=WebhookTestData())


def new_secret() -> str:
    """Return a secret as the specification writes it."""
    return _PREFIX + base64.b64encode(secrets.token_bytes(_SECRET_BYTES)).decode()


def headers(message_id: str, body: bytes, signing: Collection[str], *, at_ms: int) -> Mapping[str, str]:
    """Return the headers of an attempt at `at_ms`, with a signature by each of the secrets."""
    at = datetime.fromtimestamp(at_ms // SECOND_MS, UTC)
    signatures: Sequence[str] = [
        standardwebhooks.Webhook(secret).sign(message_id, at, body.decode()) for secret in signing
    ]
    return {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(at_ms // SECOND_MS),
        "webhook-signature": " ".join(signatures),
    }
