"""Every price is kept with the time at which its request began; rules find the ones that they may use."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from foreknow.market.assets import observations
from foreknow.market.assets import refresher as refresher_module
from foreknow.market.assets.observations import NewObservation, Observation
from foreknow.market.assets.refresher import BACK_OFF, Refresher
from foreknow.market.assets.store import asset_by_symbol
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from tests.support.clock import ShiftableClock
from tests.support.kinds import ONCE
from tests.support.plans import plan
from tests.support.proofs import proves
from tests.support.providers import BINANCE, COINBASE, Reply
from tests.support.refreshing import Bench
from tests.support.waiting import happens

SECOND, HOUR = 1_000, 3_600_000
PAIRS = {"BTC": {"pair": "BTC-USD"}, "ETH": {"pair": "ETH-USD"}}


def tickers(price: float, **reply: Any) -> Reply:
    """Return an exchange's reply that gives this price of BTC."""
    return Reply(BINANCE.replace(b"64250.01000000", str(price).encode()), **reply)


async def request(refresher: Refresher, bench: Bench, *, since_ms: int, source: str | None = None) -> None:
    await bench.db.write(lambda tx: refresher.request_prices(tx, ["BTC"], source=source, since_ms=since_ms))


async def first_from(bench: Bench, from_ms: int, source: str | None = None) -> Observation | None:
    return await bench.db.read(
        lambda tx: observations.first_recorded(tx, "BTC", source=source, from_ms=from_ms, to_ms=from_ms + 300 * SECOND)
    )


@proves("lifecycle: when its request began, the provider's name")
async def test_a_price_is_observed_when_its_request_begins_and_updated_when_it_is_recorded(bench: Bench) -> None:
    released = threading.Event()
    bench.served.replies["/ticker"] = Reply(BINANCE, released=released)
    refresher = bench.refresher({"asset_providers": [bench.exchange()]})
    run = asyncio.create_task(bench.refresh(refresher))
    await happens(lambda: len(bench.served.asked) == 1)
    asked_by_ms = bench.clock()
    bench.clock.advance(5 * SECOND)
    released.set()
    assert await run
    (only,) = await bench.observations()
    assert (only.price_usd, only.source, only.counts) == (64250.01, "binance", True)
    assert only.observed_at_ms <= asked_by_ms
    asset = await bench.db.read(lambda tx: asset_by_symbol(tx, "BTC"))
    assert asset is not None
    assert asset.price_updated_at_ms >= asked_by_ms + 5 * SECOND
    assert asset.observed_at_ms == only.observed_at_ms
    assert [one.price_usd for one in await bench.observations("ETH")] == [3321.45]


@ONCE
async def test_pairs_that_are_requested_one_by_one_are_observed_one_by_one(bench: Bench) -> None:
    released = threading.Event()
    bench.served.replies |= {
        "/products/BTC-USD/ticker": Reply(COINBASE, released=released),
        "/products/ETH-USD/ticker": Reply(COINBASE.replace(b"64249.545", b"3300")),
    }
    exchange = bench.exchange("/products/{pair}/ticker", adapter="coinbase", assets=PAIRS)
    run = asyncio.create_task(bench.refresh(bench.refresher({"asset_providers": [exchange]})))
    # The response that does not come keeps the other request waiting for nothing.
    await happens(lambda: len(bench.served.asked) == 2)
    released.set()
    assert await run
    (bitcoin,), (ether,) = await bench.observations("BTC"), await bench.observations("ETH")
    assert (bitcoin.price_usd, ether.price_usd) == (64249.545, 3300)
    assert bitcoin.observed_at_ms < ether.observed_at_ms


@proves("lifecycle: Every price fetched", "lifecycle: It counts where it became the asset's price.")
async def test_prices_without_priority_are_kept_and_do_not_count(bench: Bench) -> None:
    bench.served.replies |= {"/one": tickers(1), "/two": tickers(2)}
    exchanges = [bench.exchange("/one", name="one"), bench.exchange("/two", name="two")]
    refresher = bench.refresher({"asset_providers": exchanges})
    for number in (1, 0, 1):
        bench.clock.advance(100 * SECOND)
        assert await bench.refresh(refresher, number)
    kept = [(one.source, one.price_usd, one.counts) for one in await bench.observations()]
    assert kept == [("two", 2, True), ("one", 1, True), ("two", 2, False)]


