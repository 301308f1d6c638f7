"""Publication of events with price rules and placeholders: strikes are taken, and texts filled in."""

from __future__ import annotations

from typing import Any

import pytest

from foreknow.kernel.clock import iso
from foreknow.market.pools.store import load_pools
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.observed import Asset
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused

HOUR_MS = 3_600_000
RELATIVE = [{"below": {"times": 1}}, {"from": {"times": 1}}]
PLAIN = [{"below": 68_000}, {"from": 68_000}]


def price_pool(service: Service, rule: dict[str, Any], names: list[str] | None = None, **fields: Any) -> dict[str, Any]:
    metadata: dict[str, Any] = {"resolution": rule}
    if len(rule["outcomes"]) > 1:
        metadata["market_names"] = names or ["Below", "At or above"]
    return {"name": "Price", "finish_at": iso(service.clock() + HOUR_MS), "metadata": metadata} | fields


def publish(service: Service, event: dict[str, Any]) -> Any:
    return service.creator.client.post(f"/events/{event['id']}/publish")


def strike(service: Service, event: dict[str, Any], number: int = 0) -> Any:
    pool_id = event["pools"][number]["id"]
    return service.look(lambda tx: load_pools(tx, [pool_id])[pool_id].strike)


@proves(
    "lifecycle: `68,123.40`, in `name_ru` `68 123,40` (U+00A0).",
    "lifecycle: Shown as written while `new`, filled at publication,",
)
def test_texts_are_shown_as_written_while_new_and_filled_in_at_publication(service: Service) -> None:
    asset = Asset(service)
    asset.observe(68_123.4)
    rule = asset.rule(RELATIVE)
    written = price_pool(
        service, rule, ["Below {high}", "{low} or above"], name="#{number} {{x}}", rules="Over {price}?"
    )
    event = service.event(
        publish=False, name="Price {price}?", name_ru="Цена {price}?", versus_names=["{price}"], pools=[written]
    )
    assert (event["name"], event["name_ru"], event["versus_names"]) == ("Price {price}?", "Цена {price}?", ["{price}"])
    assert event["pools"][0]["name"] == "#{number} {{x}}"
    assert [market["name"] for market in event["pools"][0]["markets"]] == ["Below {high}", "{low} or above"]
    shown = expect(service.admin.post(f"/events/{event['id']}/publish"), 200)
    assert (shown["name"], shown["name_ru"]) == ("Price 68,123.40?", "Цена 68\u00a0123,40?")
    assert shown["versus_names"] == ["68,123.40"]
    (pool,) = shown["pools"]
    assert (pool["name"], pool["rules"]) == ("#1 {x}", "Over 68,123.40?")
    assert [market["name"] for market in pool["markets"]] == ["Below 68,123.40", "68,123.40 or above"]
    assert pool["metadata"] == written["metadata"]
    assert expect(service.client().get(f"/events/{event['id']}"), 200) == shown
    notice = expect(service.creator.client.get("/notifications"), 200)["notifications"][0]
    assert (notice["type"], "Price 68,123.40?" in notice["text"]) == ("event_published", True)


def test_an_event_is_found_by_its_filled_name_and_no_longer_by_what_was_written(service: Service) -> None:
    asset = Asset(service)
    asset.observe(68_123.4)
    event = service.event(
        name=f"{asset.symbol} Qx{{price}}", name_ru="Ру {price}", pools=[price_pool(service, asset.rule(PLAIN))]
    )

    def found(part: str) -> list[int]:
        return [row["id"] for row in expect(service.client().get("/events", params={"q": part}), 200)["events"]]

    assert found(f"{asset.symbol} qx68,123.40") == [event["id"]]
    assert found("Qx{pri") == []
    assert event["id"] in found("68\u00a0123,4")
    assert event["id"] in found("123.40")


@ONCE
def test_braces_of_other_events_stay_as_they_are(service: Service) -> None:
    event = service.event(name="{price} {{x}}", pools=[{"name": "}", "rules": "{"}])
    assert (event["name"], event["pools"][0]["name"], event["pools"][0]["rules"]) == ("{price} {{x}}", "}", "{")


@proves("lifecycle: the newest counting observation")
def test_the_strike_is_the_newest_observation_that_counts(service: Service) -> None:
    asset, now_ms = Asset(service), service.clock()
    asset.observe(1.0, at_ms=now_ms - 90_000)
    newest = asset.observe(2.0, at_ms=now_ms - 30_000)
    # Recorded later, but observed earlier; and one that did not become the asset's price.
    asset.observe(3.0, at_ms=now_ms - 60_000)
    asset.observe(4.0, at_ms=now_ms - 10_000, counts=False)
    event = service.event(pools=[price_pool(service, asset.rule(RELATIVE))])
    assert strike(service, event) == newest


@proves("lifecycle: (of `source` where named) at publication,")
def test_the_strike_is_of_the_source_that_is_named(service: Service) -> None:
    asset, now_ms = Asset(service), service.clock()
    wanted = asset.observe(1.0, at_ms=now_ms - 60_000, source="admin")
    asset.observe(2.0, at_ms=now_ms - 30_000, source="other")
    event = service.event(pools=[price_pool(service, asset.rule(RELATIVE, source="admin"))])
    assert strike(service, event) == wanted


