"""After the first trade the house account moves prices: an ordinary trader with a budget and the house's money."""

from __future__ import annotations

import asyncio
import math
import random
from decimal import Decimal
from typing import Any

import pytest
import sqlalchemy as sa

from foreknow.market.pools.store import load_pools
from foreknow.people.users.tables import HOUSE_TRADER_KEY
from foreknow.trading.odds import Budget
from foreknow.trading.odds.sources.base import SourcePrices
from tests.contract.site_setting import change
from tests.site.feed.listening import listening
from tests.support.books import audit_database
from tests.support.following import BUDGET_KOPECKS, HOUSE, STEP_KOPECKS, Follower, following
from tests.support.kinds import ONCE
from tests.support.odds import polymarket_group
from tests.support.proofs import proves
from tests.support.providers import Reply
from tests.support.service import expect, pool, refused


def transferred(follower: Follower, kind: str) -> int:
    return follower.sum("SELECT SUM(amount_kopecks) FROM transfers WHERE kind = :kind", kind=kind)


def stats(follower: Follower) -> dict[str, int]:
    viewer = follower.service.user(stats_viewer=True)
    total: dict[str, int] = expect(viewer.client.get("/admin/stats"), 200)["total"]
    return total


@proves("lifecycle: After it the house account", "lifecycle: trades where a price is over 0.01 off:")
def test_it_moves_prices_that_are_over_a_hundredth_off(follower: Follower) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.4"})
    follower.bet(event)
    before = follower.prices(event)
    assert follower.round(event)
    after = follower.prices(event)
    # λ = step / (b·ln(p/t)) of the one price above its target.
    part = STEP_KOPECKS / (100_000 * math.log(before[1] / 0.4))
    powers = [p ** (1 - part) * t**part for p, t in zip(before, (0.6, 0.4), strict=True)]
    assert after == pytest.approx([power / sum(powers) for power in powers], abs=1e-4)
    assert 0 < follower.spent(event) <= STEP_KOPECKS
    follower.answer(event, polymarket_group(Reds=f"{after[0] + 0.0099:.4f}", Blues=f"{after[1] - 0.0099:.4f}"))
    assert follower.round(event)
    assert follower.prices(event) == after


@ONCE
def test_it_reaches_the_sources_prices_round_by_round(follower: Follower) -> None:
    names = {"Reds": "0.5", "Blues": "0.3", "Draw": "0.2"}
    event = follower.event(names, pools=[pool(names, b=20_000)])
    follower.bet(event, 2_000, market=2)
    for _ in range(4):
        assert follower.round(event)
    assert follower.prices(event) == pytest.approx([0.5, 0.3, 0.2], abs=0.011)


@proves("lifecycle: as ordinary trades.")
def test_its_trades_are_ordinary_ones(follower: Follower) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.4"})
    follower.bet(event)
    before = stats(follower)
    pool_before = expect(follower.service.client().get(f"/pools/{event['pools'][0]['id']}"), 200)
    assert follower.round(event)
    (trade,) = follower.house_trades(event)
    assert (trade.action, trade.side, trade.outcome_index, trade.fee_kopecks) == ("buy", "YES", 0, 0)
    after, pool_after = stats(follower), expect(follower.service.client().get(f"/pools/{event['pools'][0]['id']}"), 200)
    assert after["volume_kopecks"] == before["volume_kopecks"] + trade.amount_kopecks
    assert after["open_interest_kopecks"] == before["open_interest_kopecks"] + trade.shares
    markets = zip(pool_before["markets"], pool_after["markets"], strict=True)
    assert [new["q_yes"] - old["q_yes"] for old, new in markets] == [trade.shares, 0]
    points = expect(follower.service.client().get(f"/markets/{event['pools'][0]['markets'][0]['id']}/chart"), 200)
    assert points[-1]["probability"] == follower.prices(event)[0]


def test_its_trades_are_in_the_feed_under_the_name_of_the_setting(follower: Follower) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.4"})
    follower.bet(event)
    with listening(follower.service) as feed:
        feed.message()
        assert follower.round(event)
        trade = feed.message()["trade"]
    assert (trade["name"], trade["token"], trade["event"]) == (HOUSE, "YES", event["name"])


