"""Interface, "POST /api/v1/events/create-full"; decisions, "Events, pools, markets" and "Text"."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from tests.contract.made_events import create, refuse
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused

SEEN = (
    "decisions: What must not be empty, and each name, shows at least one letter, digit, symbol or mark of punctuation "
    "(U+2800 and U+3164 are none); U+202A … U+202E and U+2066 … U+2069 are 400 (taken out of what a provider says)."
)

EVENT = {
    *("id", "name", "name_ru", "tags", "image_url", "status", "is_active", "created_at", "versus_names"),
    *("versus_images", "has_draw", "pools"),
    # Fields of the life cycle.
    *("main_pool_index", "loop_interval_minutes", "external_event_url", "series"),
}
POOL = {"id", "name", "name_ru", "rules", "won_side", "margin", "finish_at", "live_at", "markets", "metadata"} | {
    # Fields of the life cycle.
    *("liquidity", "resolution"),
    *("shape", "other", "splits", "clarifications"),
}
MARKET = {
    *("id", "pool_id", "name", "yes_probability", "market_type", "volume", "b", "q_yes", "q_no", "paused", "resolved"),
    *("outcome_index", "name_ru"),
}
LEFT_OUT = "decisions: Left out: one market named like its pool where neither names nor probabilities are given"
BOUNDS = "decisions: Bounds: 100 ≤ b ≤ 10^12, 0 ≤ margin ≤ 0.5, `finish_at` > `live_at`."
TEXT = "decisions: Bounds in code points: names of events and people 1–200, pool, market and Russian names 0–200"


@proves(
    "interface: - 201: Event object with pools and markets (section 2).",
    "interface: Event status: a newly created event has status new and is_active false.",
    "interface: | name_ru | string | no | event name in Russian |",
    "interface: | tags | string[] | no | tag slugs |",
    "interface: | versus_names | string[] | no | names of opposing sides |",
    "interface: | versus_images | string[] | no | image URL per side |",
    "interface: | has_draw | bool | no | event supports a draw outcome |",
    "interface: | image_url | string | no | cover image URL |",
    "interface: | external_event_url | string | no | URL of an external event used for odds syncing (the identifier "
    "carries a neutral word in place of the external platform's name) |",
    "interface: | main_pool_index | int | no | 0-based index of the main/default pool |",
    "interface: | loop_interval_minutes | int | no | interval for recurring events; 0 for one-off |",
    "interface: | pools[].name | string | no | pool name in English |",
    "interface: | pools[].name_ru | string | no | pool name in Russian |",
    "interface: | pools[].margin | float | no | fee fraction, for example 0.02 for 2 percent |",
    "interface: | pools[].finish_at | string ISO 8601 | no | pool deadline |",
    "interface: | pools[].live_at | string ISO 8601 | no | time the pool goes live |",
    "interface: | pools[].rules | string | no | resolution rules, plain text |",
    "interface: | pools[].metadata | object | no | market configuration |",
    "interface: | pools[].metadata.market_names | string[] | no | name per market outcome |",
    "interface: | pools[].metadata.market_probabilities | float[] | no | initial probability per market; must sum to "
    "1.0 |",
    "interface: | pools[].metadata.lmsr_b_kopecks | int | no | LMSR liquidity parameter b in kopecks |",
    "interface: The event has status new and is_active false.",
)
def test_a_created_event_answers_with_everything_that_was_sent(service: Service) -> None:
    finish, live = "2099-05-02T20:00:00.000Z", "2099-05-01T20:00:00.000Z"
    metadata = {
        "market_names": ["Reds", "Blues", "Draw"],
        "market_probabilities": [0.5, 0.3, 0.2],
        "lmsr_b_kopecks": 5_000,
    }
    first = {"name": "Winner", "name_ru": "Победитель", "margin": 0.02, "rules": "Full time."}
    sent = {
        "name": "The derby",
        "name_ru": "Дерби",
        "tags": ["football", "спорт"],
        "versus_names": ["Reds", "Blues"],
        "versus_images": ["https://example.org/reds.png", ""],
        "has_draw": True,
        "image_url": "https://example.org/derby.png",
        "external_event_url": "https://example.org/derby",
        "main_pool_index": 1,
        "loop_interval_minutes": 0,
        "pools": [{**first, "finish_at": finish, "live_at": live, "metadata": metadata}, {"name": "Goals over 2"}],
    }
    event = create(service, **sent)

    assert event.keys() == EVENT
    echoed = sent.keys() - {"pools"}
    assert {name: event[name] for name in echoed} == {name: sent[name] for name in echoed}
    assert (event["status"], event["is_active"]) == ("new", False)
    made_at = datetime.strptime(event["created_at"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - made_at) < timedelta(seconds=60)
    winner, goals = event["pools"]
    assert winner.keys() == goals.keys() == POOL
    assert {name: winner[name] for name in first} == first
    assert (winner["finish_at"], winner["live_at"], winner["won_side"]) == (finish, live, None)
    assert winner["metadata"] == metadata
    assert expect(service.creator.client.get(f"/events/{event['id']}"), 200) == event


@proves(
    "interface: Created markets have market_type lmsr, volume 0, q_yes 0, q_no 0, paused false, resolved false, "
    "outcome_index following the order of market_names, b equal to lmsr_b_kopecks, yes_probability equal to the given "
    "probability.",
    "decisions: so q = 0 shows the given probabilities",
    "decisions: `yes_probability` of an untouched market is the number given (within 1e-9)",
    "interface: Market flags: paused (bool) and resolved (bool), both false on creation.",
)
def test_created_markets_stand_at_their_probabilities(service: Service) -> None:
    names, probabilities = ["A", "B", "A"], [0.123456789, 0.5, 0.376543211]
    made = create(service, pools=[pool(names, probabilities=probabilities, b=4_321)])["pools"][0]

    for index, market in enumerate(made["markets"]):
        assert market.keys() == MARKET
        assert market["yes_probability"] == pytest.approx(probabilities[index], abs=1e-9)
        untouched = {"market_type": "lmsr", "volume": 0, "q_yes": 0, "q_no": 0, "paused": False, "resolved": False}
        assert {name: market[name] for name in untouched} == untouched
        assert (market["outcome_index"], market["name"], market["b"]) == (index, names[index], 4_321)
        assert market["pool_id"] == made["id"]
    assert len({market["id"] for market in made["markets"]}) == 3


@proves(
    LEFT_OUT,
    "decisions: `lmsr_b_kopecks` 100000, `margin` 0, `main_pool_index` 0.",
    "decisions: a time, `parent_id`, `won_side` that is not there is null.",
)
@ONCE
def test_what_is_left_out_has_its_default(service: Service) -> None:
    event = create(service, pools=[{"name": "Rain?"}, {}])
    named, unnamed = event["pools"]

    blank = {"name_ru": "", "tags": [], "versus_names": [], "versus_images": [], "has_draw": False, "image_url": ""}
    assert {name: event[name] for name in blank} == blank
    blank = {"name_ru": "", "rules": "", "won_side": None, "margin": 0, "finish_at": None, "live_at": None}
    assert {name: named[name] for name in blank} == blank
    for each, name in ((named, "Rain?"), (unnamed, "")):
        (market,) = each["markets"]
        assert (market["name"], market["yes_probability"], market["b"]) == (name, 0.5, 100_000)
    assert unnamed["name"] == ""


@proves("decisions: equal probabilities (0.5 for one market)")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("count", [1, 2, 3, 7, 100])
def test_names_without_probabilities_are_equally_likely(service: Service, count: int) -> None:
    markets = create(service, pools=[pool([f"Outcome {n}" for n in range(count)])])["pools"][0]["markets"]

    assert len(markets) == count
    for market in markets:
        assert market["yes_probability"] == pytest.approx(1 / max(count, 2), abs=1e-9)


@proves(
    "decisions: A pool with a single market is a yes/no question: its `market_probabilities` is `[p]` with 0.0001 ≤ "
    'p ≤ 0.9999 (the interface\'s "must sum to 1.0" is about two or more).',
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("p", [0.0001, 0.3, 0.9999])
def test_one_probability_makes_a_yes_no_question(service: Service, p: float) -> None:
    (unnamed,) = create(service, pools=[pool(probabilities=[p])])["pools"][0]["markets"]
    (named,) = create(service, pools=[pool(["Rain"], probabilities=[p])])["pools"][0]["markets"]

    assert unnamed["yes_probability"] == named["yes_probability"] == pytest.approx(p, abs=1e-9)
    assert (unnamed["name"], named["name"]) == ("Will it?", "Rain")


@proves(
    "decisions: Otherwise 2 … 100 markets, probabilities each ≥ 0.0001 and summing to 1 within 1e-9 (then divided by "
    "their sum).",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    "probabilities",
    [[0.0001, 0.9999], [0.5, 0.5 + 9e-10], [0.5, 0.5 - 9e-10], [0.1] * 10, [1 / 3, 1 / 3, 1 / 3], [0.01] * 100],
)
def test_probabilities_that_sum_to_one_are_taken(service: Service, probabilities: list[float]) -> None:
    names = [f"Outcome {n}" for n in range(len(probabilities))]
    markets = create(service, pools=[pool(names, probabilities=probabilities)])["pools"][0]["markets"]

    shown = [market["yes_probability"] for market in markets]
    assert shown == pytest.approx(probabilities, abs=1e-9)
    assert sum(shown) == pytest.approx(1, abs=1e-12)


@proves("decisions: several probabilities without names are 400")
@ONCE
@pytest.mark.parametrize(
    ("names", "probabilities"),
    [
        (None, [0.5, 0.5]),
        (None, [0.0]),
        (None, [1.0]),
        (None, [0.00009]),
        (None, [0.99991]),
        (None, [-0.5]),
        (["A"], [0.5, 0.5]),
        (["A", "B"], [0.5]),
        (["A", "B"], [1.0]),
        (["A", "B"], [0.5, 0.5, 0.0]),
        (["A", "B"], [0.00009, 0.99991]),
        (["A", "B"], [0.0, 1.0]),
        (["A", "B"], [1.5, -0.5]),
        (["A", "B"], [0.5, 0.5 + 2e-9]),
        (["A", "B"], [0.5, 0.4]),
        (["A", "B"], [0.6, 0.5]),
        (["A"] * 101, None),
        (["A"] * 101, [1 / 101] * 101),
        (["A", ""], None),
        (["A", " \t"], None),
        (["A", "x" * 201], None),
    ],
)
def test_markets_that_make_no_question_are_refused(
    service: Service, names: list[str] | None, probabilities: list[float] | None
) -> None:
    refuse(service, pools=[pool(names, probabilities=probabilities)])


@proves(BOUNDS)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("b", [100, 101, 10**12])
def test_the_bounds_of_b_are_allowed(service: Service, b: int) -> None:
    assert create(service, pools=[pool(b=b)])["pools"][0]["markets"][0]["b"] == b


@proves(BOUNDS)
@ONCE
@pytest.mark.parametrize("b", [99, 0, -100_000, 10**12 + 1, 2**63 - 1])
def test_b_outside_its_bounds_is_refused(service: Service, b: int) -> None:
    refuse(service, pools=[pool(b=b)])


@proves(BOUNDS, "decisions: Created pools answer with `margin` as sent.")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("margin", [0, 0.0, 0.02, 0.07, 0.1 + 0.2, 0.5, 1e-300])
def test_a_margin_is_given_back_as_sent(service: Service, margin: float) -> None:
    made = create(service, pools=[pool(margin=margin)])

    assert made["pools"][0]["margin"] == margin


@proves(BOUNDS)
@ONCE
@pytest.mark.parametrize("margin", [-0.01, -1e-300, 0.5000001, 1, 2])
def test_a_margin_outside_its_bounds_is_refused(service: Service, margin: float) -> None:
    refuse(service, pools=[pool(margin=margin)])


@proves(BOUNDS)
@ONCE
def test_trading_must_begin_before_it_ends(service: Service) -> None:
    one, two = "2099-01-01T00:00:00Z", "2099-01-01T00:00:00.001Z"

    assert create(service, pools=[pool(live_at=one, finish_at=two)])
    refuse(service, pools=[pool(live_at=one, finish_at=one)])
    refuse(service, pools=[pool(live_at=two, finish_at=one)])
    refuse(service, pools=[pool(live_at=one, finish_at="2099-01-01T02:00:00+03:00")])


@proves("decisions: 1 … 100 pools and at most 1,000 markets an event")
@ONCE
def test_an_event_has_1_to_100_pools(service: Service) -> None:
    assert len(create(service, pools=[{"name": str(n)} for n in range(100)])["pools"]) == 100
    refuse(service, pools=[])
    refuse(service, pools=[{}] * 101)


@proves("decisions: 1 … 100 pools and at most 1,000 markets an event")
def test_an_event_has_at_most_1000_markets(service: Service) -> None:
    hundred = pool([f"{number}" for number in range(100)])
    event = create(service, pools=[hundred] * 9 + [pool()] * 50 + [pool(["A", "B"])] * 25)
    assert sum(len(each["markets"]) for each in event["pools"]) == 1_000
    body = {"name": "Refused", "pools": [*([hundred] * 10), pool()]}
    answer = refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")
    assert answer["details"] == {"fields": {"pools": "must have at most 1000 markets together"}}


@proves(
    TEXT,
    "decisions: required text is not white space only.",
    "interface: | name | string | yes | event name in English |",
)
@ONCE
@pytest.mark.parametrize("name", ["", " ", "\n\t", "\u00a0\u2003", "\u3164", "\u200b", "x" * 201, "🙂" * 201, None])
def test_an_event_needs_a_name_of_1_to_200_characters(service: Service, name: str | None) -> None:
    refuse(service, name=name)


@proves("interface: | pools | array | yes | pool objects |")
@ONCE
@pytest.mark.parametrize("field", ["name", "pools"])
def test_an_event_needs_its_name_and_its_pools(service: Service, field: str) -> None:
    body = {"name": "Whole", "pools": [pool()]}
    del body[field]

    refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")


@proves(TEXT, "decisions: (a market's given name 1–200; two may be equal), rules 20,000, 50 tags of 1–100")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("letter", ["x", "Ж", "🙂"])
def test_the_longest_texts_are_allowed(service: Service, letter: str) -> None:
    # Two events: all of it at once is more than one body may hold.
    long = letter * 200
    event = create(
        service,
        name=long,
        name_ru=long,
        tags=[f"{n:02}" + letter * 98 for n in range(50)],
        versus_names=[long] * 20,
        pools=[{"name": long, "name_ru": long, "metadata": {"market_names": [long, long]}}],
    )
    assert event["name"] == event["name_ru"] == long
    assert event["pools"][0]["markets"][1]["name"] == long
    rules = letter * (20_000 if letter != "🙂" else 16_000)
    assert create(service, pools=[{"rules": rules}])["pools"][0]["rules"] == rules
    assert len(create(service, versus_names=["x"] * 100, versus_images=[""] * 100)["versus_names"]) == 100


@proves(TEXT, "decisions: rules 20,000, 50 tags of 1–100, 100 versus names of 200")
@ONCE
@pytest.mark.parametrize(
    "fields",
    [
        {"name_ru": "x" * 201},
        {"tags": ["x"] * 51},
        {"tags": [""]},
        {"tags": ["x" * 101]},
        {"versus_names": ["x"] * 101},
        {"versus_names": ["x" * 201]},
        {"pools": [{"name": "x" * 201}]},
        {"pools": [{"name_ru": "x" * 201}]},
        {"pools": [{"rules": "x" * 20_001}]},
    ],
    ids=str,
)
def test_longer_texts_are_refused(service: Service, fields: dict[str, Any]) -> None:
    refuse(service, **fields)


@proves("decisions: Normalised to NFC, else stored as written")
@ONCE
def test_text_is_composed_and_otherwise_left_as_it_is(service: Service) -> None:
    event = create(
        service, name=" Cafe\u0301 <b>&amp; \ufb01 ", tags=["e\u0301"], pools=[{"rules": "line\r\n\tnext 👩‍👩‍👧"}]
    )

    assert event["name"] == " Caf\u00e9 <b>&amp; \ufb01 "
    assert event["tags"] == ["\u00e9"]
    assert event["pools"][0]["rules"] == "line\r\n\tnext 👩‍👩‍👧"


@proves(
    "interface: Lets users with the Creator role create events",
    "interface: Creates an event with pools, markets and metadata in one request. Requires the Creator role. Body "
    "fields:",
    "interface: | Creator | user must have the is_creator role |",
)
@ONCE
def test_only_creators_create(service: Service) -> None:
    body = {"name": "Mine", "pools": [pool()]}
    for person in (service.user(), service.user(admin=True, stats_viewer=True, operator=True)):
        answer = person.client.post("/events/create-full", json=body)
        assert (answer.status_code, answer.json()) == (403, {"error": "forbidden"})
    expect(service.user(creator=True).client.post("/events/create-full", json=body), 201)
