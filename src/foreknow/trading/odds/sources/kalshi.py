"""Kalshi's API (`/events/ID?with_nested_markets=true`): an event has markets yes/no, with prices as decimal strings."""

from __future__ import annotations

from decimal import Decimal

import msgspec

from foreknow.platform.fetching import decode_json
from foreknow.trading.odds.source_event import OutcomeResult, SourceEvent, SourceOutcome, SourceQuestion
from foreknow.trading.odds.sources.base import Source, price

#: States of a market in which it is or will be traded.
_TRADED = frozenset({"initialized", "inactive", "active", "open", "unopened", "paused"})
_FINAL = "finalized"


class _Market(msgspec.Struct, frozen=True):
    status: str
    yes_sub_title: str | None = None
    title: str | None = None
    result: str | None = None
    yes_bid_dollars: str | None = None
    yes_ask_dollars: str | None = None
    last_price_dollars: str | None = None


class _Event(msgspec.Struct, frozen=True):
    markets: list[_Market]
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
        questions = tuple(_question(market) for market in event.markets)
        excludes = event.mutually_exclusive is True and len(questions) > 1
        return SourceEvent(
            closed=bool(questions) and all(question.yes.closed for question in questions),
            questions=questions,
            sets=(tuple(question.yes for question in questions),) if excludes else (),
        )


def _question(market: _Market) -> SourceQuestion:
    bid = price(market.yes_bid_dollars or "0")
    # Without offers of one side, the API writes 0, 1 or nothing.
    ask = price(market.yes_ask_dollars or "1") or Decimal(1)
    if bid == 0 or ask == 1:
        middle = price(market.last_price_dollars) if market.last_price_dollars else None
    else:
        # Offers that cross are not those of one moment.
        middle = (bid + ask) / 2 if ask >= bid else None
    yes = SourceOutcome(
        name=market.yes_sub_title or "",
        price=middle,
        spread=abs(ask - bid),
        closed=market.status not in _TRADED,
        result=_result(market),
    )
    return SourceQuestion(names=tuple(name for name in (market.yes_sub_title, market.title) if name), yes=yes)


def _result(market: _Market) -> OutcomeResult | None:
    if market.status != _FINAL:
        return None
    return {"yes": OutcomeResult.WON, "no": OutcomeResult.LOST}.get(market.result or "", OutcomeResult.OTHER)
