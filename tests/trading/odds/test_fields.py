"""Of an answer, exactly the fields of the contract are read."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from foreknow.platform.fetching import BadResponse
from foreknow.trading.odds.sources import SOURCES
from foreknow.trading.odds.sources.base import SourceEvent
from tests.support.odds import encoded
from tests.support.proofs import proves

NOW_MS = 1_750_000_000_000


def polymarket_market(title: str, bid: float, ask: float, **fields: Any) -> dict[str, Any]:
    return {
        "groupItemTitle": title,
        "question": f"Will {title} win?",
        "outcomes": json.dumps(["Yes", "No"]),
        "outcomePrices": json.dumps(["0.5", "0.5"]),
        "bestBid": bid,
        "bestAsk": ask,
        "closed": False,
        "umaResolutionStatus": None,
    } | fields


RESOLVED = {"outcomePrices": json.dumps(["1", "0"]), "closed": True, "umaResolutionStatus": "resolved"}
POLYMARKET = {
    "active": True,
    "closed": False,
    "markets": [polymarket_market("Reds", 0.4, 0.6), polymarket_market("Blues", 0.45, 0.55, **RESOLVED)],
}
MANIFOLD = {
    "outcomeType": "MULTIPLE_CHOICE",
    "answers": [{"id": "x", "text": "Reds", "probability": 0.75}, {"id": "y", "text": "Blues", "probability": 0.25}],
    "shouldAnswersSumToOne": True,
    "closeTime": NOW_MS - 1,
    "isResolved": True,
    "resolution": "y",
}
MANIFOLD_BINARY = {
    "outcomeType": "BINARY",
    "probability": 0.75,
    "closeTime": NOW_MS - 1,
    "isResolved": True,
    "resolution": "NO",
}
KALSHI = {
    "event": {
        "mutually_exclusive": True,
        "markets": [
            {
                "yes_sub_title": "Reds",
                "status": "active",
                "result": "",
                "yes_bid_dollars": "0.4000",
                "yes_ask_dollars": "0.4500",
                "last_price_dollars": "0.1000",
            },
            {
                "yes_sub_title": "Blues",
                "status": "finalized",
                "result": "yes",
                "yes_bid_dollars": "0.0000",
                "yes_ask_dollars": "0.5000",
                "last_price_dollars": "0.3000",
            },
        ],
    }
}


def read(source: str, answer: Any) -> SourceEvent | None:
    try:
        return SOURCES[source]("https://api.example.org").read(encoded(answer), now_ms=NOW_MS)
    except BadResponse:
        return None


def without(answer: Any) -> Iterator[tuple[str, Any]]:
    """Yield the name of each field, and the answer without one such field."""
    if isinstance(answer, dict):
        for name, value in answer.items():
            yield name, {other: answer[other] for other in answer if other != name}
            yield from ((inner, answer | {name: changed}) for inner, changed in without(value))
    elif isinstance(answer, list):
        for at, value in enumerate(answer):
            yield from ((inner, [*answer[:at], changed, *answer[at + 1 :]]) for inner, changed in without(value))


def with_more(answer: Any) -> Any:
    """Return an answer with further fields in each object."""
    if isinstance(answer, dict):
        more = {"title": "More", "price": "0.99", "state": "closed", "id2": 7}
        # Of Kalshi's markets, the title is a further name of their questions.
        return {name: with_more(value) for name, value in answer.items()} | {
            name: value for name, value in more.items() if name != "title" or "yes_sub_title" not in answer
        }
    return [with_more(one) for one in answer] if isinstance(answer, list) else answer


@proves(
    "lifecycle: `active closed markets[]{groupItemTitle question outcomes outcomePrices bestBid bestAsk closed "
    "umaResolutionStatus}`; `outcomes`, `outcomePrices`: JSON in strings |",
    "lifecycle: `outcomeType probability answers[]{id text probability} shouldAnswersSumToOne closeTime isResolved "
    "resolution` |",
    "lifecycle: `event{mutually_exclusive markets[]{yes_sub_title status result yes_bid_dollars yes_ask_dollars "
    "last_price_dollars}}`: decimal strings;",
)
@pytest.mark.parametrize(
    ("source", "answers", "fields"),
    [
        (
            "polymarket",
            [POLYMARKET, POLYMARKET | {"active": False}, POLYMARKET | {"closed": True}],
            "active closed markets groupItemTitle question outcomes outcomePrices bestBid bestAsk umaResolutionStatus",
        ),
        (
            "manifold",
            [MANIFOLD, MANIFOLD_BINARY, MANIFOLD | {"isResolved": False}],
            "outcomeType probability answers id text shouldAnswersSumToOne closeTime isResolved resolution",
        ),
        (
            "kalshi",
            [KALSHI],
            (
                "event mutually_exclusive markets yes_sub_title status result yes_bid_dollars yes_ask_dollars "
                "last_price_dollars"
            ),
        ),
    ],
)
def test_each_field_of_the_contract_counts_and_no_other_does(source: str, answers: list[Any], fields: str) -> None:
    counting: set[str] = set()
    for answer in answers:
        event = read(source, answer)
        assert event is not None
        assert read(source, with_more(answer)) == event
        counting |= {name for name, changed in without(answer) if read(source, changed) != event}
    assert counting == set(fields.split())
