"""Manifold's API (`/v0/slug/ID`): one question, BINARY or with answers that may exclude each other.

There are no offers, so no spread: an automatic market maker trades at any size.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    flag,
    names_in,
    number,
    price_of_number,
    read_each,
    text,
)


class _Answer(msgspec.Struct, frozen=True):
    id: Any = None
    text: Any = None
    probability: Any = None


class _Market(msgspec.Struct, frozen=True, rename="camel"):
    outcome_type: str
    question: Any = None
    probability: Any = None
    answers: Any = None
    should_answers_sum_to_one: Any = None
    #: Unix milliseconds; some questions close in the far future.
    close_time: Any = None
    is_resolved: Any = None
    resolution: Any = None


class Manifold(Source):
    """Questions of Manifold."""

    def path(self, event_id: str) -> str:
        """See `Source.path`."""
        return f"/v0/slug/{event_id}"

    def read(self, body: bytes, *, now_ms: int) -> SourceEvent:
        """See `Source.read`."""
        market = decode_json(body, _Market)
        resolution = text(market.resolution) if flag(market.is_resolved) else None
        closed = resolution is not None or (market.close_time is not None and number(market.close_time) <= now_ms)
        if market.outcome_type == "BINARY":
            yes = _outcome("Yes", market.probability, closed=closed, result=_binary_result(resolution))
            question = SourceQuestion(names=names_in(market.question), yes=yes)
            return SourceEvent(closed=closed, questions=(question,), sets=((yes, yes.complement("No")),))
        if market.outcome_type != "MULTIPLE_CHOICE":
            return SourceEvent(closed=closed, questions=(), sets=())
        outcomes = _answers(market, resolution, closed=closed)
        excludes = flag(market.should_answers_sum_to_one) and len(outcomes) > 1
        return SourceEvent(
            closed=closed,
            questions=tuple(SourceQuestion(names=names_in(outcome.name), yes=outcome) for outcome in outcomes),
            sets=(outcomes,) if excludes else (),
        )


def _outcome(name: str, probability: Any, *, closed: bool, result: OutcomeResult | None) -> SourceOutcome:
    try:
        price = None if probability is None else price_of_number(probability)
    except BadResponse:
        if result is None:
            raise
        price = None
    return SourceOutcome(name=name, price=price, closed=closed, result=result)


def _binary_result(resolution: str | None) -> OutcomeResult | None:
    if resolution is None:
        return None
    return {"YES": OutcomeResult.WON, "NO": OutcomeResult.LOST}.get(resolution, OutcomeResult.OTHER)


def _answers(market: _Market, resolution: str | None, *, closed: bool) -> tuple[SourceOutcome, ...]:
    sent = [] if market.answers is None else market.answers
    if not isinstance(sent, list):
        raise BadResponse("the answers are no list")
    results = _results(sent, resolution, excludes=flag(market.should_answers_sum_to_one))

    def read(at: int) -> SourceOutcome:
        answer = fields_of(sent[at], _Answer)
        return _outcome(text(answer.text), answer.probability, closed=closed, result=results[at])

    def unread(at: int) -> SourceOutcome:
        names = names_in(fields_of(sent[at], _Answer).text if isinstance(sent[at], dict) else None)
        return SourceOutcome(name="".join(names), price=None, closed=closed, result=results[at])

    return tuple(read_each(range(len(sent)), read, unread))


def _results(sent: Sequence[Any], resolution: str | None, *, excludes: bool) -> list[OutcomeResult | None]:
    """Return the results of answers: where one of several that exclude each other won, the resolution is its id."""
    if resolution is None:
        return [None] * len(sent)
    ids = [answer.get("id") if isinstance(answer, dict) else None for answer in sent]
    if excludes and ids.count(resolution) == 1:
        return [OutcomeResult.WON if one == resolution else OutcomeResult.LOST for one in ids]
    if not all(isinstance(one, str) for one in ids):
        raise BadResponse("an answer without an id may have won")
    return [OutcomeResult.OTHER] * len(sent)
