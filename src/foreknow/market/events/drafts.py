"""Validating a new event: rules and bounds of every field, and defaults.

The rules are in decisions.md ("Events, pools, markets", "Text", "Left out"); errors name their field, such as
`pools[0].margin`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import (
    optional_name,
    optional_text,
    optional_utc_ms,
    required_text,
    to_type,
    wrong_field,
)
from foreknow.kernel.validation.urls import optional_url
from foreknow.market.events.schemas import (
    B_MAX,
    B_MIN,
    EVENT_MARKETS_MAX,
    MARGIN_MAX,
    NAME_MAX,
    PROBABILITY_MAX,
    PROBABILITY_MIN,
    RULES_MAX,
    SOURCES_MAX,
    TAG_MAX,
    CreateEventBody,
    EventFields,
    MarketConfiguration,
    PoolBody,
)
from foreknow.market.events.texts import EventTexts, PoolFacts, check_event_texts, check_pool_texts
from foreknow.market.pools.creation import PoolDraft
from foreknow.market.pools.external_events import external_event
from foreknow.market.pools.hiding import check_forecasts
from foreknow.market.pools.odds_names import check_odds
from foreknow.market.pools.rules.family import Rule, resolution_rule
from foreknow.market.pools.rules.price import PriceRule
from foreknow.market.pools.shapes.beside_rules import check_shape_and_rule, require_edges
from foreknow.market.pools.shapes.date import DateShape
from foreknow.market.pools.shapes.family import Shape, pool_shape
from foreknow.market.pools.shapes.list import ListShape
from foreknow.money.pricing import exact_fraction, loss_bound_kopecks, prior_weights

B_DEFAULT = 100_000
SUM_TOLERANCE = Fraction(1, 10**9)
_EVEN_ODDS = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class EventDraft:
    """A validated event."""

    name: str
    name_ru: str
    tags: list[str]
    versus_names: list[str]
    versus_images: list[str]
    has_draw: bool
    image_url: str
    external_event_url: str
    main_pool_index: int
    loop_interval_minutes: int
    pools: Sequence[PoolDraft]

    @property
    def has_placeholders(self) -> bool:
        """Whether its texts have placeholders; elsewhere braces are text."""
        return self.loop_interval_minutes > 0 or any(isinstance(pool.rule, PriceRule) for pool in self.pools)

    def texts(self) -> EventTexts:
        """Return its texts as written."""
        return EventTexts(name=self.name, name_ru=self.name_ru, versus_names=tuple(self.versus_names))


def _each_text(path: str, texts: Sequence[str], read: Callable[..., str], **bounds: int) -> list[str]:
    return [read(f"{path}[{index}]", text, **bounds) for index, text in enumerate(texts)]


_READERS: Mapping[str, Callable[[Any], Any]] = {
    "name": lambda name: required_text("name", name, most=NAME_MAX),
    "name_ru": lambda name: optional_name("name_ru", name, most=NAME_MAX),
    "tags": lambda tags: _each_text("tags", tags, required_text, most=TAG_MAX),
    "versus_names": lambda names: _each_text("versus_names", names, optional_name, most=NAME_MAX),
    "versus_images": lambda urls: _each_text("versus_images", urls, optional_url),
    "has_draw": bool,
    "image_url": lambda url: optional_url("image_url", url),
    "external_event_url": lambda url: optional_url("external_event_url", url),
    "main_pool_index": int,
}
_DEFAULTS: Mapping[str, Any] = {
    "name_ru": "",
    "tags": [],
    "versus_names": [],
    "versus_images": [],
    "has_draw": False,
    "image_url": "",
    "external_event_url": "",
    "main_pool_index": 0,
}


def given_fields(body: EventFields) -> dict[str, Any]:
    """Validate those fields of an event that a body gives, all but its pools and its repetition, and return them.

    `BadRequest` names the first wrong field.
    """
    given = ((name, getattr(body, name, None)) for name in _READERS)
    return {name: _READERS[name](value) for name, value in given if value is not None}


def event_draft(body: CreateEventBody) -> EventDraft:
    """Validate a body and fill in defaults; `BadRequest` names the first wrong field."""
    main_pool_index = body.main_pool_index or 0
    if main_pool_index >= len(body.pools):
        raise wrong_field("main_pool_index", "must be the index of one of the pools")
    draft = EventDraft(
        **{**_DEFAULTS, **given_fields(body)},
        loop_interval_minutes=body.loop_interval_minutes or 0,
        pools=pool_drafts(body.pools),
    )
    check_external_event_url(draft.external_event_url, [pool.rule for pool in draft.pools])
    if draft.loop_interval_minutes:
        _check_can_recur(draft.pools)
    if draft.has_placeholders:
        _check_placeholders(draft)
    return draft


def check_sources(bodies: Iterable[PoolBody]) -> None:
    """Raise `BadRequest` for wrong `metadata.sources` of pools that a request sends; what is stored is not checked."""
    for index, body in enumerate(bodies):
        sources, path = (body.metadata or {}).get("sources"), f"pools[{index}].metadata.sources"
        if sources is None:
            continue
        if not isinstance(sources, list) or not all(isinstance(url, str) for url in sources):
            raise wrong_field(path, "must be a list of addresses")
        if len(sources) > SOURCES_MAX:
            raise wrong_field(path, f"must have at most {SOURCES_MAX} addresses")
        for place, url in enumerate(sources):
            if not optional_url(f"{path}[{place}]", url):
                raise wrong_field(f"{path}[{place}]", "must not be empty")


def pool_facts(draft: PoolDraft) -> PoolFacts:
    """Return what the placeholders of a pool's texts depend on."""
    return PoolFacts(live_at_ms=draft.live_at_ms, finish_at_ms=draft.finish_at_ms, rule=draft.rule)


