"""A final result is the one winner among a pool's outcomes, with its evidence."""

from __future__ import annotations

from typing import Any

import pytest
from msgspec.structs import replace

from foreknow.market.pools.splits import SplitStep
from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.platform.fetching import BadResponse, FetchFailed
from foreknow.trading.odds import FetchedResult, ResultFetcher, open_sources
from tests.support.following import Follower
from tests.support.kinds import ONCE
from tests.support.odds import (
    encoded,
    kalshi,
    kalshi_market,
    manifold_answers,
    manifold_binary,
    polymarket,
    polymarket_market,
    polymarket_resolved,
)
from tests.support.proofs import proves
from tests.support.providers import Reply
from tests.support.service import pool

AT_MS = 1_772_388_000_000
PAGES = {
    "polymarket": ("https://polymarket.com/event/a", "/events/slug/a"),
    "manifold": ("https://manifold.markets/someone/a", "/v0/slug/a"),
    "kalshi": ("https://kalshi.com/markets/a/b/kx-a", "/events/KX-A?with_nested_markets=true"),
}


def result(follower: Follower, source: str, answer: Any, *names: str) -> FetchedResult | None:
    url, path = PAGES[source]
    follower.site.replies[path] = answer if isinstance(answer, Reply) else Reply(encoded(answer))
    event = follower.service.event(pools=[pool(names)], publish=False)
    row = follower.service.look(lambda tx: load_pools(tx, [event["pools"][0]["id"]])[event["pools"][0]["id"]])
    results = ResultFetcher(open_sources(dict.fromkeys(PAGES, follower.site.url)))  # type: ignore[arg-type]

    async def ask() -> FetchedResult | None:
        try:
            return await results.fetch(url, row, at_ms=AT_MS)
        finally:
            await results.stop()

    return follower.service.server.run(ask())


def won_side(follower: Follower, source: str, answer: Any, *names: str) -> int | None:
    found = result(follower, source, answer, *names)
    assert found is not None
    return found.won_side


RED = polymarket_resolved(["0", "1"], title="Reds", question="Will Reds win?")
BLUE = polymarket_resolved(["1", "0"], title="Blues", question="Will Blues win?")


def test_the_winner_comes_with_its_evidence(follower: Follower) -> None:
    found = result(follower, "polymarket", polymarket(RED, BLUE), "Reds", "Blues")
    assert found == FetchedResult(
        1, {"url": f"{follower.site.url}/events/slug/a", "result": "Blues", "fetched_at": "2026-03-01T18:00:00.000Z"}
    )


@ONCE
def test_each_source_has_its_winner(follower: Follower) -> None:
    yes, no = polymarket(polymarket_resolved(["1", "0"])), polymarket(polymarket_resolved(["0", "1"]))
    assert won_side(follower, "polymarket", yes, "Rain") == 0
    assert won_side(follower, "polymarket", no, "Rain") == 1
    assert won_side(follower, "polymarket", polymarket(RED, BLUE), "Reds") == 1
    answers = manifold_answers({"Reds": 1, "Blues": 0}, isResolved=True, resolution="id-1")
    assert won_side(follower, "manifold", answers, "Reds", "Blues") == 1
    assert won_side(follower, "manifold", manifold_binary(1, isResolved=True, resolution="YES"), "Rain") == 0
    assert won_side(follower, "manifold", manifold_binary(0, isResolved=True, resolution="NO"), "Rain") == 1
    markets = [kalshi_market("Reds", status="finalized", result="no")]
    markets.append(kalshi_market("Blues", status="finalized", result="yes"))
    assert won_side(follower, "kalshi", kalshi(*markets), "Reds", "Blues") == 1


