"""Rules of resolution at the creation of an event, as its creator sends them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from foreknow.market.pools.store import load_pools
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

FINISH = "2031-01-01T12:00:00Z"
PAGE = "https://polymarket.com/event/fed-decision"
TWO = [{"below": 68_000}, {"from": 68_000}]
THREE = [{"to": 1.25}, {"above": 1.25, "below": 2.5}, {"from": 2.5}]
STRICT = "decisions: (`metadata` apart: it is given back as sent; its `resolution` and `odds` are strict, see"
GIVEN_BACK = "lifecycle: given back as sent;"
PRICE = (
    'lifecycle: `{"kind": "price", "symbol", "outcomes": [interval, …], "source"?,',
    'lifecycle: 1 … 86,400), "decimals"?',
    "lifecycle: 0 … 8)}`.",
)
EXTERNAL = ('lifecycle: `{"kind": "external",', "lifecycle: 1 … 43,200)}`,")
DISPUTE = "lifecycle: Each kind takes `dispute_minutes` (0 … 43,200;"
BOUNDS = "lifecycle: An interval has at most one of `above` (>), `from` (≥) and at most one of `below` (<), `to` (≤)."
NUMBERS = (
    'lifecycle: Numbers are all plain (at most `decimals`), or all `{"times": x}`, or all `{"plus": x}` of the strike,'
)


def price(outcomes: Any = TWO, **rest: Any) -> dict[str, Any]:
    return {"kind": "price", "symbol": "BTC", "outcomes": outcomes} | rest


def create(service: Service, rule: Any, *, markets: int = 2, finish_at: str | None = FINISH, url: str = PAGE) -> Any:
    """Send an event whose only pool has a rule; return the response."""
    metadata: dict[str, Any] = {"resolution": rule}
    if markets > 1:
        metadata["market_names"] = [f"Outcome {number}" for number in range(markets)]
    pool = {"name": "Pool", "metadata": metadata, "finish_at": finish_at}
    body = {"name": "Event", "external_event_url": url, "pools": [pool]}
    return service.creator.client.post("/events/create-full", json=body)


@proves(GIVEN_BACK, *PRICE, *EXTERNAL, DISPUTE, BOUNDS, NUMBERS)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("rule", "markets"),
    [
        ({"kind": "manual"}, 2),
        ({"kind": "manual", "dispute_minutes": 0}, 2),
        ({"kind": "manual", "dispute_minutes": 43_200}, 1),
        (price(), 2),
        (price(source="binance", within_seconds=1, decimals=0, dispute_minutes=0), 2),
        (price(source="admin", within_seconds=86_400, decimals=8, dispute_minutes=43_200), 2),
        (price(THREE), 3),
        (price([{"above": 1.5, "to": 2.5}]), 1),
        (price([{"below": {"times": 1.01}}, {"from": {"times": 1.01}}]), 2),
        (price([{"to": {"plus": -0.5}}, {"above": {"plus": -0.5}}]), 2),
        ({"kind": "external"}, 2),
        ({"kind": "external", "wait_minutes": 1, "dispute_minutes": 0}, 2),
        ({"kind": "external", "wait_minutes": 43_200, "dispute_minutes": 43_200}, 1),
    ],
)
def test_a_rule_is_given_back_as_sent(service: Service, rule: dict[str, Any], markets: int) -> None:
    made = expect(create(service, rule, markets=markets), 201)
    assert made["pools"][0]["metadata"]["resolution"] == rule
    again = expect(service.creator.client.get(f"/events/{made['id']}"), 200)
    assert again["pools"][0]["metadata"]["resolution"] == rule


@proves(
    STRICT,
    "lifecycle: `pools[].metadata.resolution`, checked strictly at creation (400 `pools[0].metadata.resolution.…`),",
    *PRICE,
    *EXTERNAL,
    DISPUTE,
    BOUNDS,
    NUMBERS,
    "lifecycle: together they hold every number exactly once, else 400;",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("rule", "field"),
    [
        ("manual", ""),
        ({}, ".kind"),
        ({"kind": "dice"}, ".kind"),
        ({"kind": "manual", "symbol": "BTC"}, ".symbol"),
        ({"kind": "manual", "dispute_minutes": -1}, ".dispute_minutes"),
        ({"kind": "manual", "dispute_minutes": 43_201}, ".dispute_minutes"),
        ({"kind": "manual", "dispute_minutes": 5.0}, ".dispute_minutes"),
        (price(dispute_minutes=43_201), ".dispute_minutes"),
        ({"kind": "external", "dispute_minutes": 43_201}, ".dispute_minutes"),
        ({"kind": "external", "wait_minutes": 0}, ".wait_minutes"),
        ({"kind": "external", "wait_minutes": 43_201}, ".wait_minutes"),
        ({"kind": "external", "wait_minutes": "60"}, ".wait_minutes"),
        ({"kind": "price", "outcomes": TWO}, ".symbol"),
        ({"kind": "price", "symbol": "BTC"}, ".outcomes"),
        (price(symbol="B C"), ".symbol"),
        (price(source=""), ".source"),
        (price(within_seconds=0), ".within_seconds"),
        (price(within_seconds=86_401), ".within_seconds"),
        (price(within_seconds=True), ".within_seconds"),
        (price(decimals=-1), ".decimals"),
        (price(decimals=9), ".decimals"),
        (price(after_seconds=5), ".after_seconds"),
        (price(TWO[:1]), ".outcomes"),
        (price([{"below": 68_000.001}, {"from": 68_000.001}]), ".outcomes[0].below"),
        (price([{"below": 1, "to": 1}, {"above": 1}]), ".outcomes[0].to"),
        (price([{"to": 1}, {"above": 1, "from": 1}]), ".outcomes[1].from"),
        (price([{"below": 1}, {"from": {"times": 1}}]), ".outcomes[1].from.times"),
        (price([{"below": {"times": 1}}, {"from": {"plus": 1}}]), ".outcomes[1].from.plus"),
        (price([{"below": {"times": 1}}, {"from": 1}]), ".outcomes[1].from"),
        (price([{"below": 5}, {"above": 5}]), ".outcomes[1]"),
        (price([{"to": 5}, {"from": 5}]), ".outcomes[1]"),
        (price([{"below": 5}, {"from": 6}]), ".outcomes[1]"),
    ],
)
def test_another_rule_is_an_error_that_names_its_field(service: Service, rule: Any, field: str) -> None:
    body = refused(create(service, rule), 400, "bad_request")
    assert list(body["details"]["fields"]) == [f"pools[0].metadata.resolution{field}"]


@proves("lifecycle: the others need `finish_at`.", "lifecycle: with a known source in `external_event_url`.")
def test_rules_need_an_end_and_external_ones_a_known_source(service: Service) -> None:
    expect(create(service, {"kind": "manual"}, finish_at=None, url=""), 201)
    for rule in (price(), {"kind": "external"}):
        body = refused(create(service, rule, finish_at=None), 400, "bad_request")
        assert list(body["details"]["fields"]) == ["pools[0].finish_at"]
    for url in ("", "https://example.org/event/fed-decision", "https://polymarket.com/markets/fed-decision"):
        body = refused(create(service, {"kind": "external"}, url=url), 400, "bad_request")
        assert list(body["details"]["fields"]) == ["external_event_url"]
        expect(create(service, price(), url=url), 201)


@proves('lifecycle: left out: `{"kind": "manual"}`.')
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("metadata", [{}, {"resolution": None}, {"resolution": {"kind": "manual"}}])
def test_a_pool_without_a_rule_is_resolved_by_its_creator(service: Service, metadata: dict[str, Any]) -> None:
    event = service.event(pools=[{"name": "Pool", "metadata": metadata}])
    assert event["pools"][0]["metadata"] == metadata
    path = f"/pools/{event['pools'][0]['id']}/resolve"
    assert expect(service.creator.client.post(path, json={"won_side": 1}), 200)["won_side"] == 1


@proves("lifecycle: default `FOREKNOW_DISPUTE_MINUTES`, 0);")
@ONCE
@pytest.mark.parametrize(("settings", "minutes"), [({}, 0), ({"dispute_minutes": 7}, 7)])
def test_a_rule_that_names_no_dispute_window_has_that_of_the_setting(
    start_service: Callable[..., Service], settings: dict[str, int], minutes: int
) -> None:
    service = start_service(**settings)

    def window(rule: dict[str, Any]) -> int:
        pool_id = expect(create(service, rule), 201)["pools"][0]["id"]
        return int(service.look(lambda tx: load_pools(tx, [pool_id])[pool_id].dispute_minutes))

    rules: list[dict[str, Any]] = [{"kind": "manual"}, price(), {"kind": "external"}]
    assert [window(rule) for rule in rules] == [minutes] * 3
    # A shorter one counts as the setting's.
    assert [window(rule | {"dispute_minutes": 5}) for rule in rules] == [max(5, minutes)] * 3
