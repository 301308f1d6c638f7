"""Messages after the Standard Webhooks specification: a JSON body, and headers with its id, time and signatures."""

from __future__ import annotations

import base64
import secrets
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Annotated, Any

import msgspec
import standardwebhooks
from msgspec import Meta

from foreknow.kernel.clock import SECOND_MS, iso
from foreknow.kernel.schema_types import EventId, MarketId, PoolId, Time
from foreknow.partner.schemas import transaction_view
from foreknow.pools.store import PoolRow
from foreknow.statements import StatementRow

_PREFIX = "whsec_"
#: The specification allows 24 to 64.
_SECRET_BYTES = 32
_encode = msgspec.json.Encoder().encode


class ResolvedPool(msgspec.Struct, frozen=True):
    """The `data` of `pool.resolved`. `won_side` as the pool's; `payouts` as its resolution's, null for a void."""

    pool_id: PoolId
    event_id: EventId
    market_ids: Annotated[list[MarketId], Meta(description="Its markets in the order of outcomes.")]
    won_side: int
    payouts: list[float] | None
    resolved_at: Time


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """What is posted: `id` is the same at each attempt. It stands for a line, a pool, or neither (a test)."""

    id: str
    type: str
    at_ms: int
    data: Any
    line_id: int | None = None
    pool_id: int | None = None

    def body(self) -> bytes:
        """Return the JSON body, the same at each attempt."""
        return _encode({"type": self.type, "timestamp": iso(self.at_ms), "data": self.data})


def of_line(row: StatementRow) -> Message:
    """Return the message about a line of the statement."""
    view = transaction_view(row)
    return Message(
        id=f"transaction_{row.id}", type="partner.transaction", at_ms=row.created_at_ms, data=view, line_id=row.id
    )


def of_pool(row: PoolRow) -> Message:
    """Return the message about a pool whose result is final."""
    result, at_ms = row.result, row.resolved_at_ms
    assert result is not None
    assert at_ms is not None
    data = ResolvedPool(
        pool_id=row.id,
        event_id=row.event_id,
        market_ids=[market.id for market in row.markets],
        won_side=result.won_side,
        payouts=None if result.payouts is None else [float(payout) for payout in result.payouts],
        resolved_at=iso(at_ms),
    )
    return Message(id=f"pool_{row.id}", type="pool.resolved", at_ms=at_ms, data=data, pool_id=row.id)


def of_test(at_ms: int) -> Message:
    """Return a message that says nothing, to try a webhook."""
    return Message(id=f"test_{secrets.token_hex(12)}", type="webhook.test", at_ms=at_ms, data={})


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
