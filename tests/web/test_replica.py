"""A service with a replica: what it reads there, what never, and that no client sees it lag."""

from __future__ import annotations

import re
import time
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
from pydantic import ValidationError

from foreknow.kernel.settings import Settings
from foreknow.platform.db.public_reads import ReadSource
from foreknow.platform.db.replica_reads import BEHIND_MAX_S, TIMEOUT_S, ReplicaReads
from foreknow.service.tables import metadata
from tests.site.comments.conversation import comment
from tests.support.books import audit_database
from tests.support.lists import add_outcome, held_of, read_pool, twice_split
from tests.support.metrics import scrape, value
from tests.support.postgres import Postgres
from tests.support.proofs import proves
from tests.support.schema import prepare
from tests.support.service import Service, expect, pool
from tests.support.standby import Standby

pytestmark = pytest.mark.postgres
WAIT_S = 60
#: What a replica may be asked; balances, positions, keys, sessions and the books stand in none of these.
PUBLIC = {
    "asset_prices",
    "assets",
    "chart_buckets",
    "clarifications",
    "comment_mentions",
    "comment_reactions",
    "comments",
    "currency_rates",
    "event_tags",
    "events",
    "life_points",
    "markets",
    "pools",
    "users",
}


@pytest.fixture(scope="module")
def replicated(postgres: Postgres, standby: Standby) -> Iterator[Service]:
    """A service whose reads that may be stale go to the standby."""
    url = postgres.fresh_database(prepare)
    standby.catch_up()
    running = Service(url, replica_url=standby.url(url))
    # However busy the machine is, the standby is only slow where a test makes it so.
    assert isinstance(running.app.public_reads, ReplicaReads)
    running.app.public_reads._timeout_s = WAIT_S
    yield running
    running.stop()
    audit_database(url)
    postgres.drop(url)


def a_site(service: Service) -> tuple[dict[str, Any], list[str]]:
    """Make an event with a comment and a reply, an asset and a rate; return it and the addresses of all that shows."""
    event = service.event(pools=[pool()], tags=["snow"])
    said = comment(service.creator, event)
    comment(service.creator, event, parent=said)
    asset = {"name": "Bitcoin", "asset_type": "crypto", "price": 1.0}
    expect(service.admin.put("/admin/assets/BTC", json=asset), 200)
    expect(service.admin.put("/admin/currency-rates", json={"from": "EUR", "to": "RUB", "rate": 90.0}), 200)
    return event, [
        *priced(event),
        "/assets/BTC/prices",
        f"/events/{event['id']}",
        "/events?sort=volume",
        "/events?tag=snow&sort=closing",
        f"/events/{event['id']}/comments",
        f"/comments/{said['id']}/replies",
        "/assets",
        "/assets/BTC/price",
        "/currency/rate?from=RUB&to=EUR",
    ]


def priced(event: dict[str, Any]) -> list[str]:
    """Return the addresses of what shows an event's price."""
    pool_id = event["pools"][0]["id"]
    market_id = event["pools"][0]["markets"][0]["id"]
    return [
        f"/pools/batch?ids={pool_id}",
        f"/pools/{pool_id}",
        f"/pools/{pool_id}/charts",
        f"/markets/{market_id}",
        f"/markets/{market_id}/chart",
        f"/market/orderbook/{market_id}",
        "/events",
    ]


def settle(service: Service, client: httpx.Client, paths: list[str]) -> None:
    """Read each address until the replica has answered it."""
    waiting, deadline = list(paths), time.monotonic() + WAIT_S
    while waiting:
        assert time.monotonic() < deadline, f"never read from the replica: {waiting}"
        # What is kept in memory is out of date, and read again.
        service.clock.advance(1_000)
        waiting = [path for path in waiting if not from_replica(service, client, path)]


def from_replica(service: Service, client: httpx.Client, path: str) -> bool:
    reads = service.app.public_reads.metrics.reads
    before = reads[ReadSource.REPLICA]
    expect(client.get(path), 200)
    return reads[ReadSource.REPLICA] > before


