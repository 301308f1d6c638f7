"""Events from a few fields: each template becomes the body of a creation, which is then checked like any other."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import Any

from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.time_zones import UTC_NAME, zone_names
from foreknow.kernel.validation.fields import required_text, wrong_field
from foreknow.market.assets.codes import asset_symbol
from foreknow.market.events.date_steps import step_start, step_starts_ms
from foreknow.market.events.drafts import EventDraft, event_draft
from foreknow.market.events.schemas import NAME_MAX, CreateEventBody, PoolBody
from foreknow.market.events.template_bodies import (
    CandidatesTemplate,
    DateTemplate,
    EventTemplate,
    JointTemplate,
    MatchTemplate,
    NumberTemplate,
    PriceTemplate,
    TemplateBody,
    YesNoTemplate,
)
from foreknow.market.pools.price_intervals import shortest_decimal
from foreknow.market.pools.rules.price import DECIMALS, DECIMALS_MAX
from foreknow.market.pools.shapes.base import MARKETS_MAX

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
        case NumberTemplate():
            return _number(template)
        case DateTemplate():
            return _date(template)
        case JointTemplate():
            return _joint(template)


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
        metadata={"market_names": names, "resolution": rule, "shape": {"kind": "number"}},
    )
    fields = (
        (r"(pools\[0\]\.)?name|pools\[0\]\.metadata\.resolution\.symbol", "symbol"),
        (r"pools\[0\]\.metadata\.resolution\.outcomes\[(\d+)\]\.below.*", r"thresholds[\1]"),
        (r"pools\[0\]\.metadata\.resolution\..*", "thresholds"),
    )
    return body, fields


def _candidates(template: CandidatesTemplate) -> tuple[CreateEventBody, _Fields]:
    fields = ((r"(pools\[0\]\.)?name", "question"), (r"pools\[0\]\.metadata\.market_names(.*)", r"names\1"))
    metadata: dict[str, Any] = {"market_names": template.names}
    if template.other:
        if len(template.names) >= MARKETS_MAX:
            raise wrong_field("names", f"must be at most {MARKETS_MAX - 1} beside other")
        metadata = {
            "market_names": [*template.names, "Other"],
            "market_names_ru": [*template.names, "Другое"],
            "shape": {"kind": "list"},
        }
    return _body(template, template.question, pool_name=template.question, metadata=metadata), fields


def _number(template: NumberTemplate) -> tuple[CreateEventBody, _Fields]:
    shape: dict[str, Any] = {"kind": "number", "edges": template.edges}
    if template.unit is not None:
        shape["unit"] = template.unit
    if template.log is not None:
        shape["log"] = template.log
    return _shaped(template, template.question, template.probabilities, shape)


def _date(template: DateTemplate) -> tuple[CreateEventBody, _Fields]:
    zone = UTC_NAME if template.zone is None else template.zone
    if zone not in zone_names():
        raise wrong_field("zone", "must be the name of a time zone, such as Europe/Berlin")
    first, last = (step_start(name, getattr(template, name), template.step) for name in ("first", "last"))
    edges = [iso(edge_ms) for edge_ms in step_starts_ms(first, last, template.step, zone=zone)]
    return _shaped(template, template.question, template.probabilities, {"kind": "date", "edges": edges, "zone": zone})


def _joint(template: JointTemplate) -> tuple[CreateEventBody, _Fields]:
    shape = {"kind": "joint", "questions": template.questions}
    return _shaped(template, template.question, template.probabilities, shape)


def _shaped(
    template: TemplateBody, question: str, probabilities: Sequence[float] | None, shape: Mapping[str, Any]
) -> tuple[CreateEventBody, _Fields]:
    metadata = {"shape": shape} | ({} if probabilities is None else {"market_probabilities": probabilities})
    fields = (
        (r"(pools\[0\]\.)?name", "question"),
        (r"pools\[0\]\.metadata\.market_probabilities(.*)", r"probabilities\1"),
        # No other kind of shape may not recur.
        (r"pools\[0\]\.metadata\.shape\.kind", "loop_interval_minutes"),
        (r"pools\[0\]\.metadata\.shape\.(.*)", r"\1"),
    )
    return _body(template, question, pool_name=question, metadata=metadata), fields


def _decimals(number: float) -> int:
    exponent = shortest_decimal(number).normalize().as_tuple().exponent
    assert isinstance(exponent, int)
    return max(0, -exponent)


def _body(
    template: TemplateBody, name: str, *, pool_name: str, metadata: Mapping[str, Any], **fields: Any
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
