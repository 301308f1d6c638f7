"""Polymarket's market data (`/events/slug/ID`): an event has markets, each a question with outcomes and prices.

`outcomes` and `outcomePrices` are JSON written in a string. A question of a group has its short title in
`groupItemTitle`; the questions yes/no of a group are taken for a set of outcomes of which one happens, which the sum of
their prices confirms or refutes. The best offers are those of the first outcome; an absent one is an empty side.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any, NamedTuple

import msgspec

from foreknow.platform.fetching import BadResponse, decode_json
from foreknow.trading.odds.sources.base import (
    OutcomeResult,
    Source,
    SourceEvent,
    SourceOutcome,
    SourceQuestion,
    fields_of,
    flag,
    names_in,
    price,
    price_of_number,
    read_each,
    text,
)

_YES_NO = ["yes", "no"]
_RESOLVED = "resolved"
#: Longest list that is written in a string.
_WRITTEN_MAX = 20_000


class _Market(msgspec.Struct, frozen=True, rename="camel"):
    group_item_title: Any = None
    question: Any = None
    outcomes: Any = None
    outcome_prices: Any = None
    best_bid: Any = None
    best_ask: Any = None
    closed: Any = None
    uma_resolution_status: Any = None


class _Event(msgspec.Struct, frozen=True):
    markets: list[Any]
    active: bool | None = None
    closed: bool | None = None


class _Read(NamedTuple):
    """What was read of a market."""

    names: tuple[str, ...]
    outcomes: tuple[SourceOutcome, ...]


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
        for names, outcomes in read_each(event.markets, _read, _unread):
            if [outcome.name.strip().lower() for outcome in outcomes] == _YES_NO:
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


def _read(sent: Any) -> _Read:
    market = fields_of(sent, _Market)
    names = _list(market.outcomes)
    texts = _list(market.outcome_prices)
    if texts and len(texts) != len(names):
        raise BadResponse("a market has not as many prices as outcomes")
    prices: list[Decimal | None] = [price(written) for written in texts] or [None] * len(names)
    closed = flag(market.closed)
    is_final = closed and text(market.uma_resolution_status) == _RESOLVED
    results = _results(prices) if is_final else [None] * len(names)
    spread = None if closed else _spread(market)
    outcomes = tuple(
        # Offers that cross are not those of one moment.
        SourceOutcome(
            name=name,
            price=None if spread is not None and spread < 0 else outcome_price,
            spread=None if spread is None else abs(spread),
            closed=closed,
            result=result,
        )
        for name, outcome_price, result in zip(names, prices, results, strict=True)
    )
    return _Read(names_in(market.group_item_title, market.question), outcomes)


def _unread(sent: Any) -> _Read:
    """Return a market without prices; one whose outcomes cannot be read counts as a question, lest another be the only
    one.
    """
    market = fields_of(sent, _Market) if isinstance(sent, dict) else _Market()
    try:
        names = _list(market.outcomes)
    except BadResponse:
        names = list(_YES_NO)
    outcomes = tuple(SourceOutcome(name=name, price=None, closed=False, result=None) for name in names)
    return _Read(names_in(market.group_item_title, market.question), outcomes)


def _list(written: Any) -> list[str]:
    """Return a list of texts written in a string; `BadResponse`."""
    sent = text(written)
    if len(sent) > _WRITTEN_MAX:
        raise BadResponse(f"a list is longer than {_WRITTEN_MAX} characters")
    return decode_json(sent.encode(), list[str]) if sent else []


def _spread(market: _Market) -> Decimal:
    """Return the best ask less the best bid; `BadResponse`."""
    bid = price_of_number(0 if market.best_bid is None else market.best_bid)
    ask = price_of_number(1 if market.best_ask is None else market.best_ask)
    return ask - bid


def _results(prices: list[Decimal | None]) -> list[OutcomeResult | None]:
    """Return the results of a market that is finally resolved: exactly one price is 1, all others are 0."""
    if sorted(filter(None, prices)) != [1] or None in prices:
        return [OutcomeResult.OTHER] * len(prices)
    return [OutcomeResult.WON if one == 1 else OutcomeResult.LOST for one in prices]