def check_external_event_url(url: str, rules: Iterable[Rule]) -> None:
    """Raise `BadRequest` if a rule needs the page of an event elsewhere, and the address is none."""
    if any(rule.needs_external_event for rule in rules) and not external_event(url):
        raise wrong_field("external_event_url", "must be the page of an event on polymarket, manifold or kalshi")


def _check_can_recur(pools: Iterable[PoolDraft]) -> None:
    for index, pool in enumerate(pools):
        check_forecasts(f"pools[{index}].metadata", pool.metadata, recurs=True)
        if isinstance(pool.shape, DateShape):
            raise wrong_field(f"pools[{index}].metadata.shape.kind", "must not be date in an event that recurs")


def _check_placeholders(draft: EventDraft) -> None:
    check_event_texts(draft.texts(), pool_facts(draft.pools[draft.main_pool_index]))
    for index, pool in enumerate(draft.pools):
        check_pool_texts(
            pool.texts(),
            pool_facts(pool),
            path=f"pools[{index}].",
            market_names_path=f"pools[{index}].metadata.market_names",
        )


def pool_drafts(bodies: Sequence[PoolBody]) -> list[PoolDraft]:
    """Validate the pools of an event and fill in defaults; `BadRequest` names the first wrong field."""
    drafts: list[PoolDraft] = []
    markets = 0
    for index, body in enumerate(bodies):
        drafts.append(_pool_draft(f"pools[{index}]", body))
        markets += len(drafts[-1].market_names)
        if markets > EVENT_MARKETS_MAX:
            raise wrong_field("pools", f"must have at most {EVENT_MARKETS_MAX} markets together")
    return drafts


