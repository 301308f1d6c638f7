"""Sources are read exactly in their own shapes; whatever else they answer is no event."""

from __future__ import annotations

import json
from decimal import Decimal
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.kernel.provider_settings import OddsSource
from foreknow.platform.fetching import BadResponse
from foreknow.trading.odds.sources import SOURCES, open_sources
from foreknow.trading.odds.sources.base import OutcomeResult, SourceEvent, SourceOutcome
from tests.support.odds import (
    encoded,
    kalshi,
    kalshi_market,
    manifold_answers,
    manifold_binary,
    polymarket,
    polymarket_group,
    polymarket_market,
    polymarket_resolved,
)
from tests.support.proofs import proves

NOW_MS = 1_750_000_000_000
SAMPLES: dict[str, list[bytes]] = {
    "polymarket": [
        encoded(polymarket(polymarket_market("0.615"))),
        encoded(polymarket_group(Reds="0.5", Blues="0.3", Draw="0.2")),
        encoded(polymarket(polymarket_resolved(["1", "0"], title="Reds"), polymarket_market("0.001", title="Blues"))),
    ],
    "manifold": [
        encoded(manifold_binary(0.8123456789012345)),
        encoded(manifold_answers({"Reds": 0.5, "Blues": 0.3, "Other": 0.2})),
        encoded(manifold_binary(1, isResolved=True, resolution="YES")),
    ],
    "kalshi": [
        encoded(kalshi(kalshi_market("Reds"), kalshi_market("Blues"))),
        encoded(kalshi(kalshi_market("Reds", status="finalized", result="yes"), kalshi_market("Blues"))),
    ],
}


def read(source: str, answer: Any, *, now_ms: int = NOW_MS) -> SourceEvent:
    return SOURCES[source]("https://api.example.org").read(encoded(answer), now_ms=now_ms)


def prices(outcomes: tuple[SourceOutcome, ...]) -> dict[str, float | None]:
    return {one.name: None if one.price is None else float(one.price) for one in outcomes}


def yes(source: str, answer: Any, **rest: Any) -> SourceOutcome:
    """Return the outcome yes of an answer's only question."""
    (question,) = read(source, answer, **rest).questions
    return question.yes


def test_every_source_of_the_settings_has_a_class() -> None:
    assert set(SOURCES) == set(get_args(OddsSource))


@proves(
    "lifecycle: /events/slug/ID |",
    "lifecycle: /v0/slug/ID |",
    "lifecycle: /events/ID (upper case) `?with_nested_markets=true` |",
)
def test_each_source_is_asked_at_its_own_path() -> None:
    opened = open_sources(dict.fromkeys(get_args(OddsSource), "https://api.example.org/v2"))
    assert {name: source.url("Some-id.1") for name, source in opened.items()} == {
        "polymarket": "https://api.example.org/v2/events/slug/Some-id.1",
        "manifold": "https://api.example.org/v2/v0/slug/Some-id.1",
        "kalshi": "https://api.example.org/v2/events/SOME-ID.1?with_nested_markets=true",
    }


@proves("lifecycle: `outcomes`, `outcomePrices`: JSON in strings |")
def test_polymarket_writes_outcomes_and_prices_as_json_within_strings() -> None:
    event = read("polymarket", polymarket(polymarket_market("0.615", question="Will it rain?")))
    assert event.questions[0].names == ("Will it rain?",)
    assert prices(event.sets[0]) == {"Yes": 0.615, "No": 0.385}
    assert event.questions[0].yes.spread == Decimal("0.01")
    assert not event.closed


