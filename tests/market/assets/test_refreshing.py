"""Providers are fetched on a schedule by one process at a time; whatever they answer, the last good values stay."""

from __future__ import annotations

import asyncio
import gzip
import itertools
import threading

import pytest
import sqlalchemy as sa

from foreknow.kernel.settings import Settings
from foreknow.market.assets import refresher as refresher_module
from foreknow.market.assets.refresher import BACK_OFF
from foreknow.market.assets.store import LEASE_MS, RUNS
from foreknow.market.assets.tables import assets
from foreknow.platform.fetching.fetcher import ANSWER_BYTES_MAX
from tests.support.clock import ShiftableClock
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.providers import BINANCE, CBR, COINBASE, ECB, Reply
from tests.support.refreshing import Bench
from tests.support.waiting import happens

MINUTE = 60_000
#: Too short for an answer that will not come.
IMPATIENT_S = 0.1


@pytest.fixture
def clock() -> ShiftableClock:
    """It stands still: a lease or a pause ends when a test says so, however slow the machine is."""
    return ShiftableClock.standing()


async def test_an_exchange_tells_prices(bench: Bench) -> None:
    bench.served.replies["/ticker"] = Reply(BINANCE)
    refresher = bench.refresher({"asset_providers": [bench.exchange()]})
    assert await bench.refresh(refresher)
    assert await bench.price("BTC") == 64250.01
    assert await bench.price("ETH") == 3321.45
    rows = await bench.db.read(lambda tx: tx.execute(sa.select(assets).order_by(assets.c.symbol)).all())
    assert [(row.symbol, row.name, row.asset_type) for row in rows] == [
        ("BTC", "Bitcoin", "crypto"),
        ("ETH", "ETH", "crypto"),
    ]


@ONCE
async def test_an_exchange_may_be_asked_one_pair_at_a_time(bench: Bench) -> None:
    bench.served.replies["/products/BTC-USD/ticker"] = Reply(COINBASE)
    exchange = bench.exchange(
        "/products/{pair}/ticker", adapter="coinbase", assets={"BTC": {"pair": "BTC-USD"}, "OLD": {"pair": "OLD-USD"}}
    )
    assert await bench.refresh(bench.refresher({"asset_providers": [exchange]}))
    assert await bench.price("BTC") == 64249.545
    assert await bench.price("OLD") is None


@ONCE
async def test_central_banks_tell_rates(bench: Bench) -> None:
    bench.served.replies |= {"/daily.asp": Reply(CBR), "/daily.xml": Reply(ECB)}
    banks = [bench.bank("cbr", "/daily.asp"), bench.bank("ecb", "/daily.xml")]
    refresher = bench.refresher({"rate_providers": banks})
    assert await bench.refresh(refresher, 0)
    assert await bench.refresh(refresher, 1)
    assert await bench.rates() == {
        ("RUB", "USD"): (90.125, True),
        ("EUR", "RUB"): (98.5066, False),
        ("JPY", "RUB"): (0.610301, False),
        ("RUB", "UZS"): (0.00712345, True),
        ("EUR", "USD"): (1.093, False),
        ("EUR", "JPY"): (161.41, False),
        ("EUR", "GBP"): (0.8413, False),
    }


async def test_a_provider_is_asked_when_its_interval_is_over_and_not_before(bench: Bench) -> None:
    bench.served.replies["/ticker"] = Reply(BINANCE)
    refresher = bench.refresher({"asset_providers": [bench.exchange(every_s=60)]})
    assert await bench.refresh(refresher)
    assert not await bench.refresh(refresher)
    bench.clock.advance(MINUTE - 5_000)
    assert not await bench.refresh(refresher)
    bench.served.replies["/ticker"] = Reply(BINANCE.replace(b"64250.01000000", b"70000"))
    bench.clock.advance(5_000)
    assert await bench.refresh(refresher)
    assert await bench.price("BTC") == 70_000
    assert len(bench.served.asked) == 2


