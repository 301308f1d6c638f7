"""An event's texts with placeholders: which have a value in each, and filling them all.

A pool's texts know its times, and its strike where it has a price rule; the names of its markets know the bounds of
their outcome, too. A pool with a single market has one outcome, so its own texts know the bounds as well. The event's
texts know what those of the main pool do, without bounds.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import msgspec

from foreknow.market.events.placeholders import Language, Values, check_placeholders, fill_placeholders
from foreknow.market.events.schemas import NAME_MAX, RULES_MAX
from foreknow.market.pools.price_intervals import Interval, shortest_decimal
from foreknow.market.pools.rules.family import Rule
from foreknow.market.pools.rules.price import PriceRule
from foreknow.market.pools.texts import PoolTexts


class EventTexts(msgspec.Struct, frozen=True):
    """The texts of an event, with placeholders or filled in."""

    name: str
    name_ru: str
    versus_names: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolFacts:
    """What the placeholders of a pool's texts depend on."""

    live_at_ms: int | None
    finish_at_ms: int | None
    rule: Rule


@dataclass(frozen=True, slots=True, kw_only=True)
class Opening:
    """A publication: the event's number in its series, from 1, and the moment."""

    number: int
    opened_at_ms: int


def check_event_texts(texts: EventTexts, main: PoolFacts) -> set[str]:
    """Return the names of the placeholders in an event's texts; `BadRequest` names a wrong text by its field."""
    known = _known(main, None)
    names = check_placeholders("name", texts.name, known=known)
    names |= check_placeholders("name_ru", texts.name_ru, known=known)
    for index, name in enumerate(texts.versus_names):
        names |= check_placeholders(f"versus_names[{index}]", name, known=known)
    return names


def check_pool_texts(texts: PoolTexts, facts: PoolFacts, *, path: str, market_names_path: str) -> set[str]:
    """Return the names of the placeholders in a pool's texts; `BadRequest` names a wrong text.

    The paths of its fields are `path` and their name; those of its markets `market_names_path` and their index.
    """
    outcomes = _outcomes(facts, len(texts.market_names))
    known = _known(facts, outcomes[0] if len(outcomes) == 1 else None)
    names = check_placeholders(f"{path}name", texts.name, known=known)
    names |= check_placeholders(f"{path}name_ru", texts.name_ru, known=known)
    names |= check_placeholders(f"{path}rules", texts.rules, known=known)
    for index, (name, outcome) in enumerate(zip(texts.market_names, outcomes, strict=True)):
        names |= check_placeholders(f"{market_names_path}[{index}]", name, known=_known(facts, outcome))
    return names


def fill_event_texts(texts: EventTexts, main: PoolFacts, opening: Opening, *, strike: float | None) -> EventTexts:
    """Fill in an event's texts; `strike` is the main pool's."""
    values = _values(main, opening, strike)
    return EventTexts(
        name=fill_placeholders(texts.name, values, language=Language.ENGLISH, most=NAME_MAX),
        name_ru=fill_placeholders(texts.name_ru, values, language=Language.RUSSIAN, most=NAME_MAX),
        versus_names=tuple(
            fill_placeholders(name, values, language=Language.ENGLISH, most=NAME_MAX) for name in texts.versus_names
        ),
    )


def fill_pool_texts(texts: PoolTexts, facts: PoolFacts, opening: Opening, *, strike: float | None) -> PoolTexts:
    """Fill in a pool's texts."""
    plain = _values(facts, opening, strike)
    outcomes = _outcomes(facts, len(texts.market_names), strike)
    own = [plain if outcome is None else replace(plain, low=outcome.low, high=outcome.high) for outcome in outcomes]
    values = own[0] if len(own) == 1 else plain
    return PoolTexts(
        name=fill_placeholders(texts.name, values, language=Language.ENGLISH, most=NAME_MAX),
        name_ru=fill_placeholders(texts.name_ru, values, language=Language.RUSSIAN, most=NAME_MAX),
        rules=fill_placeholders(texts.rules, values, language=Language.ENGLISH, most=RULES_MAX),
        market_names=tuple(
            fill_placeholders(name, one, language=Language.ENGLISH, most=NAME_MAX)
            for name, one in zip(texts.market_names, own, strict=True)
        ),
    )


def _outcomes(facts: PoolFacts, market_count: int, strike: float | None = 0.0) -> Sequence[Interval | None]:
    """Return each market's interval, None without a price rule; of relative ones at any strike, to see their ends."""
    if not isinstance(facts.rule, PriceRule):
        return [None] * market_count
    return facts.rule.at(strike)


def _known(facts: PoolFacts, outcome: Interval | None) -> frozenset[str]:
    is_known = {
        "number": True,
        "opened_at": True,
        "live_at": facts.live_at_ms is not None,
        "finish_at": facts.finish_at_ms is not None,
        "price": isinstance(facts.rule, PriceRule),
        "low": outcome is not None and outcome.low is not None,
        "high": outcome is not None and outcome.high is not None,
    }
    return frozenset(name for name, known in is_known.items() if known)


def _values(facts: PoolFacts, opening: Opening, strike: float | None) -> Values:
    return Values(
        number=opening.number,
        live_at_ms=facts.live_at_ms,
        finish_at_ms=facts.finish_at_ms,
        opened_at_ms=opening.opened_at_ms,
        price=None if strike is None else shortest_decimal(strike),
        decimals=facts.rule.decimals if isinstance(facts.rule, PriceRule) else 0,
    )