def test_polymarket_has_a_set_of_a_groups_questions_and_one_of_each_question() -> None:
    event = read("polymarket", polymarket_group(Reds="0.5", Blues="0.3", Draw="0.2"))
    assert prices(event.sets[-1]) == {"Reds": 0.5, "Blues": 0.3, "Draw": 0.2}
    teams = polymarket_market("0.7", outcomes=("Reds", "Blues"))
    assert prices(read("polymarket", polymarket(teams)).sets[0]) == {"Reds": 0.7, "Blues": 0.3}
    assert read("polymarket", polymarket(teams)).questions == ()
    # A group of one is no set of its own.
    assert [prices(one) for one in read("polymarket", polymarket_group(Reds="0.5")).sets] == [{"Yes": 0.5, "No": 0.5}]


def test_polymarket_has_no_price_where_none_is_written_and_no_offer_on_an_empty_side() -> None:
    assert yes("polymarket", polymarket(polymarket_market(outcomePrices=None))).price is None
    one_sided = polymarket_market("0.3")
    del one_sided["bestBid"]
    assert yes("polymarket", polymarket(one_sided)).spread == Decimal("0.305")
    del one_sided["bestAsk"]
    assert yes("polymarket", polymarket(one_sided)).spread == 1


@proves("lifecycle: market `closed`, `umaResolutionStatus` `resolved`, `outcomePrices` 0 and 1;")
def test_polymarkets_results_are_final_once_closed_and_resolved() -> None:
    def result(prices: list[str], **fields: Any) -> OutcomeResult | None:
        return yes("polymarket", polymarket(polymarket_resolved(prices, **fields))).result

    assert result(["1", "0"]) is OutcomeResult.WON
    assert result(["0", "1"]) is OutcomeResult.LOST
    assert result(["0.5", "0.5"]) is OutcomeResult.OTHER
    assert result(["1", "1"]) is OutcomeResult.OTHER
    assert result(["0.9995", "0.0005"]) is OutcomeResult.OTHER
    assert result(["1", "0"], closed=False) is None
    for status in ("proposed", "disputed", None):
        assert result(["1", "0"], umaResolutionStatus=status) is None


@pytest.mark.parametrize("field", [{"closed": True}, {"active": False}])
def test_polymarket_closes_an_event(field: dict[str, bool]) -> None:
    assert read("polymarket", polymarket(polymarket_market(), **field)).closed


def test_manifold_has_a_question_or_answers() -> None:
    assert yes("manifold", manifold_binary(0.8125)).price == Decimal("0.8125")
    assert yes("manifold", manifold_binary(0.8125)).spread is None
    answers = {"Reds": 0.5, "Blues": 0.3, "Other": 0.2}
    assert prices(read("manifold", manifold_answers(answers)).sets[0]) == answers
    independent = read("manifold", manifold_answers(answers, sum_to_one=False))
    assert independent.sets == ()
    assert {question.names[0] for question in independent.questions} == set(answers)
    assert independent.is_supported
    assert read("manifold", manifold_answers({"Reds": 1.0})).sets == ()


def test_manifold_closes_at_its_closing_time() -> None:
    market = manifold_binary(closeTime=NOW_MS)
    assert read("manifold", market).closed
    assert not read("manifold", market, now_ms=NOW_MS - 1).closed


@proves("lifecycle: Manifold `isResolved`, YES, NO")
def test_manifolds_results_are_final_once_resolved() -> None:
    def result(resolution: str, **fields: Any) -> OutcomeResult | None:
        return yes("manifold", manifold_binary() | {"isResolved": True, "resolution": resolution} | fields).result

    assert result("YES") is OutcomeResult.WON
    assert result("NO") is OutcomeResult.LOST
    assert result("MKT") is OutcomeResult.OTHER
    assert result("CANCEL") is OutcomeResult.OTHER
    assert result("YES", isResolved=False) is None


@proves("lifecycle: or one answer's id;")
def test_manifolds_winning_answer_is_named_by_its_id() -> None:
    def results(resolution: str, **fields: Any) -> list[OutcomeResult | None]:
        answer = manifold_answers({"Reds": 1, "Blues": 0}) | {"isResolved": True, "resolution": resolution} | fields
        return [question.yes.result for question in read("manifold", answer).questions]

    assert results("id-1") == [OutcomeResult.LOST, OutcomeResult.WON]
    for other in ("CHOOSE_MULTIPLE", "MKT", "CANCEL", "Blues"):
        assert results(other) == [OutcomeResult.OTHER, OutcomeResult.OTHER]
    assert results("id-1", isResolved=False) == [None, None]