BAD = {
    "an error": Reply(BINANCE, 500),
    "a redirect": Reply(b"", 302, {"Location": "/elsewhere"}),
    "nothing": Reply(b""),
    "a page": Reply(b"<html>Just a moment...</html>"),
    "half of it": Reply(BINANCE[:90]),
    "less than announced": Reply(BINANCE, announced=len(BINANCE) + 10),
    "too much": Reply(b" " * (ANSWER_BYTES_MAX + 1)),
    "something compressed": Reply(gzip.compress(BINANCE), headers={"Content-Encoding": "gzip"}),
    "it too late": Reply(BINANCE, pause_s=60),
    "it byte by byte": Reply(BINANCE, trickle_s=0.05),
    "other pairs": Reply(b'[{"symbol":"XYZ","price":"1"}]'),
    "prices of nothing": Reply(BINANCE.replace(b"64250", b"-1").replace(b"3321", b"NaN")),
}


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("what", BAD)
async def test_a_bad_answer_changes_nothing_and_is_requested_again_later(bench: Bench, what: str) -> None:
    bench.served.replies["/ticker"] = Reply(BINANCE)
    settings, bad = {"asset_providers": [bench.exchange(every_s=60)]}, BAD[what]
    refresher = bench.refresher(settings)
    assert await bench.refresh(refresher)
    before = await bench.db.read(lambda tx: tx.execute(sa.select(assets).order_by(assets.c.id)).all())

    bench.clock.advance(2 * MINUTE)
    bench.served.replies["/ticker"] = bad
    is_slow = bool(bad.pause_s or bad.trickle_s)
    assert not await bench.refresh(bench.refresher(settings, answer_s=IMPATIENT_S) if is_slow else refresher)
    assert await bench.db.read(lambda tx: tx.execute(sa.select(assets).order_by(assets.c.id)).all()) == before

    bench.served.replies["/ticker"] = Reply(BINANCE)
    assert not await bench.refresh(refresher), "not before its pause is over"
    bench.clock.advance(BACK_OFF.pause_ms(1, jitter=0.5))
    assert await bench.refresh(refresher)


async def test_a_provider_that_is_not_there_is_asked_ever_more_rarely(bench: Bench) -> None:
    refresher = bench.refresher({"asset_providers": [bench.exchange("/nothing")]})
    for failures in itertools.count(1):
        assert not await bench.refresh(refresher)
        assert len(bench.served.asked) == failures
        pause_ms = BACK_OFF.pause_ms(failures, jitter=0.5)
        bench.clock.advance(pause_ms - 2_000)
        assert not await bench.refresh(refresher)
        assert len(bench.served.asked) == failures
        bench.clock.advance(2_000)
        if failures == 8:
            break
    assert BACK_OFF.pause_ms(8, jitter=0) == BACK_OFF.most_ms


async def test_one_process_fetches_and_another_takes_over_when_it_dies(bench: Bench) -> None:
    bench.served.replies["/ticker"] = Reply(BINANCE, pause_s=0.2)
    several = [bench.refresher({"asset_providers": [bench.exchange()]}) for _ in range(4)]
    done = await asyncio.gather(*(bench.refresh(one) for one in several))
    assert sorted(done) == [False, False, False, True]
    assert len(bench.served.asked) == 1

    bench.clock.advance(2 * MINUTE)
    bench.served.replies["/ticker"] = Reply(BINANCE, released=threading.Event())
    dying = asyncio.create_task(bench.refresh(several[0]))
    await happens(lambda: len(bench.served.asked) == 2)
    dying.cancel()
    await asyncio.wait({dying})
    bench.served.replies["/ticker"] = Reply(BINANCE)
    assert not await bench.refresh(several[1])
    bench.clock.advance(LEASE_MS)
    assert await bench.refresh(several[1])


