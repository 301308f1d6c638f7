"""Events from a few fields: each template becomes the body of a creation, which is then checked like any other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import required_text, required_text_schema, wrong_field
from foreknow.kernel.validation.urls import URL_SCHEMA
from foreknow.market.assets.codes import asset_symbol
from foreknow.market.events.drafts import EventDraft, event_draft
from foreknow.market.events.schemas import (
    B_MAX,
    B_MIN,
    MARGIN_MAX,
    MARKETS_MAX,
    NAME_MAX,
    PROBABILITY_MAX,
    PROBABILITY_MIN,
    RULES_MAX,
    CreateEventBody,
    EventTags,
    ExternalEventUrl,
    HasDraw,
    LoopIntervalMinutes,
    PoolBody,
)
from foreknow.market.pools.price_intervals import shortest_decimal
from foreknow.market.pools.rules.price import DECIMALS, DECIMALS_MAX
from foreknow.market.pools.schemas import FINISH_AT, LIVE_AT, Margin, Rules

_Name = Annotated[str, Meta(extra_json_schema=required_text_schema(NAME_MAX))]
_Question = Annotated[_Name, Meta(description="What is asked: the event's name.", examples=["Will it rain tomorrow?"])]


class _Template(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, tag_field="template"):
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


class YesNoTemplate(_Template, frozen=True, kw_only=True, tag="yes_no"):
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


class MatchTemplate(_Template, frozen=True, kw_only=True, tag="match"):
    """Two sides, of which one wins."""

    home: Annotated[_Name, Meta(description="The first side.", examples=["Reds"])]
    away: Annotated[_Name, Meta(description="The other side.", examples=["Blues"])]
    draw: HasDraw | None = None


class PriceTemplate(_Template, frozen=True, kw_only=True, tag="price"):
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


class CandidatesTemplate(_Template, frozen=True, kw_only=True, tag="candidates"):
    """A question with several possible answers."""

    question: _Question
    names: Annotated[
        list[_Name],
        Meta(min_length=2, max_length=MARKETS_MAX, description="The answers.", examples=[["Ann", "Bob", "Eve"]]),
    ]


EventTemplate = YesNoTemplate | MatchTemplate | PriceTemplate | CandidatesTemplate


#: Patterns of the fields of a body, and the template's field that each comes from.
_Fields = Sequence[tuple[str, str]]
_SHARED: _Fields = ((r"pools\[0\]\.metadata\.(lmsr_b_kopecks)", r"\1"), (r"pools\[0\]\.(\w+)", r"\1"))


def template_draft(template: EventTemplate) -> EventDraft:
    """Return the event of a template; `BadRequest` names the first wrong field of the template."""
    body, fields = _expand(template)
    try:
        return event_draft(body)
    except BadRequest as error:
        ((path, problem),) = error.details["fields"].items()
        raise wrong_field(_field_of_template(path, fields), problem) from error


def _expand(template: EventTemplate) -> tuple[CreateEventBody, _Fields]:
    """Return the body of a creation, and which of the template's fields its fields come from."""
    match template:
        case YesNoTemplate():
            return _yes_no(template)
        case MatchTemplate():
            return _match(template)
        case PriceTemplate():
            return _price(template)
        case CandidatesTemplate():
            return _candidates(template)


def _field_of_template(path: str, fields: _Fields) -> str:
    for pattern, field in (*fields, *_SHARED):
        found = re.fullmatch(pattern, path)
        if found is not None:
            return found.expand(field)
    return path


def _yes_no(template: YesNoTemplate) -> tuple[CreateEventBody, _Fields]:
    metadata = {} if template.probability is None else {"market_probabilities": [template.probability]}
    fields = ((r"(pools\[0\]\.)?name", "question"), (r"pools\[0\]\.metadata\.market_probabilities.*", "probability"))
    return _body(template, template.question, pool_name=template.question, metadata=metadata), fields


def _match(template: MatchTemplate) -> tuple[CreateEventBody, _Fields]:
    draw = template.draw or False
    home = required_text("home", template.home, most=NAME_MAX)
    away = required_text("away", template.away, most=NAME_MAX)
    together = f"{home} – {away}"
    if len(together) > NAME_MAX:
        raise wrong_field("away", f"must have at most {NAME_MAX - 3} characters together with home")
    names = [home, *(["Draw"] if draw else []), away]
    body = _body(
        template,
        together,
        pool_name="Winner",
        metadata={"market_names": names},
        versus_names=[home, away],
        has_draw=draw,
    )
    fields = (
        (r"versus_names\[1\]", "away"),
        (rf"pools\[0\]\.metadata\.market_names\[{len(names) - 1}\]", "away"),
        (r"versus_names\[0\]|pools\[0\]\.metadata\.market_names\[0\]", "home"),
        # Of a name that is not too long only its braces can be wrong.
        (r"name", "home" if set("{}") & set(home) else "away"),
    )
    return body, fields


def _price(template: PriceTemplate) -> tuple[CreateEventBody, _Fields]:
    for index, (below, above) in enumerate(itertools.pairwise(template.thresholds)):
        if above <= below:
            raise wrong_field(f"thresholds[{index + 1}]", "must be over the one before")
    bounds = [number if template.relative is None else {template.relative: number} for number in template.thresholds]
    outcomes = [
        {"below": bounds[0]},
        *({"from": low, "below": high} for low, high in itertools.pairwise(bounds)),
        {"from": bounds[-1]},
    ]
    names = ["Below {high}", *["{low} – {high}"] * (len(bounds) - 1), "{low} or above"]
    rule: dict[str, Any] = {"kind": "price", "symbol": template.symbol, "outcomes": outcomes}
    decimals = max(map(_decimals, template.thresholds))
    if template.relative is None and decimals > DECIMALS:
        rule["decimals"] = min(decimals, DECIMALS_MAX)
    symbol = asset_symbol(template.symbol) or template.symbol
    body = _body(
        template,
        f"{symbol} at {{finish_at}}",
        pool_name=f"{symbol} price",
        metadata={"market_names": names, "resolution": rule},
    )
    fields = (
        (r"(pools\[0\]\.)?name|pools\[0\]\.metadata\.resolution\.symbol", "symbol"),
        (r"pools\[0\]\.metadata\.resolution\.outcomes\[(\d+)\]\.below.*", r"thresholds[\1]"),
        (r"pools\[0\]\.metadata\.resolution\..*", "thresholds"),
    )
    return body, fields


def _candidates(template: CandidatesTemplate) -> tuple[CreateEventBody, _Fields]:
    fields = ((r"(pools\[0\]\.)?name", "question"), (r"pools\[0\]\.metadata\.market_names(.*)", r"names\1"))
    metadata = {"market_names": template.names}
    return _body(template, template.question, pool_name=template.question, metadata=metadata), fields


def _decimals(number: float) -> int:
    exponent = shortest_decimal(number).normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return max(0, -exponent)


def _body(
    template: _Template, name: str, *, pool_name: str, metadata: Mapping[str, Any], **fields: Any
) -> CreateEventBody:
    b = {} if template.lmsr_b_kopecks is None else {"lmsr_b_kopecks": template.lmsr_b_kopecks}
    pool = PoolBody(
        name=pool_name,
        margin=template.margin,
        live_at=template.live_at,
        finish_at=template.finish_at,
        rules=template.rules,
        metadata={**metadata, **b},
    )
    return CreateEventBody(
        name=name,
        tags=template.tags,
        loop_interval_minutes=template.loop_interval_minutes,
        external_event_url=template.external_event_url,
        pools=[pool],
        **fields,
    )