async def test_of_two_sources_that_respond_out_of_order_the_first_recorded_is_found(bench: Bench) -> None:
    released = threading.Event()
    bench.served.replies |= {"/one": tickers(1, released=released), "/two": tickers(2)}
    exchanges = [bench.exchange("/one", name="one"), bench.exchange("/two", name="two")]
    refresher = bench.refresher({"asset_providers": exchanges})
    moment = bench.clock()
    late = asyncio.create_task(bench.refresh(refresher, 0))
    await happens(lambda: bench.served.asked == ["/one"])
    bench.clock.advance(SECOND)
    assert await bench.refresh(refresher, 1)
    released.set()
    assert await late

    two, one = await bench.observations()
    assert (two.source, one.source) == ("two", "one")
    assert one.observed_at_ms < two.observed_at_ms
    assert await first_from(bench, moment) == two
    assert await first_from(bench, moment, "one") == one
    # A price never gives way to an older one, whatever the priority of its source.
    assert not one.counts
    assert await bench.price("BTC") == 2
    bench.clock.advance(100 * SECOND)
    assert await bench.refresh(refresher, 0)
    assert await bench.price("BTC") == 1


async def test_a_request_that_began_before_a_moment_does_not_count_from_it_on_and_another_is_made_beside_it(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresher_module, "POLL_S", 0.02)
    released = threading.Event()
    bench.served.replies["/ticker"] = tickers(1, released=released)
    refresher = bench.refresher({"asset_providers": [bench.exchange(every_s=3600)]})
    refresher.start()
    await happens(lambda: len(bench.served.asked) == 1)
    bench.clock.advance(SECOND)
    moment = bench.clock()
    bench.served.replies["/ticker"] = tickers(2)
    await request(refresher, bench, since_ms=moment)
    refresher.wake()
    await happens(lambda: len(bench.served.asked) == 2)

    (newer,) = await bench.recorded(1)
    assert (newer.price_usd, newer.counts) == (2, True)
    assert await first_from(bench, moment) == newer
    released.set()
    _, older = await bench.recorded(2)
    assert (older.price_usd, older.counts) == (1, False)
    assert older.observed_at_ms < moment
    assert await first_from(bench, moment) == newer
    assert await first_from(bench, moment, "binance") == newer
    assert await bench.price("BTC") == 2


async def test_a_request_makes_a_provider_due_unless_it_was_asked_since(bench: Bench) -> None:
    bench.served.replies["/ticker"] = tickers(1)
    refresher = bench.refresher({"asset_providers": [bench.exchange(every_s=3600)]})
    before = bench.clock()
    assert await bench.refresh(refresher)
    await request(refresher, bench, since_ms=before)
    assert not await bench.refresh(refresher)
    bench.clock.advance(SECOND)
    await request(refresher, bench, since_ms=bench.clock())
    assert await bench.refresh(refresher)
    # Of many rules that end at one moment, the first makes the request.
    assert not await bench.refresh(refresher)
    await request(refresher, bench, since_ms=before)
    assert not await bench.refresh(refresher)


@ONCE
async def test_a_request_reaches_only_the_exchanges_that_provide_the_asset(bench: Bench) -> None:
    bench.served.replies |= {"/one": tickers(1), "/two": tickers(2), "/three": tickers(3)}
    only_ether = {"ETH": {"pair": "ETHUSDT"}}
    exchanges = [bench.exchange(f"/{name}", name=name, every_s=3600) for name in ("one", "two")]
    exchanges.append(bench.exchange("/three", name="three", every_s=3600, assets=only_ether))
    refresher = bench.refresher({"asset_providers": exchanges})

    async def asked(source: str | None) -> list[bool]:
        bench.clock.advance(SECOND)
        await request(refresher, bench, since_ms=bench.clock(), source=source)
        return [await bench.refresh(refresher, number) for number in range(3)]

    assert await asked(None) == [True, True, True], "the first run of each"
    assert await asked(None) == [True, True, False]
    assert await asked("two") == [False, True, False]
    assert await asked("three") == await asked("admin") == [False, False, False]


async def test_a_request_does_not_wait_for_the_pause_after_failures(bench: Bench) -> None:
    refresher = bench.refresher({"asset_providers": [bench.exchange()]})
    assert not await bench.refresh(refresher)
    bench.served.replies["/ticker"] = tickers(1)
    assert not await bench.refresh(refresher)
    bench.clock.advance(SECOND)
    assert BACK_OFF.pause_ms(1, jitter=0.5) > SECOND
    await request(refresher, bench, since_ms=bench.clock())
    assert await bench.refresh(refresher)


async def test_several_processes_answer_several_requests_for_one_moment_with_one_run(bench: Bench) -> None:
    bench.served.replies["/ticker"] = tickers(1)
    several = [bench.refresher({"asset_providers": [bench.exchange(every_s=3600)]}) for _ in range(4)]
    assert await bench.refresh(several[0])
    bench.clock.advance(SECOND)
    moment = bench.clock()

    async def request_and_run(one: Refresher) -> bool:
        await request(one, bench, since_ms=moment)
        return await bench.refresh(one)

    ran = await asyncio.gather(*map(request_and_run, several))
    # A row that another process's request holds at this moment is passed over until the next poll.
    ran += [await bench.refresh(one) for one in several]
    assert sum(ran) == 1
    assert len(bench.served.asked) == 2


