"""Voids at a moment: each share is paid its market's probability after the last trade until then, exactly."""

from __future__ import annotations

import random
from typing import Any

import pytest

from foreknow.kernel.clock import iso
from foreknow.kernel.validation.fields import to_type
from foreknow.market.pools.store import load_pools
from foreknow.money.ledger import AccountKind
from foreknow.money.pricing import Side
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.positions import store as positions
from foreknow.trading.settlement import service as settlement
from foreknow.trading.settlement.past_trades import NOTHING_KNOWN, later_trades
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.support.clock import ShiftableClock
from tests.support.disputes import leap
from tests.support.kinds import FIRST_ON_POSTGRES
from tests.support.lengths import LONG, length
from tests.support.orders import add_liquidity, balance, bet, sell
from tests.support.proofs import proves
from tests.support.service import Service, expect, pool, refused
from tests.support.waiting import wait_until
from tests.trading.settlement import world
from tests.trading.settlement.windows import disputable, shown, state

THREE = {"name": "Who?", "metadata": {"market_names": ["a", "b", "c"], "lmsr_b_kopecks": 5_000}}


def void(service: Service, pool_id: int, at_ms: int) -> Any:
    return service.admin.post(f"/pools/{pool_id}/resolve", json={"void": True, "at": iso(at_ms)})


@proves(
    'lifecycle: POST /pools/{id}/resolve takes `{"void": true, "at": time}` too,',
    (
        "lifecycle: each share is paid its market's probability after the last trade with `created_at` ≤ `at` "
        "(before any: the first price), exactly;"
    ),
)
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("until", [0, 1, 2, 3, 4])
def test_a_void_pays_the_prices_of_its_moment(moving_service: Service, until: int) -> None:
    """Trades a minute apart, with liquidity added between; the void counts the first `until` of them."""
    service = moving_service
    (made,) = service.event(pools=[pool(["a", "b", "c"], b=5_000)])["pools"]
    markets = [market["id"] for market in made["markets"]]
    trader = service.user(balance_kopecks=100_000)
    prices = [load(service, made["id"])]
    times = [service.clock()]
    steps = (
        lambda: expect(bet(trader, markets[0], "YES", 3_000), 201),
        lambda: expect(bet(trader, markets[1], "NO", 2_000), 201),
        lambda: (
            expect(add_liquidity(service.creator.client, made["id"], 9_000), 200),
            expect(bet(trader, markets[2], "YES", 4_000), 201),
        ),
        lambda: expect(sell(trader, markets[0], "YES", 1_000), 201),
    )
    for step in steps:
        service.clock.advance(60_000)
        step()
        times.append(service.clock())
        prices.append(load(service, made["id"]))
    service.clock.advance(60_000)
    before = balance(trader)
    held = expect(trader.client.get("/market/positions"), 200)["positions"]
    outcome_of = {market_id: index for index, market_id in enumerate(markets)}
    expected = sum(
        prices[until].value_kopecks(outcome_of[row["market_id"]], Side(row["token_type"]), row["amount"])
        for row in held
    )
    answer = expect(void(service, made["id"], times[until]), 200)

    assert (answer["won_side"], answer["resolution"]["state"]) == (-1, "paid")
    assert (answer["resolution"]["void_at"], answer["resolution"]["payouts"]) == (iso(times[until]), None)
    assert balance(trader) == before + expected
    # The market itself still shows its last price.
    last = shown(service, made["id"])["markets"][0]["yes_probability"]
    assert last == prices[-1].probability(0)


def load(service: Service, pool_id: int) -> Any:
    """Return a pool's market maker."""
    return service.look(lambda tx: load_pools(tx, [pool_id])[pool_id].lmsr())


def test_the_same_moment_again_is_answered_and_another_is_refused(moving_service: Service) -> None:
    service = moving_service
    (made,) = service.event()["pools"]
    at_ms = service.clock()
    service.clock.advance(60_000)
    first = expect(void(service, made["id"], at_ms), 200)
    body = {"void": True, "at": iso(at_ms).replace("Z", "000+00:00")}
    path = f"/pools/{made['id']}/resolve"
    assert expect(service.admin.post(path, json=body), 200) == first
    refused(void(service, made["id"], at_ms + 1), 409, "already_resolved")
    refused(service.creator.client.post(path, json={"void": True}), 409, "already_resolved")


