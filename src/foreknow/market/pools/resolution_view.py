"""How a pool is resolved, was resolved and is paid, as responses show it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.schema_types import LATER_TIME_EXAMPLE, Time
from foreknow.market.pools.price_intervals import plain_text, shortest_decimal
from foreknow.market.pools.resolutions import DecidedBy, Decision, Reason
from foreknow.market.pools.rule_view import rule_view
from foreknow.market.pools.rules.family import Kind
from foreknow.market.pools.store import PoolRow

_PRICE = {
    "type": "object",
    "required": ["price", "observed_at", "source"],
    "properties": {
        "price": {"type": "number"},
        "observed_at": {"type": "string", "format": "date-time"},
        "source": {"type": "string"},
    },
}
_EXTERNAL = {
    "type": "object",
    "required": ["url", "result", "fetched_at"],
    "properties": {
        "url": {"type": "string"},
        "result": {"type": "string"},
        "fetched_at": {"type": "string", "format": "date-time"},
    },
}
_OBSERVATION_EXAMPLE = {"price": 68123.4, "observed_at": LATER_TIME_EXAMPLE, "source": "binance"}
State = Literal["open", "waiting", "attention", "decided", "paying", "paid"]


class PoolResolution(msgspec.Struct, frozen=True, kw_only=True):
    """How a pool is resolved and, from the decision on, what was decided. Fields that do not apply are null."""

    kind: Annotated[Kind, Meta(description="What gives the result.", examples=["manual"])]
    state: Annotated[
        State,
        Meta(
            description="`open`; `waiting` from `finish_at` on; `attention`: a person must decide; `decided`: "
            "disputable; `paying`: final, and positions are being paid; `paid`.",
            examples=["open"],
        ),
    ]
    symbol: Annotated[str | None, Meta(description="The asset whose price decides.", examples=[None])]
    source: Annotated[str | None, Meta(description="The only source whose prices count.", examples=[None])]
    outcomes: Annotated[
        list[dict[str, int | float]] | None,
        Meta(
            description="The interval of prices of each outcome, its numbers filled in: `above` (>) or `from` (≥), "
            "`below` (<) or `to` (≤).",
            examples=[None],
        ),
    ]
    strike: Annotated[
        dict[str, Any] | None,
        Meta(
            description="The price at publication.",
            examples=[_OBSERVATION_EXAMPLE],
            extra_json_schema={"anyOf": [_PRICE, {"type": "null"}]},
        ),
    ]
    evidence: Annotated[
        dict[str, Any] | None,
        Meta(
            description="What the result was read from: an observation, or the result of an event elsewhere.",
            examples=[_OBSERVATION_EXAMPLE],
            extra_json_schema={"anyOf": [_PRICE, _EXTERNAL, {"type": "null"}]},
        ),
    ]
    decided_at: Annotated[Time | None, Meta(description="When the result was given, UTC.", examples=[None])]
    decided_by: Annotated[DecidedBy | None, Meta(description="What or who gave the result.", examples=[None])]
    won_side: Annotated[
        Annotated[int, Meta(ge=-1)] | None,
        Meta(description="As the pool's, from the decision on, final or not.", examples=[None]),
    ]
    payouts: Annotated[
        list[Annotated[float, Meta(ge=0, le=1)]] | None,
        Meta(
            description="What a YES share of each outcome pays, [yes, no] in a single-market pool; null before the "
            "decision, and of a void, which pays probabilities.",
            examples=[None],
        ),
    ]
    value: Annotated[
        str | None,
        Meta(description="The number, or the time in UTC, that the result was named by.", examples=[None]),
    ]
    values: Annotated[
        list[str] | None,
        Meta(description="The answers that the result was named by, one for each question.", examples=[None]),
    ]
    void_at: Annotated[
        Time | None, Meta(description="The moment whose probabilities a void pays, UTC.", examples=[None])
    ]
    disputable_until: Annotated[
        Time | None, Meta(description="End of the dispute window (excluded), UTC.", examples=[None])
    ]
    reason: Annotated[
        Reason | None,
        Meta(description="Why the rule gave no result.", examples=[None]),
    ]


def resolution_view(row: PoolRow, *, now_ms: int) -> PoolResolution:
    """Show a pool's resolution as it is at `now_ms`."""
    rule, decision = rule_view(row), row.decision
    # Without a decision or a reason it is what one round of an external rule said, which the next must confirm.
    undecided_evidence = None if row.attention_reason is None else row.evidence
    return PoolResolution(
        kind=row.rule_type.kind,
        state=_state(row, now_ms),
        symbol=rule.symbol,
        source=rule.source,
        outcomes=rule.outcomes,
        strike=rule.strike,
        evidence=undecided_evidence if decision is None else decision.evidence,
        decided_at=None if decision is None else iso(decision.at_ms),
        decided_by=None if decision is None else decision.by,
        won_side=None if decision is None else decision.resolution.won_side,
        payouts=None if decision is None else decision.resolution.shown_payouts(),
        value=_value(decision),
        values=None if decision is None else decision.resolution.named_by.get("values"),
        void_at=None if decision is None else iso_or_none(decision.void_at_ms),
        disputable_until=iso_or_none(row.disputable_until_ms),
        reason=row.attention_reason,
    )


def _value(decision: Decision | None) -> str | None:
    if decision is None:
        return None
    # Of a price rule; an event elsewhere has none.
    if decision.by == "rule" and decision.evidence is not None and "price" in decision.evidence:
        return plain_text(shortest_decimal(decision.evidence["price"]))
    return decision.resolution.named_by.get("value")


def _state(row: PoolRow, now_ms: int) -> State:
    if row.is_resolved(now_ms):
        # Until it is marked as paid, nothing says that it is.
        return "paying" if row.paying or row.resolved_at_ms is None else "paid"
    if row.is_decided:
        return "decided"
    if row.attention_reason is not None:
        return "attention"
    return "waiting" if row.published_at_ms is not None and row.is_over(now_ms) else "open"
