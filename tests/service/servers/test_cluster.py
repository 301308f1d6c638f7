"""Two servers with two workers each on one PostgreSQL: what is done at one of the four processes holds at all."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Any

import asyncpg
import httpx
import sqlalchemy as sa

from foreknow.site.feed.tables import feed_leader
from tests.site.feed.listening import Listener, listening_at
from tests.support.books import audit_database
from tests.support.cluster import CLUSTER_MARKS, Cluster, Node
from tests.support.load import Load
from tests.support.processes import server_of
from tests.support.proofs import proves
from tests.support.service import Service, Shot, expect, pool, refused
from tests.support.waiting import wait_until

pytestmark = list(CLUSTER_MARKS)

#: The contract's "within 1 s from every other".
FRESH_S = 1.0


def first_market(event: dict[str, Any]) -> int:
    return int(event["pools"][0]["markets"][0]["id"])


def at_every_worker(cluster: Cluster, stack: ExitStack) -> list[Listener]:
    """Open a numbered feed at each of the processes."""
    found: dict[int, Listener] = {}
    for node, workers, attempt in cluster.attempts(found):
        with ExitStack() as own:
            listener = own.enter_context(listening_at(node.api_url, "?seq=1"))
            client_port = listener.connection.local_address[1]
            worker = server_of(server_port=node.port, client_port=client_port, among=workers)
            assert worker is not None, attempt
            if worker not in found:
                found[worker] = listener
                stack.push(own.pop_all())
    return list(found.values())


@contextmanager
def listening_connections_killed(cluster: Cluster) -> Iterator[list[int]]:
    """Kill what listens and notifies between processes, again and again; yields how many each time."""
    done = threading.Event()
    killed: list[int] = []

    async def kill() -> None:
        connection = await asyncpg.connect(cluster.database_url)
        while not done.is_set():
            rows = await connection.fetch(
                "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
                " AND pid <> pg_backend_pid() AND (query ILIKE '%listen%' OR query ILIKE '%pg_notify%')"
            )
            killed.append(len(rows))
            await asyncio.sleep(0.1)
        await connection.close()

    thread = threading.Thread(target=asyncio.run, args=(kill(),))
    thread.start()
    try:
        yield killed
    finally:
        done.set()
        thread.join()


@proves("decisions: One message a trade, in one order, the same from every server")
def test_four_processes_show_all_trades_in_one_order_while_listening_connections_are_killed(
    cluster_service: Cluster,
) -> None:
    cluster = cluster_service
    people = [cluster.user(balance_kopecks=1_000_000) for _ in range(3)]
    market_ids = [first_market(cluster.event()) for _ in range(6)]
    clients = cluster.workers_clients()
    before = list(map(orders_taken, clients))
    with ExitStack() as stack:
        feeds = at_every_worker(cluster, stack)
        starts = [feed.message() for feed in feeds]
        assert {start["seq"] for start in starts} == {starts[0]["seq"]}
        with listening_connections_killed(cluster) as killed:
            for first in (100, 180, 260):
                shots: list[Shot] = []
                for amount in range(first, first + 80):
                    order = {"market_id": market_ids[amount % 6], "token_type": "YES", "amount_kopecks": amount}
                    shots.append(("POST", "/market/bets", {"json": order}))
                answers = cluster.together(shots, tokens=[person.token for person in people])
                assert {answer.status_code for answer in answers} == {201}
            shown = feeds[0].messages(240)
            for feed in feeds[1:]:
                assert feed.messages(240) == shown
            wait_until(lambda: sum(killed) > len(feeds))

    assert all(now > then for now, then in zip(map(orders_taken, clients), before, strict=True)), "some had no load"
    last = starts[0]["seq"]
    for message in shown:
        assert (message["prev"], message["seq"] > last) == (last, True)
        last = message["seq"]
    assert sorted(message["trade"]["amount"] for message in shown) == list(range(100, 340))
    check_agrees_with_prices(cluster, after=starts[0]["seq"])


def orders_taken(client: httpx.Client) -> float:
    """Return how many orders a process has decided, as its metrics tell."""
    page = client.get(str(client.base_url).replace("/api/v1/", "/metrics")).text.splitlines()
    return next(float(line.split()[1]) for line in page if line.startswith("foreknow_desk_batch_orders_sum"))


def check_agrees_with_prices(service: Service, *, after: int) -> None:
    """Make sure that each market's trades come in the order in which they moved its price."""
    query = sa.text(
        "SELECT t.market_id, t.probability_before, t.probability_after FROM feed_order o"
        " JOIN trades t ON t.id = o.trade_id WHERE o.seq > :after ORDER BY o.seq"
    )
    price: dict[int, float] = {}
    for row in service.look(lambda tx: tx.execute(query, {"after": after}).all()):
        assert row.probability_before == price.get(row.market_id, row.probability_before)
        price[row.market_id] = row.probability_after


