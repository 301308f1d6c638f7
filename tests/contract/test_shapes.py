"""Baskets, "Shapes": numbers, dates and joint questions."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.clock import MINUTE_MS, iso
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.observed import Asset
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.shapes import DATE, FINISH_AT, JOINT, JOINT_NAMES, NUMBER, QUESTIONS, names, priced
from tests.support.waiting import wait_until

SHAPE = "pools[0].metadata.shape"


def created(service: Service, **metadata: Any) -> Any:
    """Create an event with one pool of this metadata, and return the pool."""
    body = {"name": "Event", "pools": [{"metadata": metadata}]}
    return expect(service.creator.client.post("/events/create-full", json=body), 201)["pools"][0]


def wrong_fields(service: Service, pool: dict[str, Any], **event: Any) -> dict[str, str]:
    """Return the fields that a refused creation names."""
    body = {"name": "Event", "pools": [pool]} | event
    answer = refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")
    fields: dict[str, str] = answer["details"]["fields"]
    return fields


def wrong_shape(service: Service, shape: Any) -> list[str]:
    return list(wrong_fields(service, {"metadata": {"shape": shape}}))


@proves(
    "baskets: `pools[].metadata.shape`, checked strictly at creation (400 `pools[0].metadata.shape.…`), given back as "
    "sent; left out: a plain pool.",
    "baskets: Pool gains `shape`: as sent,",
    "baskets: null for a plain pool.",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("shape", "markets"),
    [(NUMBER, 3), ({"kind": "number", "edges": [1, 10.5], "unit": None, "log": True}, 3), (DATE, 3), (JOINT, 6)],
)
def test_a_shape_is_given_back_as_sent(service: Service, shape: Any, markets: int) -> None:
    pool = created(service, shape=shape)
    assert (pool["metadata"], pool["shape"]) == ({"shape": shape}, shape)
    assert [market["yes_probability"] for market in pool["markets"]] == pytest.approx([1 / markets] * markets)
    assert expect(service.creator.client.get(f"/pools/{pool['id']}"), 200)["shape"] == shape
    for plain in ({}, {"shape": None}):
        assert created(service, **plain)["shape"] is None


@proves(
    'baskets: `{"kind": "number", "edges": [e_1 < … < e_n−1], "unit"? (text 1–20), "log"? (bool, false; all edges > '
    "0)}` | n: below e_1; from e_k to below e_k+1; from e_n−1 on. 1 … 99 edges: JSON numbers, read as Fractions are "
    "(10.50 is 10.5), at most 15 digits, 8 of them after the point",
)
@ONCE
def test_edges_of_a_number_are_checked(service: Service) -> None:
    for right in ([0], [-5, 0.00000001], [999_999_999_999_999], [1234567.12345678], list(range(99))):
        assert len(created(service, shape={"kind": "number", "edges": right})["markets"]) == len(right) + 1
    for edges, field in (
        ([], "edges"),
        (list(range(100)), "edges"),
        ("10", "edges"),
        ([10, "20"], "edges[1]"),
        ([True], "edges[0]"),
        ([10, 10.0], "edges[1]"),
        ([10, 9], "edges[1]"),
        ([1e15], "edges[0]"),
        ([0.000000001], "edges[0]"),
        ([12345678.12345678], "edges[0]"),
        (None, "edges"),
    ):
        assert wrong_shape(service, {"kind": "number", "edges": edges}) == [f"{SHAPE}.{field}"]
    for rest, field in (
        ({"unit": ""}, "unit"),
        ({"unit": "x" * 21}, "unit"),
        ({"unit": 5}, "unit"),
        ({"log": 1}, "log"),
        ({"log": True, "edges": [0, 1]}, "edges[0]"),
        ({"zone": "UTC"}, "zone"),
    ):
        assert wrong_shape(service, {"kind": "number", "edges": [1]} | rest) == [f"{SHAPE}.{field}"]
    for shape, field in (({}, ".kind"), ({"kind": "lists"}, ".kind"), ({"kind": 1}, ".kind"), ([], ""), ("number", "")):
        assert wrong_shape(service, shape) == [f"{SHAPE}{field}"]


@proves(
    'baskets: `{"kind": "date", "edges": [times], "zone"? (IANA; UTC)}` | likewise, of moments; whole minutes; 400 in '
    "an event that recurs",
)
@ONCE
def test_edges_of_a_date_are_checked(service: Service) -> None:
    for shape, field in (
        ({"edges": []}, "edges"),
        ({"edges": ["2027-01-01T00:00:00"]}, "edges[0]"),
        ({"edges": ["2027-01-01"]}, "edges[0]"),
        ({"edges": ["2027-01-01T00:00:30Z"]}, "edges[0]"),
        ({"edges": ["2027-01-01T00:00:00.000001Z"]}, "edges[0]"),
        ({"edges": ["2027-01-01T01:00:00+01:00", "2027-01-01T00:00:00Z"]}, "edges[1]"),
        ({"edges": ["9999-12-31T23:59:00-01:00"]}, "edges[0]"),
        ({"edges": DATE["edges"], "zone": "Europe/Nowhere"}, "zone"),
        ({"edges": DATE["edges"], "unit": "d"}, "unit"),
        ({}, "edges"),
    ):
        assert wrong_shape(service, {"kind": "date"} | shape) == [f"{SHAPE}.{field}"]
    pool = {"metadata": {"shape": DATE}, "finish_at": FINISH_AT}
    assert list(wrong_fields(service, pool, loop_interval_minutes=60)) == [f"{SHAPE}.kind"]


@proves(
    'baskets: `{"kind": "joint", "questions": [2 … 6 of {"name", "name_ru"?, "outcomes": [2 … 50 names], '
    '"outcomes_ru"?}]}` | their product, 4 … 100: outcome_index counts with the last question fastest. Names 1–100; '
    "those of the questions, and those of one question's outcomes, differ without regard to case; `outcomes_ru` are as "
    "many",
)
@ONCE
def test_joint_questions_are_checked(service: Service) -> None:
    assert names(created(service, shape=JOINT)) == JOINT_NAMES
    first, second = QUESTIONS
    for questions, field in (
        ([first], "questions"),
        ([first | {"name": f"Q{number}"} for number in range(7)], "questions"),
        ([first, {"outcomes": ["a", "b"]}], "questions[1].name"),
        ([first, second | {"name": "a"}], "questions[1].name"),
        ([first, second | {"name": "x" * 101}], "questions[1].name"),
        ([first, second | {"name_ru": " "}], "questions[1].name_ru"),
        ([first, {"name": "B", "outcomes": ["a"]}], "questions[1].outcomes"),
        ([first, {"name": "B", "outcomes": [str(number) for number in range(51)]}], "questions[1].outcomes"),
        ([first, {"name": "B", "outcomes": ["Да", "нет", "ДА"]}], "questions[1].outcomes[2]"),
        ([first, {"name": "B", "outcomes": ["a", ""]}], "questions[1].outcomes[1]"),
        ([first, second | {"outcomes_ru": ["Да", "Нет"]}], "questions[1].outcomes_ru"),
        ([first, second | {"outcomes_ru": ["Да", "Нет", ""]}], "questions[1].outcomes_ru[2]"),
        ([first, second | {"note": "x"}], "questions[1].note"),
        ([first | {"name": f"Q{number}", "outcomes": ["a", "b", "c"]} for number in range(5)], "questions"),
    ):
        assert wrong_shape(service, {"kind": "joint", "questions": questions}) == [f"{SHAPE}.{field}"]
    hundred = [{"name": name, "outcomes": [str(number) for number in range(10)]} for name in ("A", "B")]
    assert len(created(service, shape={"kind": "joint", "questions": hundred})["markets"]) == 100


@proves(
    "baskets: A shape fixes n: `market_names` and `market_probabilities` are n where sent, else 400; probabilities "
    "need no names then.",
)
@ONCE
def test_a_shape_fixes_how_many_markets_there_are(service: Service) -> None:
    pool = created(service, shape=NUMBER, market_probabilities=[0.2, 0.3, 0.5])
    assert [market["yes_probability"] for market in pool["markets"]] == pytest.approx([0.2, 0.3, 0.5])
    own = ["cold", "mild", "warm"]
    assert names(created(service, shape=NUMBER, market_names=own)) == own
    for name, sent in (("market_names", own[:2]), ("market_probabilities", [0.5, 0.5]), ("market_names", ["x"])):
        pool = {"metadata": {"shape": NUMBER, name: sent}}
        assert list(wrong_fields(service, pool)) == [f"pools[0].metadata.{name}"]


@proves(
    "baskets: `market_names` left out are given by the service: `Below 10 °C`, `10 – 20 °C`, `20 °C or above` "
    "(numbers as shortest decimals, grouped by commas from 10,000 on); `Before 1 January 2027`, `1 January 2027 – 1 "
    "April 2027`, `1 April 2027 or later` (in the zone; with `, 15:00` where a time of day is not midnight); of a "
    "joint pool the outcomes joined with ` · `, cut at 200.",
)
@ONCE
def test_names_that_are_left_out_are_given(service: Service) -> None:
    def given(**shape: Any) -> list[str]:
        return names(created(service, shape=shape))

    assert given(**NUMBER) == ["Below 10 °C", "10 – 20 °C", "20 °C or above"]
    assert given(kind="number", edges=[-1e-8, 10.50, 9999, 10000, 1234567.5]) == [
        "Below -0.00000001",
        "-0.00000001 – 10.5",
        "10.5 – 9999",
        "9999 – 10,000",
        "10,000 – 1,234,567.5",
        "1,234,567.5 or above",
    ]
    assert given(**DATE) == ["Before 1 January 2027", "1 January 2027 – 1 April 2027", "1 April 2027 or later"]
    assert given(kind="date", zone="Europe/Moscow", edges=["2026-12-31T21:00:00Z", "2027-01-01T12:00:00Z"]) == [
        "Before 1 January 2027",
        "1 January 2027 – 1 January 2027, 15:00",
        "1 January 2027, 15:00 or later",
    ]
    long = [{"name": name, "outcomes": ["x" * 100, "y" * 100]} for name in ("A", "B")]
    assert given(kind="joint", questions=long)[0] == ("x" * 100 + " · " + "x" * 100)[:200]


@proves("baskets: They are never read for placeholders. A client writes them in its language from the shape.")
@ONCE
def test_given_names_are_never_read_for_placeholders(service: Service) -> None:
    questions = [{"name": "A", "outcomes": ["{number}", "}{"]}, {"name": "B", "outcomes": ["Yes", "No"]}]
    pool = {"metadata": {"shape": {"kind": "joint", "questions": questions}}, "name": "Round {number}"}
    pool["finish_at"] = FINISH_AT
    body = {"name": "Event", "pools": [pool], "loop_interval_minutes": 60}
    client = service.creator.client
    event = expect(client.post("/events/create-full", json=body), 201)
    given = ["{number} · Yes", "{number} · No", "}{ · Yes", "}{ · No"]
    assert names(event["pools"][0]) == given
    edited = expect(client.patch(f"/pools/{event['pools'][0]['id']}", json={"name": "Again {number}"}), 200)
    assert names(edited) == given
    opened = expect(client.post(f"/events/{event['id']}/publish"), 200)["pools"][0]
    assert (opened["name"], names(opened)) == ("Again 1", given)
    # One that a person writes is read.
    own = [*given[:3], "Fourth in {number}"]
    refused(client.post("/events/create-full", json=body | {"pools": [shaped(pool, own)]}), 400, "bad_request")


def shaped(pool: dict[str, Any], market_names: list[str]) -> dict[str, Any]:
    return pool | {"metadata": pool["metadata"] | {"market_names": market_names}}


@proves(
    "baskets: A `price` rule (lifecycle.md) of the same pool has its intervals in `from`/`below` and a number shape "
    "beside it, if any, without `edges` and with `market_names` of its own: its edges are the rule's numbers, of the "
    "strike from publication on; else 400.",
    "baskets: with those edges filled in (null until then)",
)
def test_a_price_rules_numbers_are_the_edges(service: Service) -> None:
    asset, client = Asset(service), service.creator.client
    plain = priced(asset, [{"below": 10}, {"from": 10, "below": 20.5}, {"from": 20.5}], unit="$")
    event = expect(client.post("/events/create-full", json={"name": "Event", "pools": [plain]}), 201)
    assert event["pools"][0]["shape"] == {"kind": "number", "unit": "$", "edges": [10, 20.5]}
    low, high = {"times": 0.9}, {"times": 1.1}
    relative = priced(asset, [{"below": low}, {"from": low, "below": high}, {"from": high}])
    event = expect(client.post("/events/create-full", json={"name": "Event", "pools": [relative]}), 201)
    assert event["pools"][0]["shape"] == {"kind": "number", "edges": None}
    asset.observe(100.0)
    opened = expect(client.post(f"/events/{event['id']}/publish"), 200)["pools"][0]
    assert opened["shape"] == {"kind": "number", "edges": [90, 110]}
    assert opened["metadata"]["shape"] == {"kind": "number"}
    quantiles = expect(client.get(f"/pools/{opened['id']}/charts?as=quantiles&range=1h"), 200)["1h"][-1]["values"]
    assert quantiles == pytest.approx([90, 90, 100, 110, 110])


@ONCE
def test_each_instance_of_a_price_series_has_the_edges_of_its_own_strike(moving_service: Service) -> None:
    service = moving_service
    asset, low, high = Asset(service), {"times": 0.9}, {"times": 1.1}
    pool = priced(asset, [{"below": low}, {"from": low, "below": high}, {"from": high}])
    asset.observe(100.0)
    finish_at = iso(service.clock() + 30 * MINUTE_MS)
    first = service.event(loop_interval_minutes=60, pools=[pool | {"finish_at": finish_at}])
    assert first["pools"][0]["shape"]["edges"] == [90, 110]
    service.clock.advance(31 * MINUTE_MS)
    asset.observe(200.0)
    path = f"/series/{first['series']['id']}"
    wait_until(lambda: expect(service.client().get(path), 200)["current_event_id"] != first["id"])
    newest = expect(service.client().get(path), 200)["current_event_id"]
    shape = expect(service.client().get(f"/events/{newest}"), 200)["pools"][0]["shape"]
    assert shape == {"kind": "number", "edges": [180, 220]}


@ONCE
def test_a_shape_that_does_not_fit_its_price_rule_is_refused(service: Service) -> None:
    asset = Asset(service)
    ascending = [{"below": 10}, {"from": 10, "below": 20}, {"from": 20}]

    def wrong(pool: dict[str, Any], **metadata: Any) -> list[str]:
        kept = {name: value for name, value in (pool["metadata"] | metadata).items() if value is not None}
        return list(wrong_fields(service, pool | {"metadata": kept}))

    fitting = priced(asset, ascending)
    assert wrong(fitting, shape={"kind": "number", "edges": [10, 20]}) == [f"{SHAPE}.edges"]
    assert wrong(fitting, market_names=None) == ["pools[0].metadata.market_names"]
    assert wrong(fitting, shape={"kind": "date", "edges": [*DATE["edges"]]}) == [f"{SHAPE}.kind"]
    assert wrong(priced(asset, [{"below": 0}, {"from": 0}], log=True)) == [f"{SHAPE}.log"]
    assert wrong(fitting, resolution=None) == [f"{SHAPE}.edges"]
    outcomes = "pools[0].metadata.resolution.outcomes"
    assert wrong(priced(asset, ascending[::-1])) == [f"{outcomes}[0]"]
    assert wrong(priced(asset, [{"to": 10}, {"above": 10}])) == [f"{outcomes}[0]"]
    assert wrong(priced(asset, [{"below": 10}])) == [outcomes]
