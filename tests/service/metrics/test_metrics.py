"""GET /metrics: who may read it, what it says, and that it says the truth."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any, cast

import httpx
import pytest
import sqlalchemy as sa
from pydantic import SecretStr
from websockets.asyncio.client import connect

from foreknow.kernel.errors import Unavailable
from foreknow.kernel.histogram import Histogram
from foreknow.money.ledger import AccountKind, open_account
from foreknow.platform.db.engine import Database
from foreknow.platform.db.instrumented import InstrumentedDatabase
from foreknow.platform.db.transactions import ReadTx, ReadWork
from foreknow.service.metrics import installation
from foreknow.service.metrics import scrape as scraping
from tests.support.http import NO_TLS
from tests.support.kinds import ON_SQLITE
from tests.support.metrics import Samples, scrape, value
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until
from tests.support.webhook import webhook

StartService = Callable[..., Service]


@ON_SQLITE
def test_it_counts_answers_by_route_and_status(fresh_service: Service) -> None:
    client = fresh_service.client()
    for number in range(1, 6):
        client.get(f"/events/{number}")
    expect(client.get("/events"), 200)
    for number in range(50):
        client.request(("GET", "POST", "PURGE", "MKCOL", "LOCK")[number % 5], f"/made/up/{number}")
    samples = scrape(fresh_service)

    one = {"method": "GET", "route": "/api/v1/events/{event_id}"}
    assert value(samples, "foreknow_http_requests_total", **one, status="404") == 5
    assert value(samples, "foreknow_http_request_seconds_count", **one) == 5
    assert 0 < value(samples, "foreknow_http_request_seconds_sum", **one) < 60
    assert value(samples, "foreknow_http_request_seconds_bucket", **one, le="+Inf") == 5
    assert value(samples, "foreknow_http_requests_total", method="ANY", route="unknown", status="404") == 50
    assert not [labels for _, labels in samples if "made" in str(labels)]


def test_it_tells_of_the_desk_and_the_database(fresh_service: Service) -> None:
    market_id = fresh_service.event()["pools"][0]["markets"][0]["id"]
    trader = fresh_service.user(balance_kopecks=10_000)
    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    answers = fresh_service.together([("POST", "/market/bets", {"json": order})] * 40, tokens=[trader.token])
    assert {answer.status_code for answer in answers} == {201}
    samples = scrape(fresh_service)

    assert value(samples, "foreknow_desk_batch_orders_sum") == 40
    assert 1 <= value(samples, "foreknow_desk_batch_orders_count") <= 40
    assert value(samples, "foreknow_desk_commit_seconds_count") == value(samples, "foreknow_desk_batch_orders_count")
    assert value(samples, "foreknow_desk_waiting_orders") == 0
    assert value(samples, "foreknow_database_seconds_count", kind="write") > 5
    assert value(samples, "foreknow_database_seconds_count", kind="read") > 0
    assert value(samples, "foreknow_database_failures_total", reason="unavailable") == 0
    assert value(samples, "process_resident_memory_bytes") > 1_000_000


def test_it_tells_what_the_books_hold_and_what_waits_for_partners(
    fresh_service: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    fresh_service.user(balance_kopecks=12_345)
    partner = fresh_service.partner(float_kopecks=777)
    with webhook(200) as sink:
        # It takes one message, a line of the statement, and not the next one, a pool's result.
        sink.status = 503
        path = f"/admin/partners/{partner.name}/webhook"
        expect(fresh_service.admin.put(path, json={"url": sink.address}), 200)
        expect(fresh_service.admin.post(f"/admin/partners/{partner.name}/deposit", json={"amount_kopecks": 3}), 201)
        sink.wait_for(1)
        pool_id = fresh_service.event()["pools"][0]["id"]
        expect(fresh_service.creator.client.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
        wait_until(lambda: expect(fresh_service.admin.get(path), 200)["failing_since"] is not None)
    samples = scrape(fresh_service)
    kinds = ("user", "float", "escrow", "fees", "house")
    totals = {kind: value(samples, "foreknow_ledger_kopecks", kind=kind) for kind in kinds}

    assert totals["user"] == 12_345
    assert totals["float"] == 780
    assert sum(totals.values()) == 0
    assert value(samples, "foreknow_ledger_accounts", kind="float") == 1
    assert [value(samples, "foreknow_webhooks", state=state) for state in ("ok", "failing")] == [0, 1]
    waiting_s = [value(samples, "foreknow_webhook_waiting_seconds", state=state) for state in ("ok", "failing")]
    assert waiting_s[0] == 0 < waiting_s[1]
    assert value(samples, "foreknow_webhook_attempts_total", outcome="taken") == 1
    assert value(samples, "foreknow_webhook_attempts_total", outcome="failed") >= 1
    # Asked again within the interval, which a pause of this machine may be longer than, the database is left alone.
    monkeypatch.setattr(scraping, "READ_INTERVAL_S", 3_600)
    fresh_service.user(balance_kopecks=1)
    assert value(scrape(fresh_service), "foreknow_ledger_kopecks", kind="user") == 12_345


class HeldBack:
    """A database whose readers can be kept waiting."""

    def __init__(self, db: Database) -> None:
        self._db = db
        self.open = asyncio.Event()
        self.open.set()

    async def read(self, work: ReadWork[Any]) -> Any:
        await self.open.wait()
        return await self._db.read(work)


async def test_only_the_first_waits_until_the_books_are_added_up(db: Database, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(installation, "PAUSE_FACTOR", 0)
    held_back = HeldBack(db)
    totals = installation.LedgerTotals(cast("Database", held_back))
    first = await totals.newest()
    assert {kind: total.balance_kopecks for kind, total in first.items()} == dict.fromkeys(AccountKind, 0)

    await db.write(lambda tx: open_account(tx, kind=AccountKind.FEES, owner_id=1))
    held_back.open.clear()
    assert await totals.newest() is first
    stopped = asyncio.create_task(totals.stop())
    await asyncio.sleep(0)
    assert not stopped.done()
    held_back.open.set()
    await stopped
    newest = await totals.newest()
    while newest is first:
        newest = await totals.newest()
    assert newest[AccountKind.FEES].accounts == 1


@ON_SQLITE
def test_it_counts_sockets_and_streams(fresh_service: Service) -> None:
    client = fresh_service.client()
    expect(client.post("/chat/session"), 201)

    async def run() -> Samples:
        async with connect(fresh_service.api_url.replace("http", "ws", 1) + "/ws/trades", proxy=None) as socket:
            await socket.recv()
            return await asyncio.to_thread(scrape, fresh_service)

    with client.stream("GET", "/chat/stream"):
        samples = asyncio.run(run())
    assert value(samples, "foreknow_sockets_open") == 1
    assert value(samples, "foreknow_streams_open") == 1
    assert value(samples, "foreknow_feed_lag_trades") == 0


@ON_SQLITE
def test_refused_requests_are_counted(start_service: StartService) -> None:
    service = start_service(rate_limits="on", limit_reads="1/h burst 1")
    client = service.client()
    assert [client.get("/events").status_code for _ in range(3)] == [200, 429, 429]
    assert value(scrape(service), "foreknow_rate_limited_total", group="reads") == 2


@ON_SQLITE
def test_two_services_in_one_process_count_apart(start_service: StartService) -> None:
    one, other = start_service(), start_service()
    one.client().get("/nowhere")
    assert (
        "foreknow_http_requests_total",
        frozenset({("method", "ANY"), ("route", "unknown"), ("status", "404")}),
    ) not in scrape(other)


@pytest.mark.parametrize("header", ["X-Forwarded-For", "Forwarded", "Via", "X-Real-IP"])
def test_without_a_token_only_this_machine_reads_it(service: Service, header: str) -> None:
    refused(httpx.get(f"{service.url}/metrics", headers={header: "127.0.0.1"}, verify=NO_TLS), 403, "forbidden")
    scrape(service)


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8000", "127.0.0.1.evil.example", "10.0.0.1", ""])
@ON_SQLITE
def test_without_a_token_it_must_be_requested_by_a_name_of_this_machine(service: Service, host: str) -> None:
    refused(httpx.get(f"{service.url}/metrics", headers={"Host": host}, verify=NO_TLS), 403, "forbidden")
    for own in ("localhost", "LOCALHOST:8000", "127.0.0.1", "[::1]:8000"):
        scrape(service, Host=own)


@ON_SQLITE
def test_where_the_service_is_public_there_are_no_metrics_without_a_token(start_service: StartService) -> None:
    service = start_service(public_url="https://foreknow.example")
    refused(httpx.get(f"{service.url}/metrics", verify=NO_TLS), 404, "not_found")
    service = start_service(public_url="https://foreknow.example", metrics_token=SecretStr("sesame"))
    scrape(service, Authorization="Bearer sesame")


@ON_SQLITE
def test_with_a_token_its_bearer_reads_it(start_service: StartService) -> None:
    service = start_service(metrics_token=SecretStr("sesame"))
    for headers in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": "Basic sesame"}):
        answer = httpx.get(f"{service.url}/metrics", headers=headers, verify=NO_TLS)
        refused(answer, 401, "unauthorized")
        assert answer.headers["www-authenticate"] == "Bearer"
    scrape(service, Authorization="Bearer sesame", Via="1.1 proxy")


def test_other_methods_are_refused_and_head_has_no_body(service: Service) -> None:
    answer = httpx.post(f"{service.url}/metrics", verify=NO_TLS)
    refused(answer, 405, "method_not_allowed")
    assert answer.headers["allow"] == "GET, HEAD"
    head = httpx.head(f"{service.url}/metrics")
    assert (head.status_code, head.content) == (200, b"")


async def test_the_database_s_failures_and_second_attempts_are_counted(db: InstrumentedDatabase) -> None:
    watched = InstrumentedDatabase(db)
    runs = 0

    def collide(tx: ReadTx) -> int:
        nonlocal runs
        runs += 1
        if runs < 3:
            for _ in range(2):
                tx.execute(sa.text("INSERT INTO secrets (name, value) VALUES ('twice', '')"))
        return 7

    def refuse(_tx: ReadTx) -> None:
        raise Unavailable

    assert await watched.write(collide) == 7
    with pytest.raises(Unavailable):
        await watched.read(refuse)
    metrics = watched.metrics
    assert (metrics.retries, metrics.unavailable, metrics.errors) == (2, 1, 0)
    assert sum(metrics.write_s.counts) == 1
    assert sum(metrics.read_s.counts) == 0


def test_a_value_falls_under_its_bound() -> None:
    distribution = Histogram((1, 2, 4))
    for number in (0.5, 1, 1.5, 4, 5):
        distribution.add(number)
    assert distribution.counts == [2, 1, 1, 1]
    assert distribution.total == 12