def test_kinds_of_question_that_no_pool_can_follow_are_unsupported() -> None:
    for kind in ("PSEUDO_NUMERIC", "POLL", "BOUNTIED_QUESTION", "STONK"):
        assert not read("manifold", manifold_binary(outcomeType=kind)).is_supported
    assert not read("polymarket", polymarket()).is_supported
    assert not read("kalshi", kalshi()).is_supported


@proves("lifecycle: decimal strings; the mid, or last where a side is empty |")
def test_kalshi_gives_the_middle_or_the_last_price_where_a_side_is_empty() -> None:
    def outcome(*offers: str, **rest: Any) -> SourceOutcome:
        return yes("kalshi", kalshi(kalshi_market("Reds", *offers, **rest)))

    assert outcome("0.4200", "0.4500").price == Decimal("0.435")
    assert outcome("0.4200", "0.4500").spread == Decimal("0.03")
    assert outcome("0.0000", "0.0300", last="0.0100").price == Decimal("0.01")
    assert outcome("0.0000", "0.0300", last="0.0100").spread == Decimal("0.03")
    assert outcome("0.9700", "1.0000", last="0.9800").price == Decimal("0.98")
    assert outcome("0.9700", "1.0000", last="0.9800").spread == Decimal("0.03")
    assert outcome("0.9700", "0.0000", last="0.9800").price == Decimal("0.98")
    assert outcome("0.5000", "0.4000").price is None


def test_kalshis_outcomes_are_a_set_if_they_exclude_each_other() -> None:
    markets = [kalshi_market("Reds", "0.50", "0.52"), kalshi_market("Blues", "0.48", "0.50")]
    assert prices(read("kalshi", kalshi(*markets)).sets[0]) == {"Reds": 0.51, "Blues": 0.49}
    assert read("kalshi", kalshi(*markets, exclusive=False)).sets == ()
    assert read("kalshi", kalshi(markets[0])).sets == ()


@proves("lifecycle: Kalshi `status` `finalized`, `result` yes/no;")
def test_kalshis_results_are_final_once_finalized() -> None:
    def result(status: str, result: str) -> OutcomeResult | None:
        return yes("kalshi", kalshi(kalshi_market(status=status, result=result))).result

    assert result("finalized", "yes") is OutcomeResult.WON
    assert result("finalized", "no") is OutcomeResult.LOST
    assert result("finalized", "scalar") is OutcomeResult.OTHER
    assert result("finalized", "") is OutcomeResult.OTHER
    for status in ("active", "closed", "determined", "settled"):
        assert result(status, "yes") is None


def test_a_kalshi_event_is_closed_once_all_its_markets_are() -> None:
    ended = kalshi_market("Reds", status="closed")
    assert not read("kalshi", kalshi(ended, kalshi_market("Blues"))).closed
    assert read("kalshi", kalshi(ended, ended)).closed


WRONG: dict[str, list[Any]] = {
    "polymarket": [
        polymarket_market(outcomePrices='["0.5"]'),
        polymarket_market(outcomePrices="[0.5, 0.5]"),
        polymarket_market(outcomePrices='["1.5", "-0.5"]'),
        polymarket_market(outcomePrices='["NaN", "0.5"]'),
        polymarket_market(outcomePrices='["1e-9999", "0.5"]'),
        polymarket_market(outcomePrices="0.5, 0.5"),
        polymarket_market(outcomes=["Yes", "No"]) | {"outcomes": ["Yes", "No"]},
        polymarket_market(bid=-0.5),
        polymarket_market(ask=1.5),
        polymarket_market(closed="false"),
    ],
    "manifold": [
        manifold_binary(1.5),
        manifold_binary(-0.1),
        manifold_binary() | {"probability": "0.5"},
        manifold_binary(outcomeType=None),
        manifold_answers({"Reds": 2.0}),
        manifold_answers({}, answers=[{"id": "id-0", "text": 5, "probability": 0.5}]),
        manifold_binary(isResolved="yes"),
    ],
    "kalshi": [
        kalshi_market(bid="½"),
        kalshi_market(ask="1.01"),
        kalshi_market(ask="1_0"),
        kalshi_market(bid="0.5 "),
        kalshi_market(yes_bid_dollars=0.5),
        kalshi_market() | {"status": None},
    ],
}


