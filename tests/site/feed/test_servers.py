"""PostgreSQL: two servers on one database, and what goes wrong between them. SQLite: a trade without a wake-up.

One order at four processes, killed listening connections and a killed leader: tests/service/servers/test_cluster.py.
"""

from __future__ import annotations

import asyncio
import itertools
import threading
from collections.abc import Callable
from typing import Any

import asyncpg
import pytest
import sqlalchemy as sa
import sqlalchemy.ext.asyncio
from sqlalchemy.engine import make_url

from foreknow.market.pools.tables import pools
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.feed import hub
from foreknow.site.feed.leader import NUMBERED, Leadership
from foreknow.site.feed.tables import feed_leader
from tests.site.feed.listening import Listener, listening
from tests.support.proofs import proves
from tests.support.rows import PoolIds, insert_trades
from tests.support.service import Service, Shot
from tests.support.waiting import wait_until

Start = Callable[..., Service]
postgres_only = pytest.mark.parametrize("database_kind", ["postgres"], indirect=True)


def bets(market_ids: list[int], count: int) -> list[Shot]:
    """Describe `count` bets, the n-th one of 100 + n kopecks."""
    return [
        (
            "POST",
            "/market/bets",
            {"json": {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100 + number}},
        )
        for number, market_id in zip(range(count), itertools.cycle(market_ids), strict=False)
    ]


def events(service: Service, count: int) -> list[dict[str, Any]]:
    """Publish events with one market each."""
    return [service.event() for _ in range(count)]


def markets(of: list[dict[str, Any]]) -> list[int]:
    """Return the ids of their markets."""
    return [event["pools"][0]["markets"][0]["id"] for event in of]


def check_chain(messages: list[dict[str, Any]], *, after: int) -> None:
    """Make sure that every message names the one before it."""
    for message in messages:
        assert message["prev"] == after, "a message is missing, or came twice, or out of order"
        assert message["seq"] > after
        after = message["seq"]


@proves("decisions: a trade sent after another's answer comes after it")
@pytest.mark.postgres
@postgres_only
def test_a_trade_sent_after_anothers_answer_comes_after_it_whichever_server_takes_it(start_service: Start) -> None:
    services = [start_service(), start_service()]
    ada = services[0].user(balance_kopecks=1_000_000)
    market_ids = markets(events(services[0], 2))
    with listening(services[0]) as at_one, listening(services[1]) as at_two:
        at_one.message()
        at_two.message()
        for number in range(40):
            service = services[number % 2]
            shot = bets([market_ids[number % 2]], number + 1)[-1]
            (answer,) = service.together([shot], tokens=[ada.token])
            assert answer.status_code == 201
        assert at_one.amounts(40) == at_two.amounts(40) == list(range(100, 140))


@pytest.mark.postgres
@postgres_only
def test_a_trade_whose_transaction_commits_late_comes_late_and_hides_none(start_unpaid_service: Start) -> None:
    services = [start_unpaid_service(), start_unpaid_service()]
    ada = services[0].user(balance_kopecks=1_000_000)
    held, traded = events(services[0], 2)
    pool = PoolIds(held["id"], held["pools"][0]["id"], markets([held]))

    async def late(drawn: asyncio.Event, go_on: asyncio.Event) -> None:
        url = make_url(services[0].database_url).set(drivername="postgresql+asyncpg")
        engine = sa.ext.asyncio.create_async_engine(url, poolclass=sa.pool.NullPool)
        async with engine.begin() as connection:
            await connection.run_sync(lambda tx: insert_trades(WriteTx(ReadTx(tx)), pool, ada.id, [7, 8]))
            drawn.set()
            await go_on.wait()
        await engine.dispose()

    async def scene(at: list[Listener]) -> None:
        drawn, go_on = asyncio.Event(), asyncio.Event()
        task = asyncio.create_task(late(drawn, go_on))
        await drawn.wait()
        for number in range(10):
            shot = bets(markets([traded]), number + 1)[-1]
            answers = await asyncio.to_thread(services[number % 2].together, [shot], tokens=[ada.token])
            assert answers[0].status_code == 201
        for listener in at:
            assert await asyncio.to_thread(listener.amounts, 10) == list(range(100, 110))
        go_on.set()
        await task
        for listener in at:
            assert await asyncio.to_thread(listener.amounts, 2) == [7, 8]

    with listening(services[0]) as at_one, listening(services[1]) as at_two:
        at_one.message()
        at_two.message()
        asyncio.run(scene([at_one, at_two]))