def price_in(client: httpx.Client, path: str) -> str:
    """Return what an answer says of the newest event's price: in a chart the last point, in a book the first level."""
    found = re.findall(r'"(?:yes_probability|probability|values|amount)":\[?([0-9.]+)', client.get(path).text)
    return str(found[-1 if "chart" in path else 0])


def without_times(client: httpx.Client, path: str) -> str:
    """Return an answer without times: a chart ends now, by its server's clock."""
    return re.sub(r'"timestamp":"[^"]*"', "", client.get(path).text)


def an_order(event: dict[str, Any]) -> dict[str, Any]:
    return {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 1_000}


@proves("decisions: `FOREKNOW_REPLICA_URL`")
def test_public_reads_go_to_the_replica_and_nothing_about_money_does(replicated: Service, standby: Standby) -> None:
    service = replicated
    event, paths = a_site(service)
    trader = service.user(balance_kopecks=100_000)
    partner = service.partner(float_kopecks=100_000)
    signed_in = [f"/pools/{event['pools'][0]['id']}", "/events", f"/events/{event['id']}/comments"]
    settle(service, service.client(), paths)
    settle(service, trader.client, signed_in)

    order = an_order(event)
    stake = {"external_user_id": "u", "market_id": order["market_id"], "side": "no", "stake_kopecks": 500}
    sale = {"market_id": order["market_id"], "token_type": "YES", "shares": 10}
    for client, path, body in (
        (trader.client, "/market/bets", order),
        (trader.client, "/market/positions/sell", sale),
        (partner.client, "/partner/bets", stake),
    ):
        for _ in range(2):
            expect(client.post(path, json=body, headers={"Idempotency-Key": path}), 201)
        settle(service, service.client(), paths[:1])
    quote = f"market_id={order['market_id']}&"
    for client, path in (
        (trader.client, "/users/me"),
        (trader.client, "/users/me/pnl/chart"),
        (trader.client, f"/users/{trader.id}/pnl/chart"),
        (trader.client, "/market/positions"),
        (trader.client, "/market/positions/completed"),
        (trader.client, f"/market/quote?{quote}token_type=YES&amount_kopecks=100"),
        (trader.client, "/notifications"),
        (partner.client, "/partner/balance"),
        (partner.client, "/partner/users/u"),
        (partner.client, "/partner/transactions"),
        (partner.client, f"/partner/quote?{quote}side=yes&shares=10"),
        (service.admin, "/admin/users"),
        (service.admin, "/admin/partners"),
        (service.admin, "/admin/log"),
    ):
        expect(client.get(path), 200)
    expect(service.creator.client.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    settle(service, service.client(), paths[:1])

    named = set(re.findall(r"\w+", standby.statements())) & metadata.tables.keys()
    assert named == PUBLIC
    samples = scrape(service)
    assert value(samples, "foreknow_replica_used") == 1
    assert value(samples, "foreknow_stale_reads_total", source="replica") >= len(paths + signed_in)


def test_a_page_after_the_first_is_never_older_than_it(replicated: Service) -> None:
    event, paths = a_site(replicated)
    replicated.event(tags=["snow"])
    comment(replicated.creator, event)
    client = replicated.client()
    settle(replicated, client, paths)
    reads = replicated.app.public_reads.metrics.reads

    for path in ("/events?limit=1", "/events?limit=1&sort=volume", f"/events/{event['id']}/comments?limit=1"):
        cursor = expect(client.get(path), 200)["next_cursor"]
        before = reads.total()
        expect(client.get(f"{path}&cursor={cursor}"), 200)
        assert reads.total() == before
    before = reads.total()
    expect(client.get(f"{paths[-4]}?offset=1"), 200)
    assert reads.total() == before


def test_however_far_the_replica_is_the_process_that_took_a_trade_shows_it_at_once(
    replicated: Service, standby: Standby
) -> None:
    event, paths = a_site(replicated)
    trader, client = replicated.user(balance_kopecks=100_000), replicated.client()
    settle(replicated, client, paths)
    with standby.paused():
        for path in priced(event):
            before = price_in(client, path)
            expect(trader.client.post("/market/bets", json=an_order(event)), 201)
            assert price_in(client, path) != before


@proves("decisions: at once from the process that made the change, within 1 s from every other")
@pytest.mark.real_time("a second is what the contract says")
def test_however_far_the_replica_is_a_trade_shows_within_a_second_on_every_server(
    replicated: Service, standby: Standby
) -> None:
    event, paths = a_site(replicated)
    trader, client = replicated.user(balance_kopecks=100_000), replicated.client()
    other = Service(replicated.database_url)
    other.clock.advance(replicated.clock() - other.clock())
    try:
        there = other.client(token=trader.token)
        settle(replicated, client, paths)
        with standby.paused():
            before = [price_in(client, path) for path in priced(event)]
            expect(there.post("/market/bets", json=an_order(event)), 201)
            time.sleep(BEHIND_MAX_S + TIMEOUT_S)
            after = [price_in(client, path) for path in priced(event)]
            assert after == [price_in(there, path) for path in priced(event)]
            assert all(new != old for new, old in zip(after, before, strict=True))
    finally:
        other.stop()


def test_a_list_that_was_split_is_read_from_the_replica_and_positions_are_not(
    replicated: Service, standby: Standby
) -> None:
    made = twice_split(replicated)
    client, holder = replicated.client(), made.holder
    pool_path, new = f"/pools/{made.pool_id}", made.market_ids[4]
    paths = [pool_path, f"{pool_path}/charts", f"/markets/{new}", f"/markets/{new}/chart", f"/market/orderbook/{new}"]
    primary = Service(replicated.database_url)
    try:
        settle(replicated, client, paths)
        # Both at one moment, and nothing kept from an earlier one: a chart has as many points as it spans minutes.
        replicated.clock.stop_at(replicated.clock() + 1_000)
        primary.clock.stop_at(replicated.clock())
        for path in paths:
            assert without_times(client, path) == without_times(primary.client(), path), path
        replicated.clock.go_on()
        # A market that the replica does not have yet, and positions that it does not hold as turned.
        with standby.paused():
            grown = expect(add_outcome(replicated.creator.client, made.pool_id, "Joe", 0.5), 201)
            joe = grown["markets"][5]["id"]
            assert read_pool(replicated, made.pool_id) == grown
            assert expect(client.get(f"/markets/{joe}"), 200)["name"] == "Joe"
            reads = replicated.app.public_reads.metrics.reads
            before = reads[ReadSource.REPLICA]
            assert held_of(holder)[joe] == (made.held[made.market_ids[2]][0], 81)
            assert reads[ReadSource.REPLICA] == before
        settle(replicated, client, [pool_path, f"/markets/{joe}"])
        assert read_pool(replicated, made.pool_id) == grown
    finally:
        replicated.clock.go_on()
        primary.stop()


def test_metrics_do_not_speak_of_a_replica_where_there_is_none(service: Service) -> None:
    assert not [name for name, _ in scrape(service) if "replica" in name or "stale" in name]


@pytest.mark.parametrize(
    ("database_url", "replica_url", "why"),
    [
        ("", "postgresql://host/name", "only PostgreSQL has replicas"),
        ("sqlite:///file", "postgresql://host/name", "only PostgreSQL has replicas"),
        ("postgresql://host/name", "sqlite:///file", "it has the form postgresql://"),
        ("postgresql://host/name", "postgresql://host", "it has the form postgresql://"),
        ("postgresql://host/name", "nonsense", "it has the form postgresql://"),
    ],
)
def test_a_replica_that_there_cannot_be_is_refused(database_url: str, replica_url: str, why: str) -> None:
    with pytest.raises(ValidationError, match=why):
        Settings(database_url=database_url, replica_url=replica_url)