@pytest.mark.parametrize(("source", "number"), [(name, at) for name in WRONG for at in range(len(WRONG[name]))])
def test_numbers_and_fields_that_lie_are_no_event(source: str, number: int) -> None:
    wrong = WRONG[source][number]
    whole = {"polymarket": polymarket, "kalshi": kalshi}.get(source, lambda market: market)(wrong)
    with pytest.raises(BadResponse):
        read(source, whole)


GOOD: dict[str, Any] = {
    "polymarket": polymarket_market("0.25", title="Blues"),
    "kalshi": kalshi_market("Blues", "0.2000", "0.3000"),
}


@pytest.mark.parametrize(("source", "number"), [(name, at) for name in GOOD for at in range(len(WRONG[name]))])
def test_a_market_that_cannot_be_read_fails_alone(source: str, number: int) -> None:
    around = {"polymarket": polymarket, "kalshi": kalshi}[source]
    event = read(source, around(GOOD[source], WRONG[source][number]))
    blues, wrong = event.questions
    assert (blues.names[0], blues.yes.price) == ("Blues", Decimal("0.25"))
    # It is there still: another question is not the only one for that, nor an outcome of a set the one before.
    assert (wrong.yes.price, wrong.yes.result, wrong.yes.closed) == (None, None, False)
    assert list(prices(event.sets[-1]).values()) == [0.25, None]


@pytest.mark.parametrize("wrong", [{"probability": "0.5"}, {"probability": 1.5}, {"text": 5}, None, 7])
def test_an_answer_that_cannot_be_read_fails_alone(wrong: Any) -> None:
    answer = manifold_answers({"Reds": 0.5, "Blues": 0.25})
    answer["answers"][0] = answer["answers"][0] | wrong if isinstance(wrong, dict) else wrong
    outcomes = read("manifold", answer).sets[0]
    assert [one.price for one in outcomes] == [None, Decimal("0.25")]


@pytest.mark.parametrize(
    ("source", "market"),
    [
        ("polymarket", polymarket_market("0.25", closed=True, bestBid="0.9") | {"question": 5}),
        ("polymarket", polymarket_market("0.25", groupItemTitle=5, umaResolutionStatus=5)),
        ("kalshi", kalshi_market("Reds", "0.2000", "0.3000") | {"last_price_dollars": 25, "title": 5, "result": 5}),
        ("kalshi", kalshi_market("Reds", "0.2000", "0.3000", yes_sub_title=5)),
        ("manifold", manifold_binary(0.25, question=5, answers="none", resolution=5)),
    ],
)
def test_what_is_not_needed_is_not_judged(source: str, market: Any) -> None:
    whole = {"polymarket": polymarket, "kalshi": kalshi}.get(source, lambda market: market)(market)
    assert yes(source, whole).price == Decimal("0.25")


def test_a_result_needs_no_price() -> None:
    assert yes("kalshi", kalshi(kalshi_market(bid="?", status="finalized", result="no"))).result is OutcomeResult.LOST
    ended = polymarket_resolved(["1", "0"], bestAsk="1")
    assert yes("polymarket", polymarket(ended)).result is OutcomeResult.WON
    manifold = manifold_binary() | {"probability": "1", "isResolved": True, "resolution": "YES"}
    assert yes("manifold", manifold).result is OutcomeResult.WON


