"""POST /events/from-template: a few fields make an event that is checked like any other."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.observed import Asset
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

FINISH_AT = "2096-11-20T15:00:00.000Z"
OPENAPI = Path(__file__).parents[3] / "docs" / "openapi.json"
PATH = "/events/from-template"


def made(service: Service, **body: Any) -> dict[str, Any]:
    event: dict[str, Any] = expect(service.creator.client.post(PATH, json=body), 201)
    return event


def outcomes(event: dict[str, Any]) -> list[tuple[str, float]]:
    return [(market["name"], market["yes_probability"]) for market in event["pools"][0]["markets"]]


@proves(
    "lifecycle: → 201 Event: `yes_no {question, probability?}`;",
)
@ONCE
def test_a_question_is_answered_with_yes_or_no(service: Service) -> None:
    event = made(service, template="yes_no", question="Will it rain?", probability=0.3)
    assert (event["name"], event["status"]) == ("Will it rain?", "new")
    assert (event["pools"][0]["name"], outcomes(event)) == ("Will it rain?", [("Will it rain?", 0.3)])
    assert outcomes(made(service, template="yes_no", question="Will it?")) == [("Will it?", 0.5)]


@proves(
    "lifecycle: `match {home, away, draw?}` (versus names; outcomes home, `Draw`, away);",
)
@ONCE
def test_a_match_has_two_sides_and_perhaps_a_draw(service: Service) -> None:
    with_draw = made(service, template="match", home="Reds", away="Blues", draw=True)
    assert with_draw["name"] == "Reds – Blues"
    assert (with_draw["versus_names"], with_draw["has_draw"]) == (["Reds", "Blues"], True)
    assert [name for name, _ in outcomes(with_draw)] == ["Reds", "Draw", "Blues"]
    for rest in ({}, {"draw": False}, {"draw": None}):
        event = made(service, template="match", home="Reds", away="Blues", **rest)
        assert (outcomes(event), event["has_draw"]) == ([("Reds", 0.5), ("Blues", 0.5)], False)


@proves(
    "lifecycle: `candidates {question, names}` (+ `other?`, lists.md);",
)
@ONCE
def test_candidates_are_the_outcomes_of_a_question(service: Service) -> None:
    event = made(service, template="candidates", question="Who wins?", names=["Ann", "Bob", "Eve", "Kim"])
    assert event["name"] == event["pools"][0]["name"] == "Who wins?"
    assert outcomes(event) == [("Ann", 0.25), ("Bob", 0.25), ("Eve", 0.25), ("Kim", 0.25)]


@proves(
    "lifecycle: `price {symbol, thresholds,",
    "lifecycle: (outcomes `Below {high}`, `{low} – {high}`, `{low} or above`, by `from`/`below`);",
)
@ONCE
def test_a_price_lies_below_between_or_above_its_thresholds(service: Service) -> None:
    event = made(service, template="price", symbol="btc", thresholds=[60_000, 70_000.5], finish_at=FINISH_AT)
    assert event["pools"][0]["metadata"]["resolution"] == {
        "kind": "price",
        "symbol": "btc",
        "outcomes": [{"below": 60_000}, {"from": 60_000, "below": 70_000.5}, {"from": 70_000.5}],
    }
    published = expect(service.creator.client.post(f"/events/{event['id']}/publish"), 200)
    assert published["name"] == "BTC at 20 November 2096, 15:00"
    assert [name for name, _ in outcomes(published)] == [
        "Below 60,000.00",
        "60,000.00 – 70,000.50",
        "70,000.50 or above",
    ]


@ONCE
def test_one_threshold_makes_two_outcomes_and_fine_ones_more_decimals(service: Service) -> None:
    event = made(service, template="price", symbol="DOGE", thresholds=[0.12345], finish_at=FINISH_AT)
    published = expect(service.creator.client.post(f"/events/{event['id']}/publish"), 200)
    assert [name for name, _ in outcomes(published)] == ["Below 0.12345", "0.12345 or above"]


# 101.005 is rounded to the even digit.
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("relative", "expected"), [("times", "Below 100.50"), ("plus", "Below 101.00")])
@proves(
    "lifecycle: `price {symbol, thresholds, relative?: times|plus}`",
)
def test_relative_thresholds_count_from_the_price_at_publication(
    service: Service, relative: str, expected: str
) -> None:
    asset = Asset(service)
    body = {"template": "price", "symbol": asset.symbol, "thresholds": [1.005, 2], "finish_at": FINISH_AT}
    event = made(service, **body, relative=relative)
    publish = f"/events/{event['id']}/publish"
    refused(service.creator.client.post(publish), 409, "price_unavailable")
    asset.observe(100.0)
    published = expect(service.creator.client.post(publish), 200)
    assert published["pools"][0]["markets"][0]["name"] == expected


@proves(
    "lifecycle: POST /events/from-template (Creator) | `{template, …}` → 201 Event:",
    (
        "lifecycle: all with `tags, loop_interval_minutes, external_event_url, lmsr_b_kopecks` and a pool's "
        "`margin, live_at, finish_at, rules`"
    ),
)
@ONCE
def test_every_template_takes_the_fields_of_events_and_pools(service: Service) -> None:
    shared = {
        "tags": ["a", "b"],
        "loop_interval_minutes": 60,
        "external_event_url": "https://example.org/x",
        "lmsr_b_kopecks": 5_000,
        "margin": 0.02,
        "live_at": "2096-11-20T14:00:00.000Z",
        "finish_at": FINISH_AT,
        "rules": "As announced.",
    }
    for own in (
        {"template": "yes_no", "question": "Will it, {number}?"},
        {"template": "match", "home": "A", "away": "B"},
        {"template": "candidates", "question": "Who?", "names": ["a", "b"]},
        {"template": "price", "symbol": "BTC", "thresholds": [1]},
    ):
        event = made(service, **own, **shared)
        only = event["pools"][0]
        shown = {name: (event | only)[name] for name in shared if name != "lmsr_b_kopecks"}
        assert shown == {name: value for name, value in shared.items() if name != "lmsr_b_kopecks"}
        assert {market["b"] for market in only["markets"]} == {5_000}


def test_an_event_of_a_template_is_the_one_that_its_fields_would_create(service: Service) -> None:
    """One way leads to both: what was left out has the same defaults."""
    by_template = made(service, template="candidates", question="Who?", names=["a", "b"])
    body = {"name": "Who?", "pools": [{"name": "Who?", "metadata": {"market_names": ["a", "b"]}}]}
    by_hand = expect(service.creator.client.post("/events/create-full", json=body), 201)

    def plain(event: dict[str, Any]) -> dict[str, Any]:
        (one,) = event["pools"]
        markets = [
            market | {"id": number, "pool_id": market["pool_id"] - one["id"]}
            for number, market in enumerate(one["markets"])
        ]
        return event | {"id": 0, "created_at": "", "pools": [one | {"id": 0, "markets": markets}]}

    assert plain(by_template) == plain(by_hand)


@ONCE
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({}, "template"),
        ({"template": "lottery"}, "template"),
        ({"template": "yes_no"}, "question"),
        ({"template": "yes_no", "question": " "}, "question"),
        ({"template": "yes_no", "question": "x" * 201}, "question"),
        ({"template": "yes_no", "question": "x", "probability": 0}, "probability"),
        ({"template": "yes_no", "question": "x", "probability": 1.5}, "probability"),
        ({"template": "yes_no", "question": "x", "names": ["a", "b"]}, "names"),
        ({"template": "yes_no", "question": "x", "margin": 0.6}, "margin"),
        ({"template": "yes_no", "question": "x", "lmsr_b_kopecks": 99}, "lmsr_b_kopecks"),
        ({"template": "yes_no", "question": "x", "tags": [""]}, "tags[0]"),
        ({"template": "yes_no", "question": "x", "rules": "x" * 20_001}, "rules"),
        ({"template": "yes_no", "question": "x", "finish_at": "2096-01-01T00:00:00"}, "finish_at"),
        ({"template": "yes_no", "question": "{", "loop_interval_minutes": 1}, "question"),
        ({"template": "match", "home": "A"}, "away"),
        ({"template": "match", "home": "", "away": "B"}, "home"),
        ({"template": "match", "home": "A", "away": "x" * 201}, "away"),
        ({"template": "match", "home": "x" * 100, "away": "x" * 100}, "away"),
        ({"template": "match", "home": "A", "away": "{", "loop_interval_minutes": 1}, "away"),
        ({"template": "match", "home": "}", "away": "B", "loop_interval_minutes": 1}, "home"),
        ({"template": "candidates", "question": "x", "names": ["a"]}, "names"),
        ({"template": "candidates", "question": "x", "names": ["a"] * 101}, "names"),
        ({"template": "candidates", "question": "x", "names": ["a", ""]}, "names[1]"),
        ({"template": "price", "symbol": "BTC", "thresholds": [1]}, "finish_at"),
        ({"template": "price", "symbol": "B C", "thresholds": [1], "finish_at": FINISH_AT}, "symbol"),
        ({"template": "price", "symbol": "", "thresholds": [1], "finish_at": FINISH_AT}, "symbol"),
        ({"template": "price", "symbol": "BTC", "thresholds": [], "finish_at": FINISH_AT}, "thresholds"),
        ({"template": "price", "symbol": "BTC", "thresholds": [1] * 100, "finish_at": FINISH_AT}, "thresholds"),
        ({"template": "price", "symbol": "BTC", "thresholds": [2, 2], "finish_at": FINISH_AT}, "thresholds[1]"),
        ({"template": "price", "symbol": "BTC", "thresholds": [2, 1e300], "finish_at": FINISH_AT}, "thresholds[1]"),
        ({"template": "price", "symbol": "BTC", "thresholds": [1e-9], "finish_at": FINISH_AT}, "thresholds[0]"),
        ({"template": "price", "symbol": "BTC", "thresholds": [True], "finish_at": FINISH_AT}, "thresholds[0]"),
        ({"template": "price", "symbol": "BTC", "thresholds": [1], "relative": "minus"}, "relative"),
    ],
)
def test_a_wrong_field_is_named_as_the_template_names_it(service: Service, body: dict[str, Any], field: str) -> None:
    answer = refused(service.creator.client.post(PATH, json=body), 400, "bad_request")
    assert list(answer["details"]["fields"]) == [field]


@ONCE
def test_an_unknown_template_is_answered_with_those_there_are(service: Service) -> None:
    answer = refused(service.creator.client.post(PATH, json={"template": "lottery"}), 400, "bad_request")
    known = "yes_no, match, price, candidates, number, date, joint"
    assert answer["details"]["fields"] == {"template": f"must be one of {known}"}


@proves(
    "lifecycle: POST /events/from-template (Creator)",
)
@ONCE
def test_only_creators_use_templates(service: Service) -> None:
    body = {"template": "yes_no", "question": "Will it?"}
    refused(service.client().post(PATH, json=body), 401, "unauthorized")
    refused(service.user().client.post(PATH, json=body), 403, "forbidden")
    refused(service.admin.post(PATH, json=body), 403, "forbidden")


@ONCE
def test_the_examples_of_the_page_are_accepted(service: Service) -> None:
    operation = json.loads(OPENAPI.read_text())["paths"][f"/api/v1{PATH}"]["post"]
    examples = operation["requestBody"]["content"]["application/json"]["examples"]
    assert list(examples) == ["yes_no", "match", "price", "candidates", "number", "date", "joint"]
    for example in examples.values():
        expect(service.creator.client.post(PATH, json=example["value"]), 201)


def test_an_event_of_a_template_begins_a_series(service: Service) -> None:
    event = made(
        service, template="match", home="Reds {number}", away="Blues", loop_interval_minutes=10, finish_at=FINISH_AT
    )
    published = expect(service.creator.client.post(f"/events/{event['id']}/publish"), 200)
    assert (published["name"], published["series"]["index"]) == ("Reds 1 – Blues", 0)