def _pool_draft(path: str, body: PoolBody) -> PoolDraft:
    name = optional_name(f"{path}.name", body.name, most=NAME_MAX)
    margin = body.margin or 0.0
    if not 0 <= margin <= MARGIN_MAX:
        raise wrong_field(f"{path}.margin", f"must be between 0 and {MARGIN_MAX}")
    live_at_ms = optional_utc_ms(f"{path}.live_at", body.live_at)
    finish_at_ms = optional_utc_ms(f"{path}.finish_at", body.finish_at)
    if live_at_ms is not None and finish_at_ms is not None and finish_at_ms <= live_at_ms:
        raise wrong_field(f"{path}.finish_at", "must be after live_at")
    metadata = body.metadata or {}
    configuration = _configuration(f"{path}.metadata", metadata)
    b = configuration.lmsr_b_kopecks if configuration.lmsr_b_kopecks is not None else B_DEFAULT
    if not B_MIN <= b <= B_MAX:
        raise wrong_field(f"{path}.metadata.lmsr_b_kopecks", f"must be between {B_MIN} and {B_MAX}")
    shape = pool_shape(f"{path}.metadata.shape", metadata.get("shape"))
    require_edges(f"{path}.metadata", shape, metadata.get("resolution"))
    _check_russian_names(f"{path}.metadata.market_names_ru", metadata.get("market_names_ru"))
    names, probabilities = _outcomes(f"{path}.metadata", configuration, shape, pool_name=name)
    check_forecasts(f"{path}.metadata", metadata, recurs=False)
    check_odds(f"{path}.metadata", metadata, our_names={name, *names} if len(names) == 1 else names)
    weights = prior_weights(probabilities)
    rule = resolution_rule(f"{path}.metadata.resolution", metadata.get("resolution"), market_count=len(names))
    check_shape_and_rule(f"{path}.metadata", shape, rule)
    if finish_at_ms is None and rule.gives_result:
        raise wrong_field(f"{path}.finish_at", "is required by the rule of resolution")
    return PoolDraft(
        name=name,
        name_ru=optional_name(f"{path}.name_ru", body.name_ru, most=NAME_MAX),
        rules=optional_text(f"{path}.rules", body.rules, most=RULES_MAX),
        margin=margin,
        live_at_ms=live_at_ms,
        finish_at_ms=finish_at_ms,
        metadata=metadata,
        b=b,
        market_names=names,
        probabilities=probabilities,
        weights=weights,
        loss_bound_kopecks=loss_bound_kopecks(b=b, weights=weights),
        rule=rule,
        shape=shape,
    )


def _configuration(path: str, metadata: Mapping[str, Any]) -> MarketConfiguration:
    try:
        return to_type(metadata, MarketConfiguration)
    except BadRequest as error:
        ((field, problem),) = error.details["fields"].items()
        raise wrong_field(f"{path}.{field}", problem) from error


def _check_russian_names(path: str, sent: Any) -> None:
    for index, name in enumerate(sent if isinstance(sent, list) else ()):
        if isinstance(name, str):
            optional_name(f"{path}[{index}]", name, most=NAME_MAX)


def _outcomes(
    path: str, configuration: MarketConfiguration, shape: Shape | None, *, pool_name: str
) -> tuple[Sequence[str], Sequence[float]]:
    """Return the markets' names and prior probabilities."""
    sent, probabilities = configuration.market_names, configuration.market_probabilities
    count = None if shape is None else shape.market_count
    if count is None:
        # Without a shape, or beside a rule whose numbers are its edges, the names tell how many there are.
        count, counted = len(sent or (pool_name,)), "market_names"
    else:
        counted = "the outcomes of shape"
    if sent is not None:
        if len(sent) != count:
            raise wrong_field(f"{path}.market_names", f"must be as many as {counted}: {count}")
        names = [required_text(f"{path}.market_names[{i}]", name, most=NAME_MAX) for i, name in enumerate(sent)]
        if isinstance(shape, ListShape):
            shape.check_names(f"{path}.market_names", names)
    else:
        names = list(_generated_names(path, shape, pool_name))
    if probabilities is None:
        probabilities = [1 / count] * count if count > 1 else [_EVEN_ODDS]
    elif len(probabilities) != count:
        raise wrong_field(f"{path}.market_probabilities", f"must be as many as {counted}")
    _check_probabilities(f"{path}.market_probabilities", probabilities)
    return names, probabilities


def _generated_names(path: str, shape: Shape | None, pool_name: str) -> Sequence[str]:
    if shape is None:
        return [pool_name]
    names = shape.market_names()
    if names is None:
        raise wrong_field(f"{path}.market_names", "is required by a list, and by a number without edges")
    return names


def _check_probabilities(path: str, probabilities: Sequence[float]) -> None:
    for index, probability in enumerate(probabilities):
        if probability < PROBABILITY_MIN:
            raise wrong_field(f"{path}[{index}]", f"must be at least {PROBABILITY_MIN}")
    if len(probabilities) == 1:
        if probabilities[0] > PROBABILITY_MAX:
            raise wrong_field(f"{path}[0]", f"must be at most {PROBABILITY_MAX}")
        return
    total = sum(map(exact_fraction, probabilities), start=Fraction(0))
    if abs(total - 1) > SUM_TOLERANCE:
        raise wrong_field(path, "must sum to 1")
