"""Kalshi's API (`/events/ID?with_nested_markets=true`): an event has markets yes/no, with prices as decimal strings."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import msgspec

from foreknow.platform.fetching import BadResponse, decode_json
from foreknow.trading.odds.sources.base import (
    OutcomeResult,
    Source,
    SourceEvent,
    SourceOutcome,
    SourceQuestion,
    fields_of,
    names_in,
    price,
    read_each,
    text,
)

#: States of a market in which it is or will be traded.
_TRADED = frozenset({"initialized", "inactive", "active", "open", "unopened", "paused"})
_FINAL = "finalized"


class _Market(msgspec.Struct, frozen=True):
    status: Any = None
    yes_sub_title: Any = None
    title: Any = None
    result: Any = None
    yes_bid_dollars: Any = None
    yes_ask_dollars: Any = None
    last_price_dollars: Any = None


class _Event(msgspec.Struct, frozen=True):
    markets: list[Any]
    mutually_exclusive: bool | None = None


class _Response(msgspec.Struct, frozen=True):
    event: _Event


class Kalshi(Source):
    """Events of Kalshi."""

    def path(self, event_id: str) -> str:
        """See `Source.path`."""
        return f"/events/{event_id.upper()}?with_nested_markets=true"

    def read(self, body: bytes, *, now_ms: int) -> SourceEvent:
        """See `Source.read`."""
        event = decode_json(body, _Response).event
        questions = tuple(read_each(event.markets, _question, _unread))
        excludes = event.mutually_exclusive is True and len(questions) > 1
        return SourceEvent(
            closed=bool(questions) and all(question.yes.closed for question in questions),
            questions=questions,
            sets=(tuple(question.yes for question in questions),) if excludes else (),
        )


def _question(sent: Any) -> SourceQuestion:
    market = fields_of(sent, _Market)
    status = text(market.status)
    if not status:
        raise BadResponse("a market has no status")
    result = _result(market) if status == _FINAL else None
    try:
        middle, spread = _offers(market)
    except BadResponse:
        if result is None:
            raise
        middle = spread = None
    return _named(market, price=middle, spread=spread, closed=status not in _TRADED, result=result)


def _unread(sent: Any) -> SourceQuestion:
    market = fields_of(sent, _Market) if isinstance(sent, dict) else _Market()
    return _named(market, price=None, spread=None, closed=False, result=None)


def _named(
    market: _Market, *, price: Decimal | None, spread: Decimal | None, closed: bool, result: OutcomeResult | None
) -> SourceQuestion:
    name = "".join(names_in(market.yes_sub_title))
    yes = SourceOutcome(name=name, price=price, spread=spread, closed=closed, result=result)
    return SourceQuestion(names=names_in(market.yes_sub_title, market.title), yes=yes)


def _offers(market: _Market) -> tuple[Decimal | None, Decimal]:
    """Return the price between the best offers, or the last where a side is empty, and the spread; `BadResponse`."""
    bid = price(text(market.yes_bid_dollars) or "0")
    # Without offers of one side, the API writes 0, 1 or nothing.
    ask = price(text(market.yes_ask_dollars) or "1") or Decimal(1)
    if bid == 0 or ask == 1:
        last = text(market.last_price_dollars)
        return price(last) if last else None, abs(ask - bid)
    # Offers that cross are not those of one moment.
    return (bid + ask) / 2 if ask >= bid else None, abs(ask - bid)


def _result(market: _Market) -> OutcomeResult:
    return {"yes": OutcomeResult.WON, "no": OutcomeResult.LOST}.get(text(market.result), OutcomeResult.OTHER)
