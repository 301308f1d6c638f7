"""Manifold's API (`/v0/slug/ID`): one question, BINARY or with answers that may exclude each other.

There are no offers, so no spread: an automatic market maker trades at any size.
"""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from foreknow.platform.fetching import decode_json
from foreknow.trading.odds.source_event import OutcomeResult, SourceEvent, SourceOutcome, SourceQuestion
from foreknow.trading.odds.sources.base import Source, price_of_float


class _Answer(msgspec.Struct, frozen=True):
    id: str
    text: str
    probability: float | None = None


class _Market(msgspec.Struct, frozen=True, rename="camel"):
    outcome_type: str
    question: str | None = None
    probability: float | None = None
    answers: list[_Answer] | None = None
    should_answers_sum_to_one: bool | None = None
    #: Unix milliseconds; some questions close in the far future.
    close_time: float | None = None
    is_resolved: bool | None = None
    resolution: str | None = None


class Manifold(Source):
    """Questions of Manifold."""

    def path(self, event_id: str) -> str:
        """See `Source.path`."""
        return f"/v0/slug/{event_id}"

    def read(self, body: bytes, *, now_ms: int) -> SourceEvent:
        """See `Source.read`."""
        market = decode_json(body, _Market)
        closed = market.is_resolved is True or (market.close_time is not None and market.close_time <= now_ms)
        if market.outcome_type == "BINARY":
            yes = _outcome("Yes", market.probability, closed=closed, result=_binary_result(market))
            question = SourceQuestion(names=(market.question,) if market.question else (), yes=yes)
            return SourceEvent(closed=closed, questions=(question,), sets=((yes, yes.complement("No")),))
        if market.outcome_type != "MULTIPLE_CHOICE":
            return SourceEvent(closed=closed, questions=(), sets=())
        answers = market.answers or []
        has_winner = market.should_answers_sum_to_one is True and _count(answers, market.resolution) == 1
        outcomes = tuple(
            _outcome(
                answer.text,
                answer.probability,
                closed=closed,
                result=_answer_result(market, answer, has_winner=has_winner),
            )
            for answer in answers
        )
        excludes = market.should_answers_sum_to_one is True and len(outcomes) > 1
        return SourceEvent(
            closed=closed,
            questions=tuple(SourceQuestion(names=(outcome.name,), yes=outcome) for outcome in outcomes),
            sets=(outcomes,) if excludes else (),
        )


def _outcome(name: str, probability: float | None, *, closed: bool, result: OutcomeResult | None) -> SourceOutcome:
    price = None if probability is None else price_of_float(probability)
    return SourceOutcome(name=name, price=price, closed=closed, result=result)


def _binary_result(market: _Market) -> OutcomeResult | None:
    if market.is_resolved is not True:
        return None
    return {"YES": OutcomeResult.WON, "NO": OutcomeResult.LOST}.get(market.resolution or "", OutcomeResult.OTHER)


def _count(answers: Sequence[_Answer], answer_id: str | None) -> int:
    return sum(answer.id == answer_id for answer in answers)


def _answer_result(market: _Market, answer: _Answer, *, has_winner: bool) -> OutcomeResult | None:
    """Return the result of an answer: where one of several that exclude each other won, the resolution is its id."""
    if market.is_resolved is not True:
        return None
    if not has_winner:
        return OutcomeResult.OTHER
    return OutcomeResult.WON if answer.id == market.resolution else OutcomeResult.LOST