def test_a_winner_that_cannot_be_named_is_no_result() -> None:
    answer = manifold_answers({"Reds": 0.5, "Blues": 0.5}) | {"isResolved": True, "resolution": "id-0"}
    answer["answers"][0]["id"] = 0
    with pytest.raises(BadResponse):
        read("manifold", answer)
    unreadable = kalshi_market("Reds", status="finalized") | {"result": 1}
    reds, blues = read("kalshi", kalshi(unreadable, kalshi_market("Blues", status="finalized", result="no"))).questions
    assert (reds.yes.result, blues.yes.result) == (None, OutcomeResult.LOST)


@pytest.mark.parametrize("source", SOURCES)
@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b"{}",
        b'{"markets": null}',
        b'{"event": {"markets": [1]}}',
        b'{"outcomeType": "BINARY", "probability": 1e400}',
        b'{"outcomeType": "BINARY", "probability": NaN}',
        b"[" * 100_000,
        b'{"markets":' * 100_000,
        b"<html>Just a moment...</html>",
        b"\xff\xfe\x00",
        b'{"markets": [{"outcomes": "[[[[[[[["}]}',
        b'{"markets": [{"outcomes": "' + b"[" * 100_000 + b'"}]}',
    ],
)
def test_other_answers_are_no_event(source: str, body: bytes) -> None:
    with pytest.raises(BadResponse):
        SOURCES[source]("https://api.example.org").read(body, now_ms=NOW_MS)


@given(st.sampled_from(sorted(SOURCES)), st.data())
def test_damaged_answers_give_prices_between_0_and_1_or_no_event(source: str, data: st.DataObject) -> None:
    good = data.draw(st.sampled_from(SAMPLES[source]))
    raw = bytearray(good[: data.draw(st.integers(len(good) - 3, len(good)))])
    for _ in range(data.draw(st.integers(0, 5))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        event = SOURCES[source]("https://api.example.org").read(bytes(raw), now_ms=NOW_MS)
    except BadResponse:
        return
    for outcome in [question.yes for question in event.questions] + [one for many in event.sets for one in many]:
        assert isinstance(outcome.name, str)
        assert outcome.price is None or 0 <= outcome.price <= 1
        assert outcome.spread is None or 0 <= outcome.spread <= 1


_JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=5,
)


@given(st.sampled_from(sorted(SOURCES)), st.data())
def test_values_of_any_type_in_any_place_give_an_event_or_none(source: str, data: st.DataObject) -> None:
    tree = json.loads(data.draw(st.sampled_from(SAMPLES[source])))
    place: Any = tree
    while True:
        steps: list[Any] = list(place) if isinstance(place, dict) else list(range(len(place)))
        step = data.draw(st.sampled_from(steps))
        if not isinstance(place[step], (dict, list)) or not place[step] or data.draw(st.booleans()):
            break
        place = place[step]
    place[step] = data.draw(_JSON)
    try:
        event = SOURCES[source]("https://api.example.org").read(encoded(tree), now_ms=NOW_MS)
    except BadResponse:
        return
    assert all(question.yes.price is None or 0 <= question.yes.price <= 1 for question in event.questions)


def test_an_answer_of_four_mebibytes_is_read_in_reasonable_time() -> None:
    many = {f"Answer {number} {'long ' * 180}": 0.0001 for number in range(4_000)}
    event = read("manifold", manifold_answers(many, isResolved=True, resolution="id-7"))
    assert sum(question.yes.result is OutcomeResult.WON for question in event.questions) == 1


def test_an_answer_of_too_many_parts_is_refused() -> None:
    many = {f"Answer {number}": 0.00001 for number in range(25_000)}
    with pytest.raises(BadResponse, match="more than 10000 objects and lists"):
        read("manifold", manifold_answers(many))
    with pytest.raises(BadResponse):
        read("polymarket", {"markets": [{"outcomes": json.dumps([""] * 10_000), "outcomePrices": "[]"}]})