@proves("decisions: at once from the process that made the change, within 1 s from every other")
def test_a_price_shows_at_once_where_it_changed_and_within_a_second_everywhere(cluster_service: Cluster) -> None:
    event = cluster_service.event(pools=[pool()])
    pool_id, market_id = event["pools"][0]["id"], first_market(event)
    paths = [f"/pools/batch?ids={pool_id}", f"/pools/{pool_id}", f"/market/orderbook/{market_id}"]
    trader = cluster_service.user(balance_kopecks=10_000)
    here, *others = cluster_service.workers_clients()
    # So that each process has it in its memory.
    old = [[expect(client.get(path), 200) for path in paths] for client in (here, *others)]
    assert all(answers == old[0] for answers in old)

    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 1_000}
    expect(here.post("/market/bets", json=order, headers=bearer(trader.token)), 201)
    new = [expect(here.get(path), 200) for path in paths]
    assert all(after != before for after, before in zip(new, old[0], strict=True))
    time.sleep(FRESH_S)
    for client in others:
        assert [expect(client.get(path), 200) for path in paths] == new


@proves(
    "decisions: A session, role or key taken away is refused at once by that process, within 1 s by every other, and "
    "at once wherever money would move."
)
def test_what_is_taken_away_at_one_process_is_soon_gone_at_all_and_moves_no_money_at_once(
    cluster_service: Cluster,
) -> None:
    market_id = first_market(cluster_service.event())
    trader, maker = cluster_service.user(balance_kopecks=1_000), cluster_service.user(creator=True)
    partner = cluster_service.partner(float_kopecks=1_000)
    admin = dict(cluster_service.admin.headers)
    here, *others = cluster_service.workers_clients()
    partner_key = {"X-Partner-Key": partner.key}
    draft = {"name": "E", "pools": [pool()]}
    for client in (here, *others):
        expect(client.get("/users/me", headers=bearer(trader.token)), 200)
        expect(client.get("/partner/balance", headers=partner_key), 200)
        expect(client.post("/events/create-full", json=draft, headers=bearer(maker.token)), 201)

    auth = {"Authorization": admin["authorization"]}
    expect(here.delete("/auth/logout", headers=bearer(trader.token)), 200)
    expect(here.patch(f"/admin/users/{maker.id}", json={"is_creator": False}, headers=auth), 200)
    (key,) = expect(here.get(f"/admin/partners/{partner.name}/keys", headers=auth), 200)["keys"]
    expect(here.delete(f"/admin/partners/{partner.name}/keys/{key['id']}", headers=auth), 200)

    order = {"market_id": market_id, "token_type": "YES", "amount_kopecks": 100}
    users_order = {"external_user_id": "a", "market_id": market_id, "side": "yes", "stake_kopecks": 100}
    for client in (here, *others):
        refused(client.post("/market/bets", json=order, headers=bearer(trader.token)), 401, "unauthorized")
        refused(client.post("/partner/bets", json=users_order, headers=partner_key), 401, "INVALID_PARTNER_KEY")
    time.sleep(FRESH_S)
    for client in (here, *others):
        refused(client.get("/users/me", headers=bearer(trader.token)), 401, "unauthorized")
        refused(client.get("/partner/balance", headers=partner_key), 401, "INVALID_PARTNER_KEY")
        assert client.post("/events/create-full", json=draft, headers=bearer(maker.token)).status_code == 403


def bearer(token: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {token}"}


def test_when_the_process_that_numbers_trades_is_killed_nothing_is_lost_and_another_one_comes(
    cluster_service: Cluster,
) -> None:
    cluster = cluster_service
    trader = cluster.user(balance_kopecks=100_000_000)
    load = Load(trader, [first_market(cluster.event()) for _ in range(2)], lambda: cluster.api_url)
    wait_until(lambda: leader_of(cluster))
    ((node, leader),) = leader_of(cluster)
    other = next(one for one in cluster.nodes if one is not node)
    with listening_at(other.api_url, "?seq=1") as feed:
        last = feed.message()["seq"]
        with load.running():
            load.go_on()
            node.kill(leader)
            load.go_on()
        wait_until(lambda: leader_of(cluster))
        load.check(trader, before_kopecks=100_000_000)
        for message in feed.messages(len(load.bets)):
            assert message["prev"] == last
            last = message["seq"]
    assert len(node.workers) == 2
    audit_database(cluster.database_url)


def leader_of(cluster: Cluster) -> list[tuple[Node, int]]:
    """Return which process numbers the trades, and whose it is; nothing where that one is dead."""
    holder = str(cluster.look(lambda tx: tx.execute(sa.select(feed_leader.c.holder)).scalar_one()))
    worker = int(holder.split(":")[1])
    return [(node, worker) for node in cluster.nodes if worker in node.workers]