@proves(
    "lifecycle: **Strike** (where relative numbers or `{price}` ask for it):",
    "lifecycle: at publication, at most 120 s old, else publishing is 409 `price_unavailable`.",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(
    ("rule", "texts"),
    [
        ({"outcomes": RELATIVE}, {}),
        ({"outcomes": PLAIN}, {"name": "Over {price}"}),
        ({"outcomes": PLAIN}, {"name_ru": "Over {price}"}),
        ({"outcomes": PLAIN}, {"rules": "Over {price}"}),
        ({"outcomes": PLAIN}, {"names": ["{price}", "b"]}),
        ({"outcomes": [{"above": {"plus": 5}}]}, {}),
    ],
)
def test_publishing_needs_a_price_of_the_last_two_minutes_where_it_is_referred_to(
    moving_service: Service, rule: dict[str, Any], texts: dict[str, Any]
) -> None:
    service = moving_service
    asset = Asset(service)
    event = service.event(publish=False, pools=[price_pool(service, asset.rule(**rule), **texts)])
    refused(publish(service, event), 409, "price_unavailable")
    asset.observe(5.0)
    service.clock.advance(121_000)
    refused(publish(service, event), 409, "price_unavailable")
    assert expect(service.creator.client.get(f"/events/{event['id']}"), 200) == event
    found = asset.observe(6.0, at_ms=service.clock() - 110_000)
    expect(publish(service, event), 200)
    assert strike(service, event) == found


def test_the_events_own_price_is_the_main_pools(service: Service) -> None:
    first, second = Asset(service), Asset(service)
    second.observe(7.5)
    pools = [price_pool(service, first.rule(PLAIN)), price_pool(service, second.rule(PLAIN, decimals=1))]
    event = service.event(name="At {price}", pools=pools, main_pool_index=1)
    # Nothing refers to the first asset's price, which is unknown.
    assert (event["name"], strike(service, event, 0)) == ("At 7.5", None)
    refused(
        publish(service, service.event(publish=False, name="At {price}", pools=pools, main_pool_index=0)),
        409,
        "price_unavailable",
    )


@proves("lifecycle: **Strike** (where relative numbers or `{price}` ask for it):")
def test_nothing_needs_a_price_that_nothing_refers_to(service: Service) -> None:
    event = service.event(
        name="{number}", pools=[price_pool(service, Asset(service).rule(PLAIN), name="{finish_at:day}")]
    )
    assert (event["status"], event["name"], strike(service, event)) == ("active", "1", None)


@proves(
    "lifecycle: **Placeholders** are read in events that recur or have a price rule (elsewhere braces are text), in "
    "all names and `rules`.",
    "lifecycle: `{number}` (index + 1),",
)
def test_placeholders_are_read_in_events_that_recur_or_have_a_price_rule(service: Service) -> None:
    def shown(*others: dict[str, Any], **fields: Any) -> list[str]:
        text = "{number} {{x}}"
        by_hand = {"name": text, "name_ru": text, "rules": text, "metadata": {"market_names": [text, "b"]}}
        event = service.event(name=text, name_ru=text, versus_names=[text], pools=[by_hand, *others], **fields)
        pool = event["pools"][0]
        names = [event["name"], event["name_ru"], *event["versus_names"], pool["name"], pool["name_ru"], pool["rules"]]
        return [*names, pool["markets"][0]["name"]]

    assert shown(loop_interval_minutes=60) == ["1 {x}"] * 7
    assert shown(price_pool(service, Asset(service).rule(PLAIN))) == ["1 {x}"] * 7
    assert shown() == ["{number} {{x}}"] * 7


@proves("lifecycle: Anything else in braces, or a price without a rule: 400.")
@ONCE
@pytest.mark.parametrize(
    "text", ["{x}", "{", "}", "{ number }", "{opened_at:Date}", "{opened_at:time:Mars}", "{price}"]
)
def test_what_is_no_placeholder_is_refused_when_the_event_is_created(service: Service, text: str) -> None:
    def refused_field(*pools: dict[str, Any], **fields: Any) -> str:
        body = {"name": "Event", "loop_interval_minutes": 60, "pools": list(pools) or [{}]} | fields
        answer = refused(service.creator.client.post("/events/create-full", json=body), 400, "bad_request")
        (field,) = answer["details"]["fields"]
        return str(field)

    assert refused_field(name=text) == "name"
    assert refused_field({}, {"rules": text}) == "pools[1].rules"
    assert refused_field({"metadata": {"market_names": ["a", text]}}) == "pools[0].metadata.market_names[1]"


@proves("lifecycle: cut at the text's bound.")
@ONCE
def test_a_text_that_grows_beyond_its_bound_is_cut(service: Service) -> None:
    name = "x" * 189 + "{opened_at}"
    event = service.event(name=name, publish=False, loop_interval_minutes=60)
    assert event["name"] == name
    published = expect(publish(service, event), 200)
    assert (len(published["name"]), published["name"][:189]) == (200, "x" * 189)
