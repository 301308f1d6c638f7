"""The sites that the settings name resolve and pay pools by themselves, as their clients see it."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from foreknow.kernel.clock import iso
from tests.support.kinds import ONCE
from tests.support.odds import (
    encoded,
    kalshi,
    kalshi_market,
    manifold_answers,
    manifold_binary,
    polymarket,
    polymarket_group,
    polymarket_resolved,
)
from tests.support.proofs import proves
from tests.support.providers import Provider, Reply, provider
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until

SECOND, MINUTE = 1_000, 60_000
#: An event's page at each source, and where its API has it.
PAGES = {
    "polymarket": ("https://polymarket.com/event/{id}", "/events/slug/{id}"),
    "manifold": ("https://manifold.markets/someone/{id}", "/v0/slug/{id}"),
    "kalshi": ("https://kalshi.com/markets/kxwin/who-wins/{id}", "/events/{ID}?with_nested_markets=true"),
}
#: What each source says while Reds and Blues play, and when Blues have won.
PLAYED = {
    "polymarket": polymarket_group(Reds="0.5", Blues="0.5"),
    "manifold": manifold_answers({"Reds": 0.5, "Blues": 0.5}),
    "kalshi": kalshi(kalshi_market("Reds"), kalshi_market("Blues")),
}
WON = {
    "polymarket": polymarket(
        polymarket_resolved(["0", "1"], title="Reds"), polymarket_resolved(["1", "0"], title="Blues")
    ),
    "manifold": manifold_answers({"Reds": 0, "Blues": 1}, isResolved=True, resolution="id-1"),
    "kalshi": kalshi(
        kalshi_market("Reds", status="finalized", result="no"), kalshi_market("Blues", status="finalized", result="yes")
    ),
}
#: Ends that no outcome wins.
ENDS = {
    "MKT": ("manifold", manifold_binary(0.4, isResolved=True, resolution="MKT")),
    "CANCEL": ("manifold", manifold_binary(0.4, isResolved=True, resolution="CANCEL")),
    "scalar": ("kalshi", kalshi(kalshi_market("Rain", status="finalized", result="scalar"))),
    "halves": ("polymarket", polymarket(polymarket_resolved(["0.5", "0.5"]))),
}


@pytest.fixture
def site() -> Iterator[Provider]:
    with provider() as made:
        yield made


@pytest.fixture
def asking_service(start_service: Callable[..., Service], site: Provider) -> Service:
    """A service that asks the site every second in the place of each source."""
    return start_service(odds_sources=json.dumps(dict.fromkeys(PAGES, site.url)), odds_every_s=1)


def goes_on(service: Service, until: Callable[[], bool]) -> None:
    """Let one round of the sources after the other come, until a condition holds."""

    def is_done() -> bool:
        service.clock.advance(SECOND)
        return until()

    wait_until(is_done)


def api_path(source: str, event_id: str) -> str:
    return PAGES[source][1].format(id=event_id, ID=event_id.upper())


def event_of(
    service: Service, source: str, event_id: str, *, names: list[str] | None = None, **rule: Any
) -> dict[str, Any]:
    """Publish an event with a pool that ends in a minute and that the source's event resolves."""
    metadata: dict[str, Any] = {"resolution": {"kind": "external"} | rule}
    if names is not None:
        metadata["market_names"] = names
    pool = {"name": "Who wins?", "finish_at": iso(service.clock() + MINUTE), "metadata": metadata}
    return service.event(external_event_url=PAGES[source][0].format(id=event_id), pools=[pool])


def shown(service: Service, event: dict[str, Any]) -> dict[str, Any]:
    found: dict[str, Any] = expect(service.client().get(f"/pools/{event['pools'][0]['id']}"), 200)
    return found


def resolve(client: httpx.Client, event: dict[str, Any]) -> httpx.Response:
    return client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0})