@proves("lifecycle: exactly one winner.")
@ONCE
@pytest.mark.parametrize(
    ("source", "answer", "names"),
    [
        ("polymarket", polymarket(polymarket_resolved(["0.5", "0.5"])), ["Rain"]),
        ("polymarket", polymarket(RED, RED | {"groupItemTitle": "Blues"}), ["Reds", "Blues"]),
        ("polymarket", polymarket(BLUE, BLUE | {"groupItemTitle": "Reds"}), ["Reds", "Blues"]),
        ("manifold", manifold_binary(0.4, isResolved=True, resolution="MKT"), ["Rain"]),
        ("manifold", manifold_binary(0.4, isResolved=True, resolution="CANCEL"), ["Rain"]),
        ("kalshi", kalshi(kalshi_market("Rain", status="finalized", result="scalar")), ["Rain"]),
    ],
)
def test_another_end_has_no_single_winner(follower: Follower, source: str, answer: Any, names: list[str]) -> None:
    found = result(follower, source, answer, *names)
    assert found is not None
    assert (found.won_side, found.evidence["result"]) == (None, "")


@proves("lifecycle: Polymarket every matched market `closed`, `umaResolutionStatus` `resolved`,")
@ONCE
@pytest.mark.parametrize(
    ("source", "answer", "names"),
    [
        ("polymarket", polymarket(RED, polymarket_market("0.999", title="Blues")), ["Reds", "Blues"]),
        ("polymarket", polymarket(RED, BLUE | {"umaResolutionStatus": "proposed"}), ["Reds", "Blues"]),
        ("polymarket", polymarket(RED, BLUE), ["Reds", "Greens"]),
        ("manifold", manifold_binary(1, resolution="YES"), ["Rain"]),
        ("kalshi", kalshi(kalshi_market("Rain", status="determined", result="yes")), ["Rain"]),
    ],
)
def test_before_the_end_there_is_no_result(follower: Follower, source: str, answer: Any, names: list[str]) -> None:
    assert result(follower, source, answer, *names) is None


@ONCE
def test_a_source_that_fails_has_no_result(follower: Follower) -> None:
    for wrong in (Reply(b"", 503), Reply(b"", 302, {"Location": "/events/slug/b"}), Reply(b"<html>")):
        with pytest.raises((FetchFailed, BadResponse)):
            result(follower, "polymarket", wrong, "Rain")


def list_row(follower: Follower, *names: str, **columns: Any) -> PoolRow:
    described = pool([*names, "Other"])
    described["metadata"]["shape"] = {"kind": "list"}
    event = follower.service.event(pools=[described], publish=False)
    row: PoolRow = follower.service.look(lambda tx: load_pools(tx, [event["pools"][0]["id"]])[event["pools"][0]["id"]])
    return replace(row, **columns)


@proves("lists: A source's winner that is not in the list, or is Other once there were splits, is for a person.")
def test_a_winner_that_is_not_in_a_list_is_for_a_person(follower: Follower) -> None:
    url, path = PAGES["polymarket"]
    green = polymarket_resolved(["1", "0"], title="Greens", question="Will Greens win?")
    lost = polymarket_resolved(["0", "1"], title="Blues", question="Will Blues win?")
    other = polymarket_resolved(["1", "0"], title="Other", question="Will another win?")
    results = ResultFetcher(open_sources(dict.fromkeys(PAGES, follower.site.url)))  # type: ignore[arg-type]
    split = SplitStep(
        at_ms=1,
        outcome_index=2,
        market_id=1,
        share_percent=50,
        name="Blues",
        name_ru="",
        b=100,
        subsidy_kopecks=0,
        probability=0.1,
        q_yes=0,
        trades=0,
        last_trade_id=0,
        last_position_id=0,
    )

    def ask(row: PoolRow, *markets: Any) -> FetchedResult | None:
        follower.site.replies[path] = Reply(encoded(polymarket(*markets)))
        return follower.service.server.run(results.fetch(url, row, at_ms=AT_MS))

    plain, grown = list_row(follower, "Reds", "Blues"), list_row(follower, "Reds", "Blues", splits=(split,))
    found = [
        ask(plain, RED, BLUE),
        ask(plain, RED, lost, green),
        ask(plain, RED, lost, other),
        ask(grown, RED, lost, other),
    ]
    # An outcome that is still open there, be it Other or a named one, may win.
    waiting = [
        ask(plain, RED, lost, polymarket_market(title="Other", question="Will another win?")),
        ask(plain, RED, polymarket_market(title="Blues", question="Will Blues win?"), green),
    ]
    follower.service.server.run(results.stop())
    assert [None if one is None else one.won_side for one in found] == [1, None, 2, None]
    assert all(found)
    assert waiting == [None, None]