@proves("lifecycle: in one transaction,")
def test_all_trades_of_a_round_are_committed_together(follower: Follower, monkeypatch: pytest.MonkeyPatch) -> None:
    names = {"Reds": "0.2", "Blues": "0.3", "Draw": "0.5"}
    event = follower.event(names, pools=[pool(names, probabilities=[0.5, 0.3, 0.2])])
    follower.bet(event)
    database = follower.service.app.db
    write, committed = database.write_private, [0]

    async def write_and_count(work: Any) -> Any:
        done = await write(work)
        count = sa.text("SELECT COUNT(*) FROM trades WHERE event_id = :id")
        committed.append(await database.read(lambda tx: tx.execute(count, {"id": event["id"]}).scalar_one() - 1))
        return done

    monkeypatch.setattr(database, "write_private", write_and_count)
    assert follower.round(event)
    assert len(follower.house_trades(event)) == max(committed) > 1
    assert set(committed) == {0, max(committed)}


@proves("lifecycle: Its money is the house's (transfers `odds_funding`, `odds_return`)")
def test_its_money_is_the_houses(follower: Follower) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.4"})
    follower.bet(event)
    funded, returned = transferred(follower, "odds_funding"), transferred(follower, "odds_return")
    assert follower.round(event)
    assert transferred(follower, "odds_funding") - funded == follower.spent(event)
    follower.answer(event, polymarket_group(Reds="0.4", Blues="0.6"))
    spent = follower.spent(event)
    assert follower.round(event)
    sold = [trade for trade in follower.house_trades(event) if trade.action == "sell"]
    assert sold
    change = follower.spent(event) - spent
    paid = transferred(follower, "odds_funding") - funded - spent
    assert paid - (transferred(follower, "odds_return") - returned) == change


