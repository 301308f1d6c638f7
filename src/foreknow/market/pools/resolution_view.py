"""How a pool is resolved, was resolved and is paid, as responses show it."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import iso, iso_or_none
from foreknow.kernel.schema_types import LATER_TIME_EXAMPLE, Time
from foreknow.market.pools.price_intervals import plain_text, shortest_decimal
from foreknow.market.pools.resolutions import DecidedBy, Decision, Reason, read_resolution
from foreknow.market.pools.rule_view import rule_view
from foreknow.market.pools.rules.family import Kind
from foreknow.market.pools.store import PoolRow
from foreknow.market.pools.verdicts import Reasons, Verdict

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


NOTE = Meta(description='Why, in plain text; "" where it is not said.', examples=["The score after extra time."])
NOTE_RU = Meta(description='The same in Russian; "" where it is not said.', examples=["Счёт после овертайма."])
SOURCE_URL = Meta(
    description='Where the result stands; "" where it is not said.', examples=["https://example.org/derby/result"]
)
_WON_SIDE = Annotated[int, Meta(ge=-1)]
_PAYOUTS = list[Annotated[float, Meta(ge=0, le=1)]]


class PoolVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """A result that a pool was given."""

    number: Annotated[int, Meta(ge=1, description="Which one of the pool's, from 1.", examples=[1])]
    won_side: Annotated[_WON_SIDE, Meta(description="As the pool's.", examples=[0])]
    payouts: Annotated[
        _PAYOUTS | None,
        Meta(description="What a YES share of each outcome pays; null for a void.", examples=[[1, 0]]),
    ]
    void_at: Annotated[
        Time | None, Meta(description="The moment whose probabilities it pays, a void, UTC.", examples=[None])
    ]
    decided_at: Annotated[Time, Meta(description="When this result was given, UTC.", examples=[LATER_TIME_EXAMPLE])]
    decided_by: Annotated[
        DecidedBy | None, Meta(description="What or who gave it; null where it was not noted.", examples=["creator"])
    ]
    decider_trades: Annotated[
        bool | None,
        Meta(description="Whether who gave it ever traded in the pool; null for a rule.", examples=[False]),
    ]
    note: Annotated[str, NOTE]
    note_ru: Annotated[str, NOTE_RU]
    source_url: Annotated[str, SOURCE_URL]


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
        _WON_SIDE | None,
        Meta(description="As the pool's, from the decision on, final or not.", examples=[None]),
    ]
    payouts: Annotated[
        _PAYOUTS | None,
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
    note: Annotated[str, NOTE]
    note_ru: Annotated[str, NOTE_RU]
    source_url: Annotated[str, SOURCE_URL]
    dispute_minutes: Annotated[
        int,
        Meta(ge=0, description="Minutes from a decision to its payment, in which it can be corrected.", examples=[60]),
    ]
    disputable_until: Annotated[
        Time | None, Meta(description="End of the dispute window (excluded), UTC.", examples=[None])
    ]
    held_until: Annotated[
        Time | None,
        Meta(
            description="Until when objections hold the result at most, unless it is confirmed or replaced, UTC; then "
            "it is final.",
            examples=[None],
        ),
    ]
    objections: Annotated[int, Meta(ge=0, description="How many objections to the result are open.", examples=[0])]
    reason: Annotated[
        Reason | None,
        Meta(
            description="Why the rule gave no result; `overdue`: a person gives it, and has not within 72 hours after "
            "`finish_at`.",
            examples=[None],
        ),
    ]
    history: Annotated[
        list[PoolVerdict],
        Meta(description="All results that it was given, oldest first, the present one last.", examples=[[]]),
    ]


def resolution_view(row: PoolRow, *, now_ms: int) -> PoolResolution:
    """Show a pool's resolution as it is at `now_ms`."""
    rule, decision = rule_view(row), row.decision
    # Without a decision or a reason it is what one round of an external rule said, which the next must confirm.
    undecided_evidence = None if row.attention_reason is None else row.evidence
    reasons = row.verdicts[-1].reasons if row.verdicts else Reasons()
    standing = row.standing
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
        note=reasons.note,
        note_ru=reasons.note_ru,
        source_url=reasons.source_url,
        dispute_minutes=row.dispute_minutes,
        disputable_until=iso_or_none(standing.window_ends_ms),
        held_until=iso_or_none(standing.held_until_ms(now_ms)),
        objections=standing.shown_objections(now_ms),
        reason="overdue" if row.is_overdue(now_ms) else row.attention_reason,
        history=[_verdict(row, number, verdict) for number, verdict in enumerate(row.verdicts, 1)],
    )


def _verdict(row: PoolRow, number: int, verdict: Verdict) -> PoolVerdict:
    resolution = read_resolution(verdict.resolution, outcomes=len(row.weights))
    return PoolVerdict(
        number=number,
        won_side=resolution.won_side,
        payouts=resolution.shown_payouts(),
        void_at=iso_or_none(verdict.void_at_ms),
        decided_at=iso(verdict.at_ms),
        decided_by=verdict.by,
        decider_trades=verdict.decider_trades,
        note=verdict.reasons.note,
        note_ru=verdict.reasons.note_ru,
        source_url=verdict.reasons.source_url,
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
    if row.attention_reason is not None or row.is_overdue(now_ms):
        return "attention"
    return "waiting" if row.published_at_ms is not None and row.is_over(now_ms) else "open"
