"""Baskets, "Shapes": results that name a value, quantiles of prices, and the templates."""

from __future__ import annotations

import secrets
from typing import Any

import pytest

from foreknow.kernel.clock import MINUTE_MS, iso
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.observed import Asset
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.shapes import DATE, FINISH_AT, JOINT, JOINT_NAMES, NUMBER, names, priced
from tests.support.waiting import wait_until

DAY_S = 86_400
#: 2027-01-01T00:00:00Z
NEW_YEAR_S = 1_798_761_600
TEMPLATE = "/events/from-template"


def published(service: Service, **metadata: Any) -> Any:
    return service.event(pools=[{"metadata": metadata}])["pools"][0]


def resolve(service: Service, pool: Any, **body: Any) -> Any:
    return service.creator.client.post(f"/pools/{pool['id']}/resolve", json=body)


@proves(
    'baskets: POST /pools/{id}/resolve takes, of a number or date, `{"value": "23.45"}` (a string, '
    '`-?digits[.digits]`, up to 18 digits each) or `{"value": time}`: the outcome that holds it wins (on an edge, the '
    'one above); of a joint pool `{"values": [an outcome\'s name a question, in their order]}`; of another shape 400.',
    "baskets: `Pool.resolution` gains `value`, `values` (strings, times in UTC; null where they do not apply);",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("shape", "body", "won", "shown"),
    [
        (NUMBER, {"value": "20"}, 2, "20"),
        (NUMBER, {"value": "19.999999999999999999"}, 1, "19.999999999999999999"),
        (NUMBER, {"value": "-000123456789012345.5"}, 0, "-000123456789012345.5"),
        (NUMBER, {"value": "10.0"}, 1, "10.0"),
        (DATE, {"value": "2027-01-01T01:00:00+01:00"}, 1, "2027-01-01T00:00:00.000Z"),
        (DATE, {"value": "2026-12-31T23:59:59.999Z"}, 0, "2026-12-31T23:59:59.999Z"),
        (JOINT, {"values": ["No", "Maybe"]}, 5, None),
    ],
)
def test_the_outcome_that_holds_the_value_wins(
    service: Service, shape: Any, body: dict[str, Any], won: int, shown: str | None
) -> None:
    pool = published(service, shape=shape)
    assert (pool["resolution"]["value"], pool["resolution"]["values"]) == (None, None)
    after = expect(resolve(service, pool, **body), 200)
    assert (after["won_side"], after["resolution"]["won_side"]) == (won, won)
    assert (after["resolution"]["value"], after["resolution"]["values"]) == (shown, body.get("values"))


@ONCE
@pytest.mark.parametrize(
    ("shape", "body", "field"),
    [
        (NUMBER, {"value": "1e1"}, "value"),
        (NUMBER, {"value": "+1"}, "value"),
        (NUMBER, {"value": ".5"}, "value"),
        (NUMBER, {"value": "1."}, "value"),
        (NUMBER, {"value": "1" * 19}, "value"),
        (NUMBER, {"value": "0." + "1" * 19}, "value"),
        (NUMBER, {"value": "٣"}, "value"),
        (NUMBER, {"value": 5}, "value"),
        (NUMBER, {"values": ["Yes", "No"]}, "values"),
        (DATE, {"value": "5"}, "value"),
        (DATE, {"value": "2027-01-01T00:00:00"}, "value"),
        (DATE, {"value": "9999-12-31T23:59:00-01:00"}, "value"),
        (JOINT, {"value": "5"}, "value"),
        (JOINT, {"values": ["Yes"]}, "values"),
        (JOINT, {"values": ["Yes", "yes"]}, "values[1]"),
        (JOINT, {"values": ["Maybe", "Yes"]}, "values[0]"),
        (None, {"value": "5"}, "value"),
        (None, {"values": ["Yes", "No"]}, "values"),
    ],
)
def test_a_value_that_the_shape_does_not_take_is_refused(service: Service, shape: Any, body: Any, field: str) -> None:
    answer = refused(resolve(service, published(service, shape=shape), **body), 400, "bad_request")
    assert list(answer["details"]["fields"]) == [field]


