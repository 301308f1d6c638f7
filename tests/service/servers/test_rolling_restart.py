"""Servers are stopped and started again one after another, while everybody goes on betting through a balancer."""

from __future__ import annotations

import signal
from functools import partial

import httpx
import pytest
from websockets.exceptions import ConnectionClosed

from tests.site.feed.listening import listening_at
from tests.support.balancer import Balancer
from tests.support.books import audit_database
from tests.support.cluster import CLUSTER_MARKS, Cluster, Node
from tests.support.http import NO_TLS
from tests.support.lengths import LONG, length
from tests.support.load import Load
from tests.support.service import expect, refused
from tests.support.waiting import WAIT_S, wait_until

pytestmark = [*CLUSTER_MARKS, LONG]
RICH_KOPECKS = 100_000_000
#: Bets that are answered at each stage.
BETS = length(short=10, long=30)


def both_are_leaving(node: Node) -> bool:
    """Return whether both workers of a server close connections: the signal reaches one after the other."""
    answers = [httpx.get(f"{node.api_url}/health", verify=NO_TLS) for _ in range(10)]
    return all(answer.headers.get("Connection") == "close" for answer in answers)


def test_no_client_behind_a_balancer_notices_that_servers_are_replaced_one_by_one(cluster_service: Cluster) -> None:
    cluster = cluster_service
    trader = cluster.user(balance_kopecks=RICH_KOPECKS)
    market_ids = [cluster.event()["pools"][0]["markets"][0]["id"] for _ in range(2)]
    balancer = Balancer(cluster.nodes)
    load = Load(trader, market_ids, lambda: balancer.api_url, traders=length(short=2, long=4))
    with balancer.running():
        wait_until(lambda: len(balancer.ready) == len(cluster.nodes))
        with load.running():
            load.go_on(BETS)
            for node in cluster.nodes[: length(short=1, long=2)]:
                with listening_at(node.api_url) as feed:
                    node.process.send_signal(signal.SIGTERM)
                    # It goes on serving clients that still come, and says that they should not.
                    wait_until(partial(balancer.is_done_with, node))
                    wait_until(partial(both_are_leaving, node))
                    refused(httpx.get(f"{node.api_url}/ready", verify=NO_TLS), 503, "unavailable")
                    leaving = httpx.get(f"{node.api_url}/health", verify=NO_TLS)
                    assert expect(leaving, 200)["status"] == "ok"
                    assert leaving.headers["Connection"] == "close"
                    load.go_on(BETS)

                    node.process.send_signal(signal.SIGTERM)
                    with pytest.raises(ConnectionClosed) as closed:
                        list(iter(feed.message, None))
                assert closed.value.rcvd is not None
                assert closed.value.rcvd.code == 1012
                assert node.process.wait(WAIT_S) == 0
                node.start()
                node.wait_until_serving()
                wait_until(partial(balancer.ready.__contains__, node))
                load.go_on(BETS)
    assert load.unanswered == 0
    load.check(trader, before_kopecks=RICH_KOPECKS)
    audit_database(cluster.database_url)