@proves(
    "lifecycle: and counts in `house_result`.",
    "decisions: and what its own trading account earned;",
)
def test_settlement_returns_its_money_and_counts_what_it_earned(follower: Follower) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.4"}, pools=[pool(["Reds", "Blues"], margin=0.05)])
    pool_id = event["pools"][0]["id"]
    follower.bet(event, 1_000)
    for _ in range(3):
        assert follower.round(event)
    bought = sum(int(trade.shares) for trade in follower.house_trades(event))
    before, spent = stats(follower), follower.spent(event)
    returned = transferred(follower, "odds_return")
    bound = follower.sum("SELECT loss_bound_kopecks FROM pools WHERE id = :id", id=pool_id)
    escrow = follower.sum(
        "SELECT a.balance_kopecks FROM accounts a JOIN pools p ON p.escrow_account_id = a.id WHERE p.id = :id",
        id=pool_id,
    )
    owed = follower.sum("SELECT SUM(q_yes) FROM markets WHERE pool_id = :id AND outcome_index = 0", id=pool_id)
    expect(follower.service.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    assert transferred(follower, "odds_return") - returned == bought
    expected = (escrow - owed - bound) + (bought - spent)
    assert stats(follower)["house_result_kopecks"] - before["house_result_kopecks"] == expected


@proves("lifecycle: stakes less payouts, `FOREKNOW_ODDS_BUDGET_KOPECKS`")
@ONCE
def test_the_budget_ends_it(follower: Follower) -> None:
    event = follower.event({"Reds": "0.95", "Blues": "0.05"})
    follower.bet(event)
    for _ in range(6):
        assert follower.round(event)
        assert follower.spent(event) <= BUDGET_KOPECKS
    spent, prices = follower.spent(event), follower.prices(event)
    assert spent > BUDGET_KOPECKS - 1_000
    assert prices[0] < 0.9
    assert follower.round(event)
    assert spent <= follower.spent(event) <= BUDGET_KOPECKS
    assert follower.prices(event) == pytest.approx(prices, abs=0.001)


@ONCE
def test_over_a_budget_that_was_lowered_it_sells_as_prices_move_back_and_spends_no_more(follower: Follower) -> None:
    event = follower.event({"Reds": "0.8", "Blues": "0.2"})
    follower.bet(event)
    for _ in range(2):
        assert follower.round(event)
    spent, held = follower.spent(event), follower.prices(event)
    frugal = follower.with_rules(budget=Budget(step_kopecks=10_000, pool_kopecks=1, day_kopecks=10**9))
    assert follower.round(event, rounds=frugal)
    assert (follower.spent(event), follower.prices(event)) == (spent, held)
    back = f"{held[0] - 0.02:.3f}"
    follower.answer(event, polymarket_group(Reds=back, Blues=f"{1 - float(back):.3f}"))
    assert follower.round(event, rounds=frugal)
    assert 1 < follower.spent(event) < spent
    assert follower.prices(event)[0] < held[0]


@proves("lifecycle: (0: never) a pool and")
@ONCE
def test_without_a_budget_it_never_trades(follower: Follower) -> None:
    event = follower.event({"Reds": "0.9", "Blues": "0.1"})
    follower.bet(event)
    idle = follower.with_rules(budget=Budget(step_kopecks=10_000, pool_kopecks=0, day_kopecks=10**9))
    before = follower.prices(event)
    assert follower.round(event, rounds=idle)
    assert follower.prices(event) == before
    assert follower.house_trades(event) == []


@proves(
    "lifecycle: at most `FOREKNOW_ODDS_STEP_KOPECKS` (10,000) a round and, stakes less payouts, "
    "`FOREKNOW_ODDS_BUDGET_KOPECKS`",
)
@ONCE
def test_random_sources_and_traders_never_make_it_pass_its_budget(follower: Follower) -> None:
    random_numbers = random.Random(7)
    event = follower.event(
        {"Reds": "0.5", "Blues": "0.3", "Draw": "0.2"}, pools=[pool(["Reds", "Blues", "Draw"], b=20_000, margin=0.02)]
    )
    for _ in range(12):
        for _ in range(random_numbers.randint(0, 2)):
            side = random_numbers.choice(["YES", "NO"])
            follower.bet(event, random_numbers.randint(100, 15_000), market=random_numbers.randint(0, 2), side=side)
        parts = [random_numbers.randint(1, 20) for _ in range(3)]
        prices = {name: f"{part / sum(parts):.3f}" for name, part in zip(("Reds", "Blues", "Draw"), parts, strict=True)}
        follower.answer(event, polymarket_group(**prices))
        before = follower.spent(event)
        assert follower.round(event)
        assert follower.spent(event) - before <= STEP_KOPECKS
        assert follower.spent(event) <= BUDGET_KOPECKS


@ONCE
def test_a_pool_that_cannot_be_traded_is_left(follower: Follower) -> None:
    event = follower.event({"Reds": "0.9", "Blues": "0.1"})
    pool_id = event["pools"][0]["id"]
    follower.bet(event)
    before = follower.prices(event)
    expect(follower.service.admin.post(f"/pools/{pool_id}/pause"), 200)
    assert follower.round(event)
    assert follower.prices(event) == before
    expect(follower.service.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)
    assert follower.round(event)
    assert follower.house_trades(event) == []


@proves("forecasts: with `off` every order (of a batch each place and replace), also of partners and the house")
def test_where_no_order_is_taken_the_house_places_none_and_priors_follow(follower: Follower) -> None:
    traded, rested, untouched = (follower.event({"Reds": "0.9", "Blues": "0.1"}) for _ in range(3))
    follower.bet(traded)
    maker = follower.service.user(balance_kopecks=10_000)
    order = {"market_id": rested["pools"][0]["markets"][1]["id"], "token_type": "YES", "action": "buy"}
    expect(maker.client.post("/market/orders", json={**order, "shares": 1_000, "price_bps": 4_000}), 201)
    before = [follower.prices(event) for event in (traded, rested)]
    change(follower.service, trading="off")
    try:
        for event in (traded, rested, untouched):
            assert follower.round(event)
        # What rests there would be filled, were the priors to pass it.
        assert [follower.prices(event) for event in (traded, rested)] == before
        assert follower.house_trades(traded) == []
        assert follower.prices(untouched) == pytest.approx([0.9, 0.1])
    finally:
        change(follower.service, trading=None)
    assert follower.round(traded)
    assert follower.house_trades(traded)


def test_it_is_no_person(follower: Follower) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.4"})
    follower.bet(event)
    before = stats(follower)
    assert follower.round(event)
    user_id = follower.sum("SELECT id FROM users WHERE nickname_key = :key", key=HOUSE_TRADER_KEY)
    admin = follower.service.admin
    credit = {"amount_kopecks": 100, "note": ""}
    refused(admin.post(f"/admin/users/{user_id}/credit", json=credit), 404, "user_not_found")
    refused(admin.patch(f"/admin/users/{user_id}", json={"is_admin": True}), 404, "user_not_found")
    refused(follower.service.client().get(f"/users/{user_id}/pnl/chart"), 404, "user_not_found")
    assert user_id not in [user["id"] for user in expect(admin.get("/admin/users?limit=100"), 200)["users"]]
    after = stats(follower)
    assert after["users"] == before["users"] + 1, "the viewer of the second statistics"
    assert after["active_traders"] == before["active_traders"]
    for name in (HOUSE_TRADER_KEY, "house", HOUSE):
        body = {"login": name, "password": "correct horse battery"}
        refused(follower.service.client().post("/auth/sign-in", json=body), 401, "invalid_credentials")


def test_bets_beside_its_orders_are_priced_one_after_the_other(follower: Follower) -> None:
    someone = follower.service.user(balance_kopecks=1_000_000)
    event = follower.event({"Reds": "0.8", "Blues": "0.2"})
    follower.bet(event)
    markets = [market["id"] for market in event["pools"][0]["markets"]]
    for number in range(3):
        body = {"market_id": markets[number % 2], "token_type": "YES", "amount_kopecks": 500}
        follower.wait(31_000)
        runner = follower.rounds._runners["polymarket"]
        pending = asyncio.run_coroutine_threadsafe(runner.run_due(only=[event["id"]]), follower.service.server.loop)
        shots = [("POST", "/market/bets", {"json": body})] * 6
        for answer in follower.service.together(shots, tokens=[someone.token]):
            expect(answer, 201)
        assert pending.result(60) == [True]
    assert len(follower.house_trades(event)) >= 2


def test_a_round_that_was_overtaken_trades_nothing(follower: Follower) -> None:
    """A process that stood still past its lease finds that another has taken its round."""
    event = follower.event({"Reds": "0.8", "Blues": "0.2"})
    follower.bet(event)
    path = f"/events/slug/{event['slug']}"
    reply = follower.site.replies[path]
    follower.site.replies[path] = Reply(reply.body, pause_s=1.5)
    follower.wait(31_000)
    runner = follower.rounds._runners["polymarket"]
    slow = asyncio.run_coroutine_threadsafe(runner.run_due(only=[event["id"]]), follower.service.server.loop)
    asked = len(follower.site.asked)
    while len(follower.site.asked) == asked and not slow.done():
        pass
    follower.site.replies[path] = reply
    assert follower.round(event, after_ms=61_000), "the lease is over"
    trades = len(follower.house_trades(event))
    assert trades == 1
    assert slow.result(60) == [False]
    assert len(follower.house_trades(event)) == trades


def test_all_books_are_right_afterwards(follower: Follower) -> None:
    audit_database(follower.service.database_url)


def test_the_name_follows_the_setting(database_url: str) -> None:
    for name in ("House", "The other house"):
        with following(database_url, odds_name=name) as follower:
            event = follower.event({"Reds": "0.6", "Blues": "0.4"})
            follower.bet(event)
            assert follower.round(event)
            named = follower.sum("SELECT COUNT(*) FROM users WHERE name = :name", name=name)
            assert named == 1
            assert follower.sum("SELECT COUNT(*) FROM users WHERE nickname_key = 'house account'") == 1


def test_shares_that_were_just_paid_are_not_sold(follower: Follower) -> None:
    """A round that read its pool before the settlement finds, on the locked row, that nothing can be traded."""
    event = follower.event({"Reds": "0.7", "Blues": "0.3"})
    pool_id = event["pools"][0]["id"]
    follower.bet(event)
    assert follower.round(event)
    row = follower.service.look(lambda tx: load_pools(tx, [pool_id])[pool_id])
    trades, spent = len(follower.house_trades(event)), follower.spent(event)
    expect(follower.service.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 0}), 200)
    source_prices = SourcePrices((Decimal("0.2"), Decimal("0.8")), follower.service.clock(), 120_000)
    follower.service.server.run(follower.rounds._move(row, source_prices, lambda _: True))
    assert (len(follower.house_trades(event)), follower.spent(event)) == (trades, spent)
    audit_database(follower.service.database_url)


@proves("lifecycle: Nothing follows what is older than `FOREKNOW_ODDS_STALE_S` (120),")
def test_prices_that_are_too_old_by_the_database_clock_are_not_followed(follower: Follower) -> None:
    event = follower.event({"Reds": "0.7", "Blues": "0.3"})
    pool_id = event["pools"][0]["id"]
    follower.bet(event)
    row = follower.service.look(lambda tx: load_pools(tx, [pool_id])[pool_id])
    source_prices = SourcePrices((Decimal("0.8"), Decimal("0.2")), follower.service.clock() - 120_001, 120_000)
    before = follower.prices(event)
    follower.service.server.run(follower.rounds._move(row, source_prices, lambda _: True))
    assert follower.prices(event) == before
