"""Polymarket's market data (`/events/slug/ID`): an event has markets, each a question with outcomes and prices.

`outcomes` and `outcomePrices` are JSON written in a string. A question of a group has its short title in
`groupItemTitle`; the questions yes/no of a group are taken for a set of outcomes of which one happens, which the sum of
their prices confirms or refutes. The best offers are those of the first outcome; an absent one is an empty side.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Annotated, TypeAlias

import msgspec

from foreknow.platform.fetching import BadResponse, decode_json
from foreknow.trading.odds.source_event import OutcomeResult, SourceEvent, SourceOutcome, SourceQuestion
from foreknow.trading.odds.sources.base import Source, price, price_of_float

_YES_NO = ["yes", "no"]
_RESOLVED = "resolved"
#: A list written in a string.
_Written: TypeAlias = Annotated[str, msgspec.Meta(max_length=20_000)]


class _Market(msgspec.Struct, frozen=True, rename="camel"):
    group_item_title: str | None = None
    question: str | None = None
    outcomes: _Written | None = None
    outcome_prices: _Written | None = None
    best_bid: float | None = None
    best_ask: float | None = None
    closed: bool | None = None
    uma_resolution_status: str | None = None


class _Event(msgspec.Struct, frozen=True):
    markets: list[_Market]
    active: bool | None = None
    closed: bool | None = None


class Polymarket(Source):
    """Events of Polymarket."""

    def path(self, event_id: str) -> str:
        """See `Source.path`."""
        return f"/events/slug/{event_id}"

    def read(self, body: bytes, *, now_ms: int) -> SourceEvent:
        """See `Source.read`."""
        event = decode_json(body, _Event)
        questions: list[SourceQuestion] = []
        sets: list[tuple[SourceOutcome, ...]] = []
        for market in event.markets:
            outcomes = _outcomes(market)
            if [outcome.name.strip().lower() for outcome in outcomes] == _YES_NO:
                names = tuple(name for name in (market.group_item_title, market.question) if name)
                questions.append(SourceQuestion(names=names, yes=outcomes[0]))
            if len(outcomes) > 1:
                sets.append(outcomes)
        if len(questions) > 1:
            sets.append(tuple(_titled(question) for question in questions))
        closed = event.closed is True or event.active is False
        return SourceEvent(closed=closed, questions=tuple(questions), sets=tuple(sets))


def _titled(question: SourceQuestion) -> SourceOutcome:
    yes, name = question.yes, question.names[0] if question.names else ""
    return SourceOutcome(name=name, price=yes.price, spread=yes.spread, closed=yes.closed, result=yes.result)


def _outcomes(market: _Market) -> tuple[SourceOutcome, ...]:
    names = decode_json(market.outcomes.encode(), list[str]) if market.outcomes else []
    texts = decode_json(market.outcome_prices.encode(), list[str]) if market.outcome_prices else []
    if texts and len(texts) != len(names):
        raise BadResponse("a market has not as many prices as outcomes")
    prices: list[Decimal | None] = [price(text) for text in texts] or [None] * len(names)
    bid = price_of_float(market.best_bid or 0.0)
    ask = Decimal(1) if market.best_ask is None else price_of_float(market.best_ask)
    closed = market.closed is True
    is_final = closed and market.uma_resolution_status == _RESOLVED
    results = _results(prices) if is_final else [None] * len(names)
    return tuple(
        SourceOutcome(
            name=name,
            # Offers that cross are not those of one moment.
            price=outcome_price if ask >= bid or closed else None,
            spread=abs(ask - bid),
            closed=closed,
            result=result,
        )
        for name, outcome_price, result in zip(names, prices, results, strict=True)
    )


def _results(prices: list[Decimal | None]) -> list[OutcomeResult | None]:
    """Return the results of a market that is finally resolved: exactly one price is 1, all others are 0."""
    if sorted(filter(None, prices)) != [1] or None in prices:
        return [OutcomeResult.OTHER] * len(prices)
    return [OutcomeResult.WON if one == 1 else OutcomeResult.LOST for one in prices]