@pytest.mark.postgres
@postgres_only
def test_when_the_leader_stops_or_dies_another_one_follows(start_service: Start) -> None:
    services = [start_service(), start_service()]
    ada = services[0].user(balance_kopecks=1_000_000)
    market_ids = markets(events(services[0], 1))
    wait_until(lambda: any(map(leads, services)))
    leader, other = sorted(services, key=leads, reverse=True)
    with listening(other, "?seq=1") as feed:
        feed.message()
        # Dies: numbers no more and gives nothing back.
        leader.server.run(stop_numbering(leader))
        shot = bets(market_ids, 1)[0]
        assert leader.together([shot], tokens=[ada.token])[0].status_code == 201
        assert other.together([shot], tokens=[ada.token])[0].status_code == 201
        check_chain(feed.messages(2), after=0)
        assert leads(other)


def leads(service: Service) -> bool:
    """Tell whether the service numbers the trades."""
    holder = service.look(lambda tx: tx.execute(sa.select(feed_leader.c.holder)).scalar())
    leadership = service.app.services.feed._numbering
    return isinstance(leadership, Leadership) and leadership.holder == holder


async def stop_numbering(service: Service) -> None:
    """Let the leader's work end as if its process had been killed."""
    leadership = service.app.services.feed._numbering
    assert isinstance(leadership, Leadership)
    assert leadership._worker._task is not None
    leadership._worker._task.cancel()


def trading(service: Service) -> Callable[[list[int]], list[int]]:
    """Make a trader and a pool; return what writes trades of some amounts there, without a wake-up."""
    ada, event = service.user(), service.event()
    pool = PoolIds(event["id"], event["pools"][0]["id"], markets([event]))
    return lambda amounts: service.server.run(service.app.db.write(lambda tx: insert_trades(tx, pool, ada.id, amounts)))


def test_a_trade_without_a_wake_up_is_found(start_unpaid_service: Start) -> None:
    """On SQLite another process's, on PostgreSQL one whose wake-up was lost."""
    service = start_unpaid_service()
    trade = trading(service)
    with listening(service) as feed:
        feed.message()
        trade([41, 42])
        assert feed.amounts(2) == [41, 42]


@pytest.mark.parametrize("database_kind", ["sqlite"], indirect=True)
def test_who_comes_after_the_last_has_left_sees_what_was_traded_between(
    start_unpaid_service: Start, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The hub does nothing in between.
    monkeypatch.setattr(hub, "POLL_S", 3_600)
    service = start_unpaid_service()
    trade = trading(service)
    with listening(service) as feed:
        feed.message()
    wait_until(lambda: service.app.services.feed.sockets == 0)
    trade([41, 42])
    with listening(service) as feed:
        assert [trade["amount"] for trade in feed.message()["trades"]] == [41, 42]


@pytest.mark.postgres
@postgres_only
def test_a_wake_up_waits_for_no_lock_of_a_trade(start_service: Start) -> None:
    """NOTIFY is sent on a connection of its own: while a trade's transaction is open, others' news go on."""
    service = start_service()
    held, traded = events(service, 2)
    ada = service.user(balance_kopecks=10_000)
    heard = threading.Event()

    async def scene() -> None:
        listener = await asyncpg.connect(service.database_url)
        await listener.add_listener(NUMBERED, lambda *_: heard.set())
        holder = await asyncpg.connect(service.database_url)
        transaction = holder.transaction()
        await transaction.start()
        await holder.execute(f"SELECT 1 FROM {pools.name} WHERE id = $1 FOR UPDATE", held["pools"][0]["id"])
        answers = await asyncio.to_thread(service.together, bets(markets([traded]), 1), tokens=[ada.token])
        assert answers[0].status_code == 201
        async with asyncio.timeout(60):
            while not heard.is_set():  # noqa: ASYNC110 - set by a callback of the driver
                await asyncio.sleep(0.01)
        await transaction.rollback()
        await holder.close()
        await listener.close()

    asyncio.run(scene())
