"""What a stranger requests again is answered in one step, and like the first time."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import httpx
import pytest

from foreknow.kernel.errors import RateLimited
from foreknow.kernel.rates import parse_rate
from foreknow.platform.db.engine import Database
from foreknow.platform.db.public_reads import PublicReads
from foreknow.platform.db.transactions import ReadTx
from foreknow.web.client_ip import ClientAddresses
from foreknow.web.endpoint import READS
from foreknow.web.rate_limits import Limits
from foreknow.web.repeated_reads import TARGET_BYTES_MAX, RepeatedReads
from foreknow.web.request_log import RequestLog
from foreknow.web.response_cache import TRUST_MS, ResponseCache
from tests.support.service import Service, expect, pool


def read_thrice(client: httpx.Client, path: str) -> list[httpx.Response]:
    """Read three times: from the third on, a cached response is found by the target of the request."""
    return [client.get(path) for _ in range(3)]


def seen(answer: httpx.Response) -> tuple[int, list[tuple[str, str]], bytes]:
    """Return what a client sees of an answer, without what differs from request to request."""
    headers = [item for item in answer.headers.multi_items() if item[0] not in {"date", "x-request-id"}]
    return answer.status_code, sorted(headers), answer.content


def paths(event: dict[str, object]) -> list[str]:
    """Return the addresses of an event's shared answers."""
    ids = [each["id"] for each in event["pools"]]  # type: ignore[attr-defined] # JSON
    market_id = event["pools"][0]["markets"][0]["id"]  # type: ignore[index] # JSON
    return [
        f"/events/{event['id']}",
        f"/pools/{ids[0]}",
        f"/pools/batch?ids={ids[0]},{ids[1]}",
        f"/pools/{ids[0]}/charts?range=1d",
        f"/markets/{market_id}",
        f"/market/orderbook/{market_id}",
        "/tags",
    ]


@pytest.mark.parametrize("accepted", ["identity", "gzip"])
def test_a_repeated_read_is_the_same(service: Service, accepted: str) -> None:
    event = service.event(pools=[pool(), pool()])

    for path in paths(event):
        client = service.client(headers={"Accept-Encoding": accepted})
        first, *later = read_thrice(client, path)

        assert first.status_code == 200
        assert {answer.status_code for answer in later} == {200}
        if "charts" not in path:
            # They end in the present.
            assert [seen(answer) for answer in later] == [seen(first)] * 2
            assert client.get(path, headers={"If-None-Match": first.headers["etag"]}).status_code == 304


def test_a_repeated_read_shows_each_trade(service: Service) -> None:
    trader = service.user(balance_kopecks=10_000)
    event = service.event(pools=[pool(), pool()])
    order = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 1_000}

    for path in paths(event)[1:-1]:
        before = read_thrice(service.client(), path)[-1].content
        expect(trader.client.post("/market/bets", json=order), 201)

        assert read_thrice(service.client(), path)[0].content != before


def test_a_repeated_batch_shows_a_trade_in_its_last_pool(service: Service) -> None:
    trader = service.user(balance_kopecks=10_000)
    event = service.event(pools=[pool(), pool()])
    order = {"market_id": event["pools"][1]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 1_000}
    path = paths(event)[2]
    before = read_thrice(service.client(), path)[-1].json()
    # The array's other part is read again, too.
    read_thrice(service.client(), f"/pools/{event['pools'][0]['id']}")
    expect(trader.client.post("/market/bets", json=order), 201)
    after = read_thrice(service.client(), path)[0].json()

    assert after[0] == before[0]
    assert after[1] != before[1]


def test_a_caller_is_not_taken_for_a_stranger(service: Service) -> None:
    event = service.event()
    path = f"/events/{event['id']}"
    stranger = read_thrice(service.client(), path)[-1]
    bearer = service.client().get(path, headers={"Authorization": "Bearer nothing"})
    cookie = service.client().get(path, headers={"Cookie": "access_token=nothing"})
    creator = service.creator.client.get(path)

    assert stranger.headers["cache-control"] == "no-cache"
    assert (bearer.status_code, cookie.status_code) == (401, 401)
    assert creator.headers["cache-control"] == "no-store"


def test_other_methods_of_a_known_target_are_answered_as_before(service: Service) -> None:
    event = service.event()
    path = f"/events/{event['id']}"
    read_thrice(service.client(), path)

    assert service.client().head(path).content == b""
    assert service.client().put(path).status_code == 405


def test_a_target_that_is_too_long_is_answered_all_the_same(service: Service) -> None:
    event = service.event()
    path = f"/events/{event['id']}?{'x' * TARGET_BYTES_MAX}"

    assert {answer.status_code for answer in read_thrice(service.client(), path)} == {200}


async def test_a_known_target_is_answered_without_its_handler_while_the_response_is_fresh(db: Database) -> None:
    now_ms = 1_000

    def read(tx: ReadTx) -> tuple[str, list[int]]:
        return "shown", [7]

    responses = ResponseCache(db, PublicReads(db), lambda: now_ms)
    limits = Limits({READS: parse_rate("1/h burst 4")}, timer=lambda: 0.0)
    repeated = RepeatedReads(responses, ClientAddresses(), limits, None)
    log = RequestLog()
    endpoint: Any = SimpleNamespace(is_private=False, level=None, rate_limit_group=READS)
    scope = {"method": "GET", "raw_path": b"/pools/7", "query_string": b"", "headers": [], "client": ("192.0.2.1", 1)}

    async def make() -> None:
        repeated.note(endpoint, scope, await responses.get(("pool", 7), read))

    def answer() -> bytes | None:
        found = repeated.answer(log.begin(scope), scope)
        return None if found is None else found.body

    assert answer() is None
    await make()
    assert answer() == b'"shown"'
    now_ms += TRUST_MS
    assert answer() is None, "it is too old"
    await make()
    assert answer() == b'"shown"'
    responses.invalidate_pools([7])
    assert answer() is None, "its pool has changed"
    await make()
    assert answer() == b'"shown"'
    responses.invalidate_all()
    assert answer() is None, "anything may have changed"
    await make()
    assert answer() == b'"shown"', "the fourth of four that are allowed"
    with pytest.raises(RateLimited):
        answer()
