"""What waits for a person: the operators' list, and one alert for each entry."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import sqlalchemy as sa
from pydantic import SecretStr

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import MINUTE_MS
from foreknow.people import attention
from foreknow.people.alerts import AlertSender, read_channels, sender
from foreknow.people.alerts.sender import GIVE_UP_AFTER_MS
from foreknow.people.alerts.tables import WAITING
from foreknow.people.attention import AttentionAlerts
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from tests.support.clock import ShiftableClock
from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect, refused
from tests.support.waiting import wait_until, work
from tests.support.webhook import webhook


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look and try again at once."""
    monkeypatch.setattr(sender, "POLL_S", 0.05)
    monkeypatch.setattr(sender, "BACK_OFF", BackOff(first_ms=50, most_ms=5 * MINUTE_MS))


def opened(tx: WriteTx, *pools: int, reason: str = "no_price") -> None:
    for pool_id in pools:
        attention.open_entry(tx, "resolution", reason=reason, event_id=1, pool_id=pool_id, at_ms=1_000 + pool_id)


@asynccontextmanager
async def running(db: Database, *, support: str = "", operators: str = "") -> AsyncIterator[AlertSender]:
    alerts = AlertSender(db, read_channels(support), read_channels(operators), public_url="https://example.org")
    worker = AttentionAlerts(db, alerts, poll_s=0.05)
    alerts.start()
    worker.start()
    yield alerts
    await worker.stop()
    await alerts.stop()


def pages(service: Service, limit: int) -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = []
    cursor: dict[str, str] = {}
    while True:
        page = expect(service.admin.get("/admin/attention", params={"limit": limit, **cursor}), 200)
        found += page["entries"]
        if not page["has_more"]:
            assert page["next_cursor"] is None
            return found
        cursor = {"cursor": page["next_cursor"]}


def write(service: Service, work: Any) -> None:
    async def run() -> None:
        from foreknow.platform.db.engine import open_database

        database = open_database(service.database_url, clock=service.clock)
        await database.write(work)
        await database.close()

    asyncio.run(run())


@proves("lifecycle: a page of what waits for a person:")
def test_operators_see_what_is_open_newest_first_and_page_through_it(service: Service) -> None:
    before = len(pages(service, 100))
    write(service, lambda tx: opened(tx, 901, 902, 903))
    try:
        found = pages(service, 2)
        assert len(found) == before + 3
        shown = {key: value for key, value in found[0].items() if key != "id"}
        assert shown == {
            "kind": "resolution",
            "event_id": 1,
            "pool_id": 903,
            "series_id": None,
            "reason": "no_price",
            "since": "1970-01-01T00:00:01.903Z",
        }
        assert [entry["pool_id"] for entry in found[:3]] == [903, 902, 901]
        write(service, lambda tx: attention.close_entry(tx, "resolution", pool_id=902, at_ms=5_000))
        assert [entry["pool_id"] for entry in pages(service, 2)[:2]] == [903, 901]
    finally:
        for pool_id in (901, 902, 903):
            write(service, lambda tx, one=pool_id: attention.close_entry(tx, "resolution", pool_id=one, at_ms=6_000))
    assert len(pages(service, 2)) == before


@proves("lifecycle: GET /admin/attention (operator, admin):")
@ONCE
def test_only_operators_and_admins_see_it(service: Service) -> None:
    refused(service.client().get("/admin/attention"), 401, "unauthorized")
    trader = service.user()
    refused(trader.client.get("/admin/attention"), 403, "forbidden")
    expect(service.admin.patch(f"/admin/users/{trader.id}", json={"is_operator": True}), 200)
    expect(trader.client.get("/admin/attention"), 200)
    refused(trader.client.get("/admin/attention", params={"cursor": "x"}), 400, "invalid_cursor")
    refused(trader.client.get("/admin/attention", params={"limit": 0}), 400, "invalid_limit")