async def test_after_a_clock_was_set_back_prices_count_and_requests_are_made(bench: Bench) -> None:
    bench.served.replies["/ticker"] = tickers(1)
    refresher = bench.refresher({"asset_providers": [bench.exchange()]})
    assert await bench.refresh(refresher)
    bench.clock.advance(-HOUR)
    bench.served.replies["/ticker"] = tickers(2)
    moment = bench.clock()
    await request(refresher, bench, since_ms=moment)
    assert await bench.refresh(refresher)
    first = await first_from(bench, moment)
    assert first is not None
    assert (first.price_usd, first.counts) == (2, True)
    assert await bench.price("BTC") == 2


def observed(at_ms: int, price_usd: float, source: str = "one", *, counts: bool = True) -> NewObservation:
    return NewObservation("BTC", price_usd, at_ms, source, counts=counts)


@pytest.fixture
async def find(db: Database) -> Callable[..., Any]:
    """Records observations and returns the prices that were found among them."""

    async def run(new: list[NewObservation], read: Callable[[ReadTx], Observation | None]) -> float | None:
        await db.write(lambda tx: observations.record(tx, new))
        found = await db.read(read)
        return None if found is None else found.price_usd

    return run


async def test_the_first_recorded_within_both_bounds_is_found_not_the_earliest(find: Callable[..., Any]) -> None:
    def first(from_ms: int, to_ms: int, source: str | None = None) -> Callable[[ReadTx], Observation | None]:
        return lambda tx: observations.first_recorded(tx, "BTC", source=source, from_ms=from_ms, to_ms=to_ms)

    kept = [
        observed(999, 1),
        observed(2_001, 2),
        observed(1_500, 3, "two", counts=False),
        observed(1_400, 4, "two"),
        observed(1_000, 5),
        observed(2_000, 6),
        replace(observed(1_000, 7), symbol="ETH"),
    ]
    assert await find(kept, first(1_000, 2_000)) == 4
    assert await find([], first(1_000, 2_000, "two")) == 3
    assert await find([], first(1_000, 2_000, "one")) == 5
    assert await find([], first(1_000, 1_000)) == 5
    assert await find([], first(2_000, 2_000)) == 6
    assert await find([], first(2_002, 9_000)) is None
    assert await find([], first(1_000, 2_000, "three")) is None


@proves("lifecycle: the newest counting observation (of `source` where named) at publication, at most 120 s old,")
async def test_the_newest_that_counts_is_found_up_to_its_greatest_age(find: Callable[..., Any]) -> None:
    def newest(now_ms: int, source: str | None = None) -> Callable[[ReadTx], Observation | None]:
        return lambda tx: observations.newest(tx, "BTC", source=source, at_most_age_ms=120_000, now_ms=now_ms)

    kept = [
        observed(1_000, 1),
        observed(3_000, 2, "two"),
        observed(2_000, 3),
        observed(4_000, 4, counts=False),
        observed(500_000, 5),
        replace(observed(4_000, 7), symbol="ETH"),
    ]
    assert await find(kept, newest(5_000)) == 2
    assert await find([], newest(5_000, "one")) == 3
    assert await find([], newest(123_000)) == 2
    assert await find([], newest(123_001)) is None
    assert await find([], newest(499_999)) is None, "ahead of the clock"
    assert await find([], newest(500_000)) == 5
    assert await find([observed(500_000, 6)], newest(500_000)) == 6, "of two at one moment the later"
    assert await find([], newest(5_000, "admin")) is None


async def test_rules_find_observations_by_index(new_db: Database, clock: ShiftableClock) -> None:
    for source in (None, "one"):
        for read in (
            lambda tx, source=source: observations.first_recorded(tx, "BTC", source=source, from_ms=0, to_ms=9),
            lambda tx, source=source: observations.newest(tx, "BTC", source=source, at_most_age_ms=9, now_ms=clock()),
        ):
            shown = await new_db.read(lambda tx, read=read: plan(tx, lambda: read(tx)))  # type: ignore[misc]
            assert "ix_asset_prices_symbol_observed" in shown
    shown = await new_db.read(lambda tx: plan(tx, lambda: observations.page(tx, "BTC", before_id=9, limit=9)))
    assert "ix_asset_prices_symbol_id" in shown
    shown = await new_db.read(lambda tx: plan(tx, lambda: observations.oldest_ids(tx, before_ms=9, limit=9)))
    assert "ix_asset_prices_observed" in shown