@proves(
    "lifecycle: before publication or ahead of now: 400.",
)
def test_a_moment_lies_between_publication_and_now(moving_service: Service) -> None:
    service = moving_service
    event = service.event(publish=False)
    (made,) = event["pools"]
    path = f"/pools/{made['id']}/resolve"
    refused(void(service, made["id"], service.clock()), 409, "invalid_state")
    service.clock.advance(1_000)
    before_ms = service.clock()
    service.clock.advance(1_000)
    expect(service.creator.client.post(f"/events/{event['id']}/publish"), 200)
    refused(void(service, made["id"], before_ms), 400, "bad_request")
    refused(void(service, made["id"], service.clock() + 60_000), 400, "bad_request")
    now = iso(service.clock())
    for body in (
        {"at": now},
        {"won_side": 0, "at": now},
        {"void": False, "at": now},
        {"void": True, "at": "2026-01-01T00:00:00"},
        {"void": True, "at": "0001-01-01T00:00:00+10:00"},
        {"void": True, "at": "9999-12-31T23:59:59-10:00"},
        {"void": True, "at": 1},
    ):
        refused(service.creator.client.post(path, json=body), 400, "bad_request")
    assert state(service, made["id"]) == "open"
    expect(service.creator.client.post(path, json={"void": True, "at": None}), 200)


def test_a_moment_may_correct_a_decision(moving_service: Service) -> None:
    service = moving_service
    (made,) = service.event(pools=[disputable(b=1_000)])["pools"]
    trader = service.user(balance_kopecks=10_000)
    service.clock.advance(1_000)
    at_ms = service.clock()
    service.clock.advance(1_000)
    shares = expect(bet(trader, made["markets"][0]["id"], "YES", 5_000), 201)["shares"]
    path = f"/pools/{made['id']}/resolve"
    expect(service.creator.client.post(path, json={"won_side": 0}), 200)
    corrected = expect(service.admin.post(path, json={"void": True, "at": iso(at_ms)}), 200)["resolution"]
    assert (corrected["void_at"], corrected["won_side"], corrected["state"]) == (iso(at_ms), -1, "decided")
    # A further verdict has an hour at least.
    leap(service, service.clock() + 61 * 60_000, trader)
    wait_until(lambda: state(service, made["id"]) == "paid")
    assert balance(trader) == 5_000 + shares // 2


@proves(
    (
        "lifecycle: each share is paid its market's probability after the last trade with `created_at` ≤ `at` "
        "(before any: the first price), exactly;"
    ),
    "lifecycle: They sum to 1: the house's bound holds.",
)
@LONG
async def test_random_trades_are_undone_exactly(db: Database, clock: ShiftableClock) -> None:
    """In two pools of an event in turn; part of the trades comes after the sums were read."""
    chance = random.Random(11)
    for _ in range(length(short=4, long=40)):

        def story(tx: WriteTx) -> None:
            creator = world.person(tx, creator=True)
            made, beside = world.event(tx, creator, THREE, THREE).pools
            trader = world.person(tx, balance_kopecks=10**7)
            lives = [(clock(), load_pools(tx, [made.id])[made.id].lmsr())]
            known_at = chance.randrange(1, 12)
            void_at = chance.randrange(12)
            known = NOTHING_KNOWN
            for number in range(12):
                clock.advance(chance.choice([0, 1, 1_000]))
                for one in (made, beside):
                    market = chance.choice(one.markets)
                    side = chance.choice([Side.YES, Side.NO])
                    world.bet(tx, trader, market.id, side, stake_kopecks=chance.randrange(100, 5_000))
                row = load_pools(tx, [made.id])[made.id]
                lives.append((row.last_trade_at_ms or 0, row.lmsr()))
                if number == max(known_at, void_at):
                    known = later_trades(tx, row, at_ms=lives[void_at][0])
            at_ms = lives[void_at][0]
            expected = [lmsr for moment_ms, lmsr in lives if moment_ms <= at_ms][-1]
            body = to_type({"void": True, "at": iso(at_ms)}, ResolveBody)
            before = world.balance(tx, trader)
            held = sum(
                expected.value_kopecks(market.outcome_index, side, shares)
                for market, side, shares in holdings(tx, made.id)
            )
            row = settlement.resolve(tx, made.id, body, world.person(tx, admin=True), later=known)
            assert row.decision is not None
            paying = row.lmsr_at(row.decision.void_prices)
            assert (paying.q_yes, paying.q_no) == (expected.q_yes, expected.q_no)
            world.pay(tx, row, size=3)
            assert world.balance(tx, trader) == before + held
            assert world.of_pool(tx, AccountKind.ESCROW, made.id) == 0

        await world.tell(db, story)


def holdings(tx: WriteTx, pool_id: int) -> list[tuple[Any, Side, int]]:
    pool_row = load_pools(tx, [pool_id])[pool_id]
    return [
        (market, Side(position.side), position.shares)
        for market in pool_row.markets
        for position in positions.open_of_market(tx, market.id, after_id=0, limit=1_000)
    ]