@proves(
    "lifecycle: a page of what waits for a person: `{id, kind: resolution|series|odds|payment, event_id, pool_id, "
    "series_id, reason, since}`;",
)
def test_an_entry_has_the_ids_of_what_waits(fresh_service: Service) -> None:
    kinds: dict[Any, dict[str, Any]] = {
        "resolution": {"event_id": 1, "pool_id": 2},
        "series": {"event_id": 1, "series_id": 3},
        "odds": {"event_id": 1},
        "payment": {"event_id": 1, "pool_id": 2},
        "webhook": {"partner": "acme"},
    }
    for number, (kind, ids) in enumerate(kinds.items()):
        write(
            fresh_service,
            lambda tx, kind=kind, ids=ids, at_ms=number: attention.open_entry(
                tx, kind, reason="why", at_ms=at_ms, **ids
            ),
        )
    found = pages(fresh_service, 3)
    assert len({entry.pop("id") for entry in found}) == 5
    nothing = {"event_id": None, "pool_id": None, "series_id": None}
    assert found[::-1] == [
        nothing | ids | {"kind": kind, "reason": "why", "since": f"1970-01-01T00:00:00.00{number}Z"}
        for number, (kind, ids) in enumerate(kinds.items())
    ]


@proves("lifecycle: operators are alerted once for each, through `FOREKNOW_OPERATOR_ALERT_URLS`")
@ONCE
def test_a_running_service_alerts_at_the_addresses_of_the_setting(start_service: Callable[..., Service]) -> None:
    with webhook() as support, webhook() as hook:
        urls = {"support_alert_urls": SecretStr(support.url), "operator_alert_urls": SecretStr(hook.url)}
        service = start_service(**urls)
        write(service, lambda tx: opened(tx, 1))
        hook.wait_for(1)
        # The pause after a message begins when it is noted as sent, a moment after it has come.
        wait_until(lambda: not service.look(lambda tx: tx.scalar(sa.select(sa.func.count()).where(WAITING))))
        service.clock.advance(sender.GAP_MS)
        write(service, lambda tx: opened(tx, 2))
        hook.wait_for(2)
        assert ["pool 1" in call["message"] for call in hook.taken] == [True, False]
        assert not support.calls


async def test_an_open_entry_is_not_opened_twice_and_may_come_again(db: Database) -> None:
    def listed(reasons: list[str]) -> Any:
        return lambda tx: (
            [entry.reason for entry in attention.store.newest_open(tx, before_id=None, limit=9)] == reasons
        )

    await db.write(lambda tx: opened(tx, 1))
    await db.write(lambda tx: opened(tx, 1, reason="no_result"))
    assert await db.read(listed(["no_result"]))
    await db.write(lambda tx: attention.close_entry(tx, "resolution", pool_id=1, at_ms=9))
    await db.write(lambda tx: attention.close_entry(tx, "resolution", pool_id=1, at_ms=9))
    assert await db.read(listed([]))
    await db.write(lambda tx: opened(tx, 1))
    assert await db.read(listed(["no_price"]))


@proves("lifecycle: operators are alerted once for each,")
async def test_operators_are_alerted_once_for_each_entry_by_whatever_process(db: Database) -> None:
    with webhook() as support, webhook() as hook:
        async with running(db, support=support.url, operators=hook.url), running(db, operators=hook.url):
            await db.write(lambda tx: opened(tx, 1))
            await hook.came(1)
            await db.write(lambda tx: opened(tx, 1, reason="no_result"))
            # Both look.
            await work()
        assert [call["message"] for call in hook.taken] == [
            "resolution: no_price (event 1, pool 1). See https://example.org/admin/attention"
        ]
        assert not support.calls


@proves("lifecycle: (unset: the support team's),")
@ONCE
async def test_without_addresses_of_their_own_the_support_team_is_alerted(db: Database) -> None:
    with webhook() as hook:
        async with running(db, support=hook.url):
            await db.write(lambda tx: opened(tx, 1))
            await hook.came(1)
        assert [call["title"] for call in hook.taken] == ["Foreknow needs a person"]


@proves("lifecycle: until that succeeds.")
async def test_an_alert_of_operators_is_tried_until_it_is_sent(db: Database, clock: ShiftableClock) -> None:
    with webhook(500, 500) as hook:
        async with running(db, operators=hook.url):
            await db.write(lambda tx: opened(tx, 1))
            await hook.came(1)
            # The support team's would be given up by now.
            for tries in (2, 3):
                clock.advance(2 * GIVE_UP_AFTER_MS)
                await hook.came(tries)
        assert len(hook.taken) == 1


async def test_what_was_opened_without_a_channel_is_sent_once_there_is_one(db: Database) -> None:
    await db.write(lambda tx: opened(tx, 1, 2))
    await db.write(lambda tx: attention.close_entry(tx, "resolution", pool_id=2, at_ms=9))
    async with running(db):
        pass
    with webhook() as hook:
        async with running(db, operators=hook.url):
            await hook.came(1)
        assert len(hook.taken) == 1
        assert "pool 1" in hook.taken[0]["message"]