@ONCE
def test_one_form_of_a_result_is_enough(service: Service) -> None:
    pool = published(service, shape=NUMBER)
    for body in ({}, {"value": "5", "won_side": 0}, {"value": "5", "values": ["a"]}, {"value": "5", "void": True}):
        refused(resolve(service, pool, **body), 400, "bad_request")
    refused(resolve(service, pool, value="5", at=FINISH_AT), 400, "bad_request")
    new = service.event(pools=[{"metadata": {"shape": NUMBER}}], publish=False)["pools"][0]
    refused(resolve(service, new, value="5"), 409, "invalid_state")


@proves(
    "baskets: The same outcome again, by value, values or `won_side`: 200, and nothing changes; another: as ever. What "
    "never came is resolved by `won_side`."
)
def test_the_same_outcome_again_changes_nothing(service: Service) -> None:
    number, joint = published(service, shape=NUMBER), published(service, shape=JOINT)
    first = expect(resolve(service, number, value="12.5"), 200)
    for same in ({"value": "19"}, {"value": "12.5"}, {"won_side": 1}):
        assert expect(resolve(service, number, **same), 200)["resolution"] == first["resolution"]
    for other in ({"value": "20"}, {"won_side": 0}, {"payouts": [0, 1, 0]}, {"void": True}):
        refused(resolve(service, number, **other), 409, "already_resolved")
    never = expect(resolve(service, joint, won_side=3), 200)["resolution"]
    assert (never["won_side"], never["value"], never["values"]) == (3, None, None)
    assert expect(resolve(service, joint, values=["No", "Yes"]), 200)["resolution"] == never


@proves("baskets: a rule's `value` is its evidence's price.")
def test_the_value_of_a_rules_result_is_the_price(moving_service: Service) -> None:
    service = moving_service
    asset = Asset(service)
    event = service.event(pools=[priced(asset, [{"below": 10}, {"from": 10}])])
    pool_id = event["pools"][0]["id"]
    end = service.clock() + MINUTE_MS
    expect(service.admin.patch(f"/pools/{pool_id}", json={"finish_at": iso(end)}), 200)
    service.clock.advance(2 * MINUTE_MS)
    asset.observe(12.5, at_ms=end + 1)

    def resolution() -> Any:
        return expect(service.client().get(f"/pools/{pool_id}"), 200)["resolution"]

    wait_until(lambda: resolution()["won_side"] == 1)
    assert (resolution()["evidence"]["price"], resolution()["value"]) == (12.5, "12.5")


@proves(
    "baskets: GET /pools/{id}/charts `?as=quantiles` (number and date, else 400; with `range` too): each point's "
    "`values` are the 10th, 25th, 50th, 75th and 90th percentile: in the first interval whose cumulative probability "
    "reaches it, linear there (of a `log` shape: of its logarithm), in an open end interval its edge; dates as Unix "
    "seconds; to 1e-9 of the interval. A card's `pool` and the event page's pools gain `quantiles`, the five now, else "
    "null.",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("shape", "probabilities", "expected"),
    [
        ({"kind": "number", "edges": [0, 10, 20, 40]}, [0.2, 0.2, 0.4, 0.1, 0.1], [0, 2.5, 12.5, 18.75, 40]),
        (
            {"kind": "number", "edges": [1, 100], "log": True},
            [0.05, 0.9, 0.05],
            [100 ** ((level - 0.05) / 0.9) for level in (0.1, 0.25, 0.5, 0.75, 0.9)],
        ),
        (DATE, [0.2, 0.6, 0.2], [NEW_YEAR_S + days * DAY_S for days in (0, 7.5, 45, 82.5, 90)]),
    ],
)
def test_quantiles_of_a_chart_a_card_and_a_page(
    service: Service, shape: Any, probabilities: list[float], expected: list[float]
) -> None:
    tag = f"quantiles {secrets.token_hex(4)}"
    event = service.event(tags=[tag], pools=[{"metadata": {"shape": shape, "market_probabilities": probabilities}}])
    pool_id, client = event["pools"][0]["id"], service.client()
    charts = expect(client.get(f"/pools/{pool_id}/charts?as=quantiles"), 200)
    assert set(charts) == {"1h", "1d", "1w", "1m"}
    now = charts["1h"][-1]["values"]
    assert now == pytest.approx(expected, rel=0, abs=1e-9 * (expected[4] - expected[0]))
    assert expect(client.get(f"/pools/{pool_id}/charts?as=quantiles&range=all"), 200)["all"][-1]["values"] == now
    card = expect(client.get("/cards", params={"tag": tag}), 200)["cards"][0]
    assert card["pool"]["quantiles"] == now
    assert expect(client.get(f"/events/{event['id']}/page"), 200)["pools"][0]["quantiles"] == now


