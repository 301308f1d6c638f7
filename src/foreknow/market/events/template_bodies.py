"""Bodies of the templates of events (`templates`): a few fields each."""

from __future__ import annotations

from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.validation.fields import required_text_schema
from foreknow.kernel.validation.urls import URL_SCHEMA
from foreknow.market.events.date_steps import StepName
from foreknow.market.events.schemas import (
    B_MAX,
    B_MIN,
    MARGIN_MAX,
    MARKETS_MAX,
    NAME_MAX,
    PROBABILITY_MAX,
    PROBABILITY_MIN,
    RULES_MAX,
    EventTags,
    ExternalEventUrl,
    HasDraw,
    LoopIntervalMinutes,
)
from foreknow.market.pools.schemas import FINISH_AT, LIVE_AT, Margin, Rules
from foreknow.market.pools.shapes.base import EDGES_MAX
from foreknow.market.pools.shapes.joint import QUESTIONS_SCHEMA
from foreknow.market.pools.shapes.number import UNIT_MAX

_Name = Annotated[str, Meta(extra_json_schema=required_text_schema(NAME_MAX))]
_Question = Annotated[_Name, Meta(description="What is asked: the event's name.", examples=["Will it rain tomorrow?"])]


class TemplateBody(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="template"):
    """What every template takes besides its own fields."""

    tags: EventTags | None = None
    loop_interval_minutes: LoopIntervalMinutes | None = None
    external_event_url: Annotated[ExternalEventUrl, Meta(extra_json_schema=URL_SCHEMA)] | None = None
    lmsr_b_kopecks: (
        Annotated[
            int,
            Meta(
                description="The LMSR liquidity parameter b, kopecks.",
                examples=[100_000],
                extra_json_schema={"minimum": B_MIN, "maximum": B_MAX, "default": 100_000},
            ),
        ]
        | None
    ) = None
    margin: Annotated[Margin, Meta(extra_json_schema={"minimum": 0, "maximum": MARGIN_MAX, "default": 0})] | None = None
    live_at: Annotated[datetime, Meta(tz=True), LIVE_AT] | None = None
    finish_at: Annotated[datetime, Meta(tz=True), FINISH_AT] | None = None
    rules: Annotated[Rules, Meta(extra_json_schema={"maxLength": RULES_MAX})] | None = None


class YesNoTemplate(TemplateBody, frozen=True, kw_only=True, tag="yes_no"):
    """A question that is answered with yes or no."""

    question: _Question
    probability: (
        Annotated[
            float,
            Meta(
                description="The probability of YES at first; 0.5 if left out.",
                extra_json_schema={"minimum": PROBABILITY_MIN, "maximum": PROBABILITY_MAX},
                examples=[0.3],
            ),
        ]
        | None
    ) = None


class MatchTemplate(TemplateBody, frozen=True, kw_only=True, tag="match"):
    """Two sides, of which one wins."""

    home: Annotated[_Name, Meta(description="The first side.", examples=["Reds"])]
    away: Annotated[_Name, Meta(description="The other side.", examples=["Blues"])]
    draw: HasDraw | None = None


class PriceTemplate(TemplateBody, frozen=True, kw_only=True, tag="price"):
    """The price of an asset at `finish_at`, which resolves the event by itself."""

    finish_at: Annotated[datetime, Meta(tz=True), FINISH_AT]
    symbol: Annotated[str, Meta(description="The asset's symbol.", examples=["BTC"])]
    thresholds: Annotated[
        list[int | float],
        Meta(
            min_length=1,
            max_length=MARKETS_MAX - 1,
            description="Prices between the outcomes, ascending.",
            examples=[[60_000, 70_000]],
        ),
    ]
    relative: (
        Annotated[
            Literal["times", "plus"],
            Meta(
                description="What the thresholds are of the price at publication: factors, or summands to it.",
                examples=[None],
            ),
        ]
        | None
    ) = None


class CandidatesTemplate(TemplateBody, frozen=True, kw_only=True, tag="candidates"):
    """A question with several possible answers."""

    question: _Question
    names: Annotated[
        list[_Name],
        Meta(min_length=2, max_length=MARKETS_MAX, description="The answers.", examples=[["Ann", "Bob", "Eve"]]),
    ]
    other: (
        Annotated[
            bool,
            Meta(
                description="Whether there is one more, Other, of which answers are taken while it trades.",
                examples=[True],
            ),
        ]
        | None
    ) = None


_Probabilities = Annotated[
    list[float],
    Meta(
        max_length=MARKETS_MAX,
        description="One for each outcome, summing to 1; equal if left out.",
        examples=[None],
    ),
]


class NumberTemplate(TemplateBody, frozen=True, kw_only=True, tag="number"):
    """A number; each outcome is a range of it."""

    question: _Question
    edges: Annotated[
        list[int | float],
        Meta(
            min_length=1,
            max_length=EDGES_MAX,
            description="Numbers between the outcomes, ascending.",
            examples=[[0, 10]],
        ),
    ]
    unit: (
        Annotated[
            str,
            Meta(
                description="The number's unit.",
                examples=["°C"],
                extra_json_schema=required_text_schema(UNIT_MAX),
            ),
        ]
        | None
    ) = None
    log: (
        Annotated[bool, Meta(description="Whether ranges are compared by their logarithm.", examples=[False])] | None
    ) = None
    probabilities: _Probabilities | None = None


_Day = Annotated[
    str,
    Meta(pattern="^[0-9]{4}-[0-9]{2}-[0-9]{2}$", description="A day that begins a step.", examples=["2027-01-01"]),
]


class DateTemplate(TemplateBody, frozen=True, kw_only=True, tag="date"):
    """A date; the outcomes are the steps between two days, and what lies before and after them."""

    question: _Question
    first: _Day
    last: _Day
    step: Annotated[StepName, Meta(description="How long each outcome is.", examples=["quarter"])]
    zone: (
        Annotated[str, Meta(description="The IANA time zone of the days; UTC if left out.", examples=["UTC"])] | None
    ) = None
    probabilities: _Probabilities | None = None


class JointTemplate(TemplateBody, frozen=True, kw_only=True, tag="joint"):
    """Several questions at once; each outcome is one answer to each of them."""

    question: _Question
    questions: Annotated[list[dict[str, Any]], Meta(extra_json_schema=QUESTIONS_SCHEMA)]
    probabilities: _Probabilities | None = None


EventTemplate = (
    YesNoTemplate | MatchTemplate | PriceTemplate | CandidatesTemplate | NumberTemplate | DateTemplate | JointTemplate
)