@proves(
    "lifecycle: `FOREKNOW_ODDS_SOURCES`: JSON of API addresses by source;",
    "lifecycle: polymarket: polymarket.com/event/ID | /events/slug/ID |",
    "lifecycle: manifold: manifold.markets/USER/ID | /v0/slug/ID |",
    "lifecycle: kalshi: kalshi.com/markets/…/ID | /events/ID (upper case) `?with_nested_markets=true` |",
    "lifecycle: `strike`, `evidence`: observations or `{url, result, fetched_at}`.",
)
def test_the_result_of_an_event_elsewhere_resolves_and_pays_a_pool(asking_service: Service, site: Provider) -> None:
    service, paths = asking_service, {source: api_path(source, "kxwin-26") for source in PAGES}
    site.replies |= {path: Reply(encoded(PLAYED[source])) for source, path in paths.items()}
    events = {source: event_of(service, source, "kxwin-26", names=["Reds", "Blues"]) for source in PAGES}
    trader, shares = service.user(balance_kopecks=3_000), 0
    for event in events.values():
        order = {"market_id": event["pools"][0]["markets"][1]["id"], "token_type": "YES", "amount_kopecks": 1_000}
        shares += expect(trader.client.post("/market/bets", json=order), 201)["shares"]
    service.clock.advance(MINUTE)
    asked = {path: site.asked.count(path) for path in paths.values()}
    goes_on(service, lambda: all(site.asked.count(path) >= before + 2 for path, before in asked.items()))
    assert [shown(service, event)["won_side"] for event in events.values()] == [None] * 3
    site.replies |= {path: Reply(encoded(WON[source])) for source, path in paths.items()}
    goes_on(service, lambda: all(shown(service, event)["won_side"] == 1 for event in events.values()))
    for event in events.values():
        refused(resolve(service.admin, event), 409, "already_resolved")
    listed = [f"/events/{event['id']}" for event in events.values()]
    wait_until(lambda: {expect(service.client().get(path), 200)["status"] for path in listed} == {"resolved"})
    wait_until(lambda: expect(trader.client.get("/users/me"), 200)["balance_kopecks"] == shares)
    for source, event in events.items():
        resolution = shown(service, event)["resolution"]
        assert (resolution["kind"], resolution["decided_by"], resolution["won_side"]) == ("external", "rule", 1)
        evidence = resolution["evidence"]
        assert evidence == {"url": site.url + paths[source], "result": "Blues", "fetched_at": evidence["fetched_at"]}
        assert event["pools"][0]["finish_at"] <= evidence["fetched_at"] <= iso(service.clock())


@proves(
    "lifecycle: Another end (MKT, CANCEL, scalar, halves), or none within `wait_minutes`: `attention`.",
    "lifecycle: exactly one winner.",
)
def test_an_end_without_a_winner_and_no_end_in_time_wait_for_a_person(asking_service: Service, site: Provider) -> None:
    events = {}
    for end, (source, answer) in ENDS.items():
        site.replies[api_path(source, end)] = Reply(encoded(answer))
        events[end] = event_of(asking_service, source, end)
    site.replies[api_path("polymarket", "none")] = Reply(encoded(PLAYED["polymarket"]))
    endless = event_of(asking_service, "polymarket", "none", names=["Reds", "Blues"], wait_minutes=1)

    def waiting() -> dict[int, str]:
        entries = expect(asking_service.admin.get("/admin/attention", params={"limit": 100}), 200)["entries"]
        return {entry["pool_id"]: entry["reason"] for entry in entries if entry["kind"] == "resolution"}

    ended = {event["pools"][0]["id"]: "no_single_winner" for event in events.values()}
    asking_service.clock.advance(MINUTE)
    wait_until(lambda: waiting() == ended)
    asking_service.clock.advance(MINUTE)
    wait_until(lambda: waiting() == ended | {endless["pools"][0]["id"]: "no_result"})
    resolutions = [shown(asking_service, event)["resolution"] for event in [*events.values(), endless]]
    assert [(one["state"], one["won_side"]) for one in resolutions] == [("attention", None)] * 5


@proves(
    "lifecycle: A pool with such a rule is resolved by hand by an admin at any time, by its creator only in "
    "`attention` (else 403)."
)
@ONCE
def test_a_rule_leaves_its_pool_to_admins_and_to_the_creator_once_it_gives_no_result(
    asking_service: Service, site: Provider
) -> None:
    creator, admin = asking_service.creator.client, asking_service.admin
    site.replies[api_path("polymarket", "none")] = Reply(encoded(PLAYED["polymarket"]))
    before, after, left, other = (
        event_of(asking_service, "polymarket", "none", names=["Reds", "Blues"], wait_minutes=1) for _ in range(4)
    )
    refused(resolve(creator, before), 403, "forbidden")
    assert expect(resolve(admin, before), 200)["resolution"]["decided_by"] == "admin"
    asking_service.clock.advance(MINUTE)
    refused(resolve(creator, after), 403, "forbidden")
    assert expect(resolve(admin, after), 200)["resolution"]["decided_by"] == "admin"
    asking_service.clock.advance(MINUTE)
    wait_until(lambda: shown(asking_service, left)["resolution"]["state"] == "attention")
    refused(resolve(asking_service.user(creator=True).client, left), 403, "forbidden")
    assert expect(resolve(creator, left), 200)["resolution"]["decided_by"] == "creator"
    wait_until(lambda: shown(asking_service, other)["resolution"]["state"] == "attention")
    assert expect(resolve(admin, other), 200)["resolution"]["decided_by"] == "admin"


@proves("lifecycle: **External verdict**: asked from `finish_at` on;")
@ONCE
def test_a_result_from_before_the_end_counts_from_the_end_on(asking_service: Service, site: Provider) -> None:
    path = api_path("kalshi", "kxwin-26")
    site.replies[path] = Reply(encoded(WON["kalshi"]))
    event = event_of(asking_service, "kalshi", "kxwin-26", names=["Reds", "Blues"])
    asked = len(site.asked)
    # Rounds of its odds ask; the second follows whatever came of the first.
    goes_on(asking_service, lambda: len(site.asked) >= asked + 2)
    assert shown(asking_service, event)["won_side"] is None
    asking_service.clock.advance(MINUTE)
    wait_until(lambda: shown(asking_service, event)["won_side"] == 1)