@ONCE
def test_a_pool_without_an_axis_has_no_quantiles(service: Service) -> None:
    for metadata in ({}, {"shape": JOINT}):
        tag = f"no axis {secrets.token_hex(4)}"
        event = service.event(tags=[tag], pools=[{"metadata": metadata}])
        path = f"/pools/{event['pools'][0]['id']}/charts"
        refused(service.client().get(f"{path}?as=quantiles"), 400, "bad_request")
        refused(service.client().get(f"{path}?as=deciles"), 400, "bad_request")
        card = expect(service.client().get("/cards", params={"tag": tag}), 200)["cards"][0]
        assert card["pool"]["quantiles"] is None
        assert expect(service.client().get(f"/events/{event['id']}/page"), 200)["pools"][0]["quantiles"] is None
    refused(service.client().get("/pools/999999999/charts?as=quantiles"), 404, "pool_not_found")


def made(service: Service, **body: Any) -> Any:
    event = expect(service.creator.client.post(TEMPLATE, json=body), 201)
    assert (event["name"], event["pools"][0]["name"]) == (body["question"], body["question"])
    return event["pools"][0]


@proves("baskets: Templates: `number {question, edges, unit?, log?, probabilities?}`")
@ONCE
def test_the_template_of_a_number(service: Service) -> None:
    pool = made(service, template="number", question="How warm?", edges=[10, 20], unit="°C", log=True)
    assert pool["shape"] == {"kind": "number", "edges": [10, 20], "unit": "°C", "log": True}
    plain = made(service, template="number", question="How many?", edges=[1.5], probabilities=[0.3, 0.7])
    assert (plain["shape"], names(plain)) == ({"kind": "number", "edges": [1.5]}, ["Below 1.5", "1.5 or above"])
    assert [market["yes_probability"] for market in plain["markets"]] == pytest.approx([0.3, 0.7])


@proves(
    "baskets: `date {question, first, last, step: day|week|month|quarter|year, zone?, probabilities?}` (`first`, "
    "`last`: dates `2027-01-01` in the zone, each the start of a step, else 400; edges: the starts of all steps "
    "between, both included, as UTC times; weeks from Monday; a day without midnight starts at its first moment)",
)
@ONCE
@pytest.mark.parametrize(
    ("step", "days", "zone", "edges"),
    [
        ("quarter", ("2027-01-01", "2027-07-01"), None, ["2027-01-01T00:00", "2027-04-01T00:00", "2027-07-01T00:00"]),
        ("month", ("2026-12-01", "2027-01-01"), "Europe/Moscow", ["2026-11-30T21:00", "2026-12-31T21:00"]),
        ("week", ("2027-03-22", "2027-03-29"), "Europe/Berlin", ["2027-03-21T23:00", "2027-03-28T22:00"]),
        ("year", ("2027-01-01", "2027-01-01"), "UTC", ["2027-01-01T00:00"]),
        # In Beirut the clocks go from midnight to one.
        ("day", ("2027-03-27", "2027-03-28"), "Asia/Beirut", ["2027-03-26T22:00", "2027-03-27T22:00"]),
    ],
)
def test_the_template_of_a_date(
    service: Service, step: str, days: tuple[str, str], zone: str | None, edges: list[str]
) -> None:
    fields = {"step": step, "first": days[0], "last": days[1]} | ({} if zone is None else {"zone": zone})
    shape = made(service, template="date", question="When?", **fields)["shape"]
    assert shape == {"kind": "date", "edges": [f"{edge}:00.000Z" for edge in edges], "zone": zone or "UTC"}


