"""An asset's price resolves a pool: which observation decides, and what happens without one."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.commands.audit import audit
from foreknow.kernel.errors import InvalidState
from foreknow.market.assets import observations
from foreknow.market.assets.observations import Observation
from foreknow.market.pools.store import PoolState
from foreknow.market.pools.tables import WAITING_FOR_PRICE, pools
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.resolution import store
from foreknow.trading.settlement.service import AlreadyResolved
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.proofs import proves
from tests.trading.resolution.scene import HOUR, MINUTE, SECOND, Scene


async def test_the_first_observation_from_its_end_on_resolves_a_pool(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.price())
    end = scene.ends_at_ms
    await scene.observe(1.0, at_ms=end - 1)
    await scene.work_at(end)
    assert await scene.won(pool_id) is None
    seen = await scene.observe(100.0, at_ms=end + 5 * SECOND)
    await scene.observe(1.0, at_ms=end + 6 * SECOND)
    await scene.work()
    decision = await scene.decision(pool_id)
    assert decision is not None
    assert (await scene.won(pool_id), decision.evidence, decision.by) == (1, seen, "rule")
    assert await scene.attention() == []
    assert await scene.notices() == []


@proves(
    "lifecycle: **Price verdict**: the first observation recorded with `finish_at` ≤ `observed_at` ≤ `finish_at` "
    "+ `within_seconds`:",
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("late_ms", "decides"), [(-1, False), (0, True), (300_000, True), (300_001, False)])
async def test_observations_count_from_the_end_until_the_window_closes(
    scene: Scene, late_ms: int, *, decides: bool
) -> None:
    (pool_id,) = await scene.event(scene.price())
    await scene.observe(100.0, at_ms=scene.ends_at_ms + late_ms)
    await scene.work_at(scene.ends_at_ms + 300_000)
    assert await scene.won(pool_id) == (1 if decides else None)


@proves("lifecycle: the first observation recorded")
async def test_of_two_sources_the_first_recorded_decides_whenever_it_asked(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.price())
    recorded_first = await scene.observe(1.0, at_ms=scene.ends_at_ms + 9 * SECOND, source="slow")
    await scene.observe(100.0, at_ms=scene.ends_at_ms + SECOND, source="quick")
    await scene.work_at(scene.ends_at_ms + 10 * SECOND)
    assert (await scene.won(pool_id), await scene.evidence(pool_id)) == (0, recorded_first)


@proves("lifecycle: of `source` where named, else the first that counts.")
async def test_only_what_became_the_assets_price_counts_unless_a_source_is_named(scene: Scene) -> None:
    (any_source,) = await scene.event(scene.price())
    (named,) = await scene.event(scene.price(source="kraken"))
    (by_admin,) = await scene.event(scene.price(source="admin"))
    at_ms = scene.ends_at_ms + SECOND
    aside = await scene.observe(1.0, at_ms=at_ms, source="kraken", counts=False)
    counting = await scene.observe(100.0, at_ms=at_ms)
    await scene.work_at(at_ms)
    assert [await scene.evidence(one) for one in (any_source, named, by_admin)] == [counting, aside, None]
    corrected = await scene.observe(5.0, at_ms=at_ms + SECOND, source="admin")
    await scene.work_at(at_ms + SECOND)
    assert [await scene.evidence(one) for one in (any_source, named, by_admin)] == [counting, aside, corrected]


async def test_prices_of_other_assets_do_not_count(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.price())
    await scene.observe(100.0, at_ms=scene.ends_at_ms, symbol="ETH")
    await scene.work_at(scene.ends_at_ms)
    assert await scene.won(pool_id) is None


@proves("lifecycle: in a single-market pool one: inside is YES.")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("price", "won_side"), [(149.99, 1), (150.0, 0), (159.999, 0), (160.0, 1)])
async def test_inside_the_interval_of_a_single_market_yes_wins(scene: Scene, price: float, won_side: int) -> None:
    (pool_id,) = await scene.event(scene.price([{"from": 150, "below": 160}]))
    await scene.observe(price, at_ms=scene.ends_at_ms)
    await scene.work_at(scene.ends_at_ms)
    assert await scene.won(pool_id) == won_side


@FIRST_ON_POSTGRES
@pytest.mark.parametrize(("price", "won_side"), [(51.49, 0), (51.5, 1), (50.0, 0)])
async def test_relative_numbers_refer_to_the_strike(scene: Scene, price: float, won_side: int) -> None:
    await scene.observe(50.0, at_ms=scene.clock() - MINUTE)
    rule = scene.price([{"below": {"times": 1.03}}, {"from": {"times": 1.03}}])
    (pool_id,) = await scene.event(rule)
    # The price has moved since, which changes no bound.
    await scene.observe(70.0, at_ms=scene.clock())
    await scene.observe(price, at_ms=scene.ends_at_ms)
    await scene.work_at(scene.ends_at_ms)
    assert await scene.won(pool_id) == won_side


@proves("lifecycle: Without one: `attention`; no later price is ever used.")
async def test_without_a_price_in_time_a_person_is_needed_and_no_later_price_is_used(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.price(within_seconds=60))
    await scene.work_at(scene.ends_at_ms + MINUTE - 10 * SECOND)
    assert await scene.attention() == []
    await scene.work_at(scene.ends_at_ms + MINUTE + SECOND)
    assert await scene.attention() == [("resolution", pool_id, "no_price")]
    assert await scene.notices() == ["resolution_needed"]
    assert (await scene.pool(pool_id)).attention_reason == "no_price"
    assert await scene.due_at_ms(pool_id) is None
    # Too late, even where it was observed in time.
    await scene.observe(100.0, at_ms=scene.ends_at_ms + SECOND)
    await scene.observe(100.0, at_ms=scene.ends_at_ms + HOUR)
    await scene.work_at(scene.ends_at_ms + 2 * HOUR)
    assert await scene.won(pool_id) is None
    assert await scene.notices() == ["resolution_needed"]


@proves("lifecycle: Providers are asked within 5 s of such a `finish_at`.")
@ONCE
async def test_the_assets_providers_are_asked_at_the_end_and_again_while_there_is_no_price(scene: Scene) -> None:
    await scene.event(scene.price(), scene.price(source="kraken"), scene.price(symbol="ETH"))
    end = scene.ends_at_ms
    await scene.work_at(end - SECOND)
    assert scene.requested == []
    await scene.work_at(end)
    assert sorted(scene.requested, key=str) == sorted(
        [("BTC", None, end), ("BTC", "kraken", end), ("ETH", None, end)], key=str
    )
    await scene.work_at(end + 4 * SECOND)
    assert len(scene.requested) == 3
    await scene.work_at(end + 6 * SECOND)
    assert len(scene.requested) == 6
    assert all(since_ms >= end for _, _, since_ms in scene.requested)
    # Requests become rarer, and end with the wait.
    for second in range(7, 400, 4):
        await scene.work_at(end + second * SECOND)
    assert len(scene.requested) < 3 * 25
    assert len(await scene.attention()) == 3


@ONCE
async def test_a_pool_waits_for_its_price_until_the_last_moment_with_pauses_of_a_quarter_of_the_wait(
    scene: Scene,
) -> None:
    (pool_id,) = await scene.event(scene.price(within_seconds=300))
    end, last = scene.ends_at_ms, scene.ends_at_ms + 300 * SECOND
    # At least five seconds, a minute at most, and not beyond the wait.
    for at_ms, due_at_ms in [
        (end, end + 5 * SECOND),
        (end + 100_001, end + 125_001),
        (end + 239 * SECOND, end + 239 * SECOND + 59_750),
        (last - SECOND, last + 1),
        (last, last + 1),
    ]:
        scene.clock.stop_at(at_ms)
        await scene.work()
        assert await scene.due_at_ms(pool_id) == due_at_ms
        assert await scene.attention() == []
        # Not before, unless a price comes.
        scene.clock.stop_at(due_at_ms - 1)
        await scene.work()
        assert await scene.due_at_ms(pool_id) == due_at_ms
    scene.clock.stop_at(last + 1)
    await scene.work()
    assert await scene.attention() == [("resolution", pool_id, "no_price")]


@ONCE
async def test_a_pool_that_is_looked_at_in_the_last_moment_of_its_wait_still_waits(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.price(within_seconds=300))
    last = scene.ends_at_ms + 300 * SECOND
    for at_ms, due_at_ms in [(last - 60 * SECOND, last), (last, last + 1)]:
        scene.clock.stop_at(at_ms)
        await scene.work()
        assert await scene.due_at_ms(pool_id) == due_at_ms
        assert await scene.attention() == []
    await scene.observe(100.0, at_ms=last)
    await scene.work()
    assert await scene.won(pool_id) is not None


@ONCE
async def test_a_result_that_can_be_disputed_leaves_the_rule_nothing_to_do(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.price(dispute_minutes=1))
    await scene.observe(100.0, at_ms=scene.ends_at_ms)
    await scene.work_at(scene.ends_at_ms)
    pool = await scene.pool(pool_id)
    assert (pool.state, pool.is_decided) == (PoolState.OPEN, True)
    assert await scene.due_at_ms(pool_id) is None


async def test_a_pool_that_was_resolved_by_hand_before_is_left_alone(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.price())
    await scene.resolve_by_hand(pool_id)
    await scene.observe(100.0, at_ms=scene.ends_at_ms)
    await scene.work_at(scene.ends_at_ms + HOUR)
    assert await scene.won(pool_id) == 0
    assert (await scene.attention(), await scene.notices()) == ([], [])
    assert await scene.due_at_ms(pool_id) is None


async def test_an_event_that_was_cancelled_before_is_left_alone(scene: Scene) -> None:
    (pool_id,) = await scene.event(scene.price())
    await scene.cancel(pool_id)
    await scene.observe(100.0, at_ms=scene.ends_at_ms)
    await scene.work_at(scene.ends_at_ms + HOUR)
    assert await scene.won(pool_id) == -1


async def test_many_resolvers_at_once_resolve_each_pool_once(scene: Scene) -> None:
    pool_ids = await scene.event(*[scene.price() for _ in range(20)])
    await scene.observe(100.0, at_ms=scene.ends_at_ms)
    scene.clock.advance(HOUR + SECOND)
    others = [scene.another_resolver() for _ in range(4)]
    for _ in range(10):
        await asyncio.gather(*(one.work() for one in others))
    assert [await scene.won(pool_id) for pool_id in pool_ids] == [1] * 20


async def test_a_rule_a_person_and_a_cancellation_at_once_give_a_pool_one_result(scene: Scene) -> None:
    pool_ids = [(await scene.event(scene.price()))[0] for _ in range(12)]
    await scene.observe(100.0, at_ms=scene.ends_at_ms)
    scene.clock.advance(HOUR + SECOND)
    others = [scene.another_resolver() for _ in range(2)]

    async def settled(change: Awaitable[None]) -> None:
        with contextlib.suppress(AlreadyResolved, InvalidState):
            await change

    await asyncio.gather(
        *(settled(scene.resolve_by_hand(pool_id)) for pool_id in pool_ids),
        *(one.work() for one in others),
        *(settled(scene.cancel(pool_id)) for pool_id in pool_ids),
    )
    await scene.work()
    for pool_id in pool_ids:
        won_side, decision = await scene.won(pool_id), await scene.decision(pool_id)
        assert decision is not None
        # What a rule gives has its evidence, and nothing else has.
        assert won_side in {-1, 0, 1}
        assert (won_side == 1) == (decision.evidence is not None) == (decision.by == "rule")
    findings = await scene.db.read(audit)
    assert not findings, findings


class Died(BaseException):
    """The process ends here."""


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("after_the_commit", [False, True])
async def test_a_pool_whose_process_died_is_resolved_by_another(
    scene: Scene, monkeypatch: pytest.MonkeyPatch, *, after_the_commit: bool
) -> None:
    (pool_id,) = await scene.event(scene.price())
    seen = await scene.observe(100.0, at_ms=scene.ends_at_ms)
    scene.clock.advance(HOUR + SECOND)
    doomed, write = scene.another_resolver(), scene.db.write

    async def die(work: Any) -> Any:
        if after_the_commit:
            await write(work)
        raise Died

    with monkeypatch.context() as patch:
        patch.setattr(scene.db, "write", die)
        with pytest.raises(Died):
            await doomed.work()
    assert (await scene.won(pool_id) is not None) == after_the_commit
    await scene.work_at(scene.clock() + 2 * MINUTE)
    assert (await scene.won(pool_id), await scene.evidence(pool_id)) == (1, seen)


async def test_a_pool_whose_result_fails_keeps_no_other_from_its_own(scene: Scene) -> None:
    await scene.observe(100.0, at_ms=scene.clock())
    (broken,) = await scene.event(scene.price([{"below": {"times": 1}}, {"from": {"times": 1}}]))
    (sound,) = await scene.event(scene.price())
    await scene.db.write(lambda tx: tx.execute(pools.update().where(pools.c.id == broken).values(strike=sa.null())))
    scene.clock.advance(HOUR)
    await scene.observe(100.0, at_ms=scene.ends_at_ms)
    for _ in range(2):
        with contextlib.suppress(ValueError):
            await scene.work()
    assert (await scene.won(broken), await scene.won(sound)) == (None, 1)


@ONCE
async def test_pools_that_wait_for_one_price_share_a_look(scene: Scene, monkeypatch: pytest.MonkeyPatch) -> None:
    await scene.event(*[scene.price()] * 3, scene.price(source="quick"))
    scene.clock.advance(HOUR)
    first_recorded, looks = observations.first_recorded, []

    def look(tx: ReadTx, symbol: str, **wanted: Any) -> Observation | None:
        looks.append((symbol, wanted["source"]))
        return first_recorded(tx, symbol, **wanted)

    monkeypatch.setattr(observations, "first_recorded", look)
    await scene.db.read(scene.resolver._look)
    assert sorted(looks, key=str) == [("BTC", "quick"), ("BTC", None)]


async def test_pools_that_wait_for_a_price_are_found_without_reading_the_others(scene: Scene) -> None:
    ends = [scene.ends_at_ms + number * MINUTE for number in range(3)]
    waiting, *_ = await scene.event(*[scene.price(ends_at_ms=end) for end in ends], scene.manual())
    await scene.work_at(scene.ends_at_ms)
    found = await scene.db.read(lambda tx: store.waiting_for_price(tx, now_ms=scene.clock()))
    assert [pool.id for pool, _ in found] == [waiting]
    query = sa.select(pools.c.id).where(WAITING_FOR_PRICE, pools.c.finish_at_ms <= 0)

    def plan(tx: ReadTx) -> str:
        if tx.dialect.name == "sqlite":
            return str(tx.execute(sa.text(f"EXPLAIN QUERY PLAN {literal(query, tx)}")).all())
        # Of a few rows PostgreSQL reads all, unless it must not; which of two small indexes it takes, is chance.
        tx.execute(sa.text("SET LOCAL enable_seqscan = off"))
        return str(tx.execute(sa.text(f"EXPLAIN {literal(query, tx)}")).all())

    found_by = await scene.db.read(plan)
    assert "ix_pools_waiting_for_price" in found_by or "ix_pools_open" in found_by


def literal(query: sa.Select[int], tx: ReadTx) -> str:
    return str(query.compile(dialect=tx.dialect, compile_kwargs={"literal_binds": True}))