async def test_a_run_that_outlived_its_lease_changes_nothing(bench: Bench) -> None:
    released = threading.Event()
    bench.served.replies["/ticker"] = Reply(BINANCE, released=released)
    slow, quick = (bench.refresher({"asset_providers": [bench.exchange()]}) for _ in range(2))
    late = asyncio.create_task(bench.refresh(slow))
    await happens(lambda: bool(bench.served.asked))
    bench.clock.advance(LEASE_MS)
    bench.served.replies["/ticker"] = Reply(BINANCE.replace(b"64250.01000000", b"70000"))
    assert await bench.refresh(quick)
    released.set()
    assert await late is False
    assert await bench.price("BTC") == 70_000


async def test_the_second_exchange_steps_in_where_the_first_is_silent(bench: Bench) -> None:
    bench.served.replies |= {"/one": Reply(BINANCE), "/two": Reply(BINANCE.replace(b"64250.01000000", b"70000"))}
    exchanges = [bench.exchange("/one", name="one"), bench.exchange("/two", name="two")]
    refresher = bench.refresher({"asset_providers": exchanges})
    for number in (1, 0, 1):
        bench.clock.advance(2 * MINUTE)
        assert await bench.refresh(refresher, number)
        assert await bench.price("BTC") == (70_000 if number == 1 and len(bench.served.asked) == 1 else 64250.01)
    bench.served.replies["/one"] = Reply(b"", 503)
    bench.clock.advance(2 * MINUTE)
    assert not await bench.refresh(refresher, 0)
    assert await bench.refresh(refresher, 1)
    assert await bench.price("BTC") == 70_000
    bench.served.replies["/one"] = Reply(BINANCE)
    bench.clock.advance(2 * MINUTE)
    assert await bench.refresh(refresher, 0)
    assert await bench.price("BTC") == 64250.01


async def test_it_works_by_itself_and_one_that_hangs_delays_no_other(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refresher_module, "POLL_S", 0.02)
    bench.served.replies |= {"/slow": Reply(CBR, pause_s=30), "/quick": Reply(ECB)}
    banks = [bench.bank("cbr", "/slow"), bench.bank("ecb", "/quick")]
    refresher = bench.refresher({"rate_providers": banks})
    refresher.start()
    await happens(lambda: {"/slow", "/quick"} <= set(bench.served.asked))
    await happens(bench.rates)
    assert not await bench.db.read(lambda tx: RUNS.is_due(tx, "rates:ecb", now_ms=bench.clock()))


@pytest.mark.parametrize(
    "settings",
    [
        {"asset_providers": "nonsense"},
        {"asset_providers": '[{"adapter": "kraken", "url": "https://x", "assets": {"BTC": {"pair": "B"}}}]'},
        {"asset_providers": '[{"adapter": "binance", "url": "ftp://x", "assets": {"BTC": {"pair": "B"}}}]'},
        {"asset_providers": '[{"adapter": "binance", "url": "https://x", "assets": {}}]'},
        {"asset_providers": '[{"adapter": "binance", "url": "https://x", "assets": {"B C": {"pair": "B"}}}]'},
        {"rate_providers": '[{"adapter": "ecb", "url": "https://x"}, {"adapter": "ecb", "url": "https://y"}]'},
        {"rate_providers": '[{"adapter": "ecb", "url": "https://x", "every_s": 0}]'},
    ],
)
def test_settings_that_make_no_sense_are_refused(settings: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="providers"):
        Settings.model_validate(settings)


@ONCE
def test_no_provider_has_the_name_of_what_admins_set(bench: Bench) -> None:
    Settings.model_validate({"asset_providers": [bench.exchange(name="admins")]})
    with pytest.raises(ValueError, match="admin is the source of prices that admins set"):
        Settings.model_validate({"asset_providers": [bench.exchange(name="admin")]})


def test_settings_are_read_from_json() -> None:
    text = '[{"adapter": "ecb", "url": "https://one"}, {"adapter": "ecb", "name": "two", "url": "https://two"}]'
    read = Settings.model_validate({"rate_providers": text, "asset_providers": ""})
    assert [one.name for one in read.rate_providers] == ["ecb", "two"]
    assert read.asset_providers == []