@proves("baskets: `joint {question, questions, probabilities?}`.")
@ONCE
def test_the_template_of_joint_questions(service: Service) -> None:
    pool = made(service, template="joint", question="A and B?", questions=JOINT["questions"])
    assert (pool["shape"], names(pool)) == (JOINT, JOINT_NAMES)


@proves("baskets: The template `price` makes such a shape.")
@ONCE
def test_the_template_of_a_price_makes_a_number(service: Service) -> None:
    body = {"template": "price", "symbol": "BTC", "thresholds": [60_000, 70_000], "finish_at": FINISH_AT}
    pool = expect(service.creator.client.post(TEMPLATE, json=body), 201)["pools"][0]
    assert pool["metadata"]["shape"] == {"kind": "number"}
    assert pool["shape"] == {"kind": "number", "edges": [60_000, 70_000]}


@ONCE
@pytest.mark.parametrize(
    ("body", "field"),
    [
        ({"template": "number", "edges": [10, 10]}, "edges[1]"),
        ({"template": "number", "edges": []}, "edges"),
        ({"template": "number", "edges": [1], "unit": ""}, "unit"),
        ({"template": "number", "edges": [1], "probabilities": [1]}, "probabilities"),
        ({"template": "number", "edges": [1], "probabilities": [1, 0]}, "probabilities[1]"),
        ({"template": "date", "step": "month", "first": "2027-01-02", "last": "2027-02-01"}, "first"),
        ({"template": "date", "step": "week", "first": "2027-01-04", "last": "2027-01-12"}, "last"),
        ({"template": "date", "step": "quarter", "first": "2027-02-01", "last": "2027-04-01"}, "first"),
        ({"template": "date", "step": "year", "first": "2027-01-01", "last": "2028-02-01"}, "last"),
        ({"template": "date", "step": "year", "first": "2028-01-01", "last": "2027-01-01"}, "last"),
        ({"template": "date", "step": "day", "first": "2027-01-01", "last": "2027-04-10"}, "last"),
        ({"template": "date", "step": "day", "first": "2027-02-30", "last": "2027-04-10"}, "first"),
        ({"template": "date", "step": "day", "first": "20270101", "last": "2027-01-02"}, "first"),
        ({"template": "date", "step": "hour", "first": "2027-01-01", "last": "2027-01-02"}, "step"),
        ({"template": "date", "step": "day", "first": "2027-01-01", "last": "2027-01-02", "zone": "X"}, "zone"),
        (
            {"template": "date", "step": "day", "first": "0001-01-01", "last": "0001-01-01", "zone": "Asia/Tokyo"},
            "first",
        ),
        (
            {
                "template": "date",
                "step": "day",
                "first": "2027-01-01",
                "last": "2027-01-02",
                "loop_interval_minutes": 60,
                "finish_at": FINISH_AT,
            },
            "loop_interval_minutes",
        ),
        ({"template": "joint", "questions": [{"name": "A", "outcomes": ["a", "b"]}]}, "questions"),
        ({"template": "joint", "questions": [{"name": "A"}, {"name": "B"}]}, "questions[0].outcomes"),
    ],
)
def test_a_template_names_its_own_wrong_field(service: Service, body: dict[str, Any], field: str) -> None:
    answer = service.creator.client.post(TEMPLATE, json={"question": "What?"} | body)
    assert list(refused(answer, 400, "bad_request")["details"]["fields"]) == [field]
