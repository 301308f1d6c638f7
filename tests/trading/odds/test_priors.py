"""Before the first trade, priors become the source's prices; the house pays or gets back what that changes."""

from __future__ import annotations

import asyncio
import itertools
from decimal import Decimal

import pytest

from foreknow.kernel.settings import Settings
from foreknow.market.pools import past
from foreknow.money.pricing import loss_bound_kopecks, prior_weights
from foreknow.platform.settings import LiveSettings
from foreknow.trading.odds.rounds import weights_of
from foreknow_client import Client
from foreknow_client.pricing import PoolState
from tests.support.books import audit_database
from tests.support.following import Follower
from tests.support.kinds import FIRST_ON_POSTGRES, ONCE
from tests.support.odds import polymarket_group
from tests.support.orders import add_liquidity
from tests.support.proofs import proves
from tests.support.service import expect, pool

CLOSE = pytest.approx


def escrow(follower: Follower, pool_id: int) -> int:
    return follower.sum(
        "SELECT a.balance_kopecks FROM accounts a JOIN pools p ON p.escrow_account_id = a.id WHERE p.id = :id",
        id=pool_id,
    )


def house(follower: Follower) -> int:
    return follower.sum("SELECT balance_kopecks FROM accounts WHERE kind = 'house'")


@proves(
    "decisions: or its source's (lifecycle.md);",
    "lifecycle: by which they are divided.",
    "lifecycle: Before the first trade (or split, lists.md) the priors become the source's,",
)
def test_priors_become_the_sources_prices(follower: Follower) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.3", "Draw": "0.1"})
    assert follower.prices(event) == CLOSE([1 / 3] * 3, abs=1e-9)
    assert follower.round(event)
    assert follower.prices(event) == CLOSE([0.6, 0.3, 0.1], abs=1e-9)
    follower.answer(event, polymarket_group(Reds="0.5", Blues="0.35", Draw="0.1"))
    assert follower.round(event)
    assert follower.prices(event) == CLOSE([50 / 95, 35 / 95, 10 / 95], abs=1e-9)


def test_the_priors_of_before_are_kept(follower: Follower) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.4"})
    pool_id, looked_at_ms = event["pools"][0]["id"], [follower.service.clock()]
    for price in ("0.6", "0.7", "0.8"):
        follower.answer(event, polymarket_group(Reds=price, Blues=f"{1 - float(price):.1f}"))
        assert follower.round(event)
        looked_at_ms.append(follower.service.clock())
    kept = follower.service.look(lambda tx: past.priors_of(tx, pool_id))
    shares = [[weight / sum(one.weights) for weight in one.weights] for one in kept]
    assert [pytest.approx(share) for share in ([0.5, 0.5], [0.6, 0.4], [0.7, 0.3])] == shares
    looks = zip(kept, itertools.pairwise(looked_at_ms), strict=True)
    assert all(before < one.until_ms <= after for one, (before, after) in looks)


@ONCE
def test_the_python_client_computes_prices_of_moved_priors_exactly(follower: Follower) -> None:
    event = follower.event({"Reds": "0.505", "Blues": "0.35", "Draw": "0.1"})
    assert follower.round(event)
    follower.bet(event, 12_345)
    with Client(follower.service.url) as client:
        shown = client.get_pool(event["pools"][0]["id"])
        state = PoolState.of(shown)
        assert state.is_exact
        for outcome, market in enumerate(shown.markets):
            quote = client.quote_order(market_id=market.id, token_type="YES", amount_kopecks=9_999)
            assert state.bet(outcome, "YES", 9_999).shares == quote.shares


def test_priors_are_decimals_that_sum_to_one() -> None:
    thirds = [Decimal("0.3333333333333333")] * 3
    assert weights_of(thirds) == (333_333_333_334, 333_333_333_333, 333_333_333_333)
    assert weights_of([Decimal("0.505"), Decimal("0.445")]) == (66_447_368_421, 58_552_631_579)
    assert weights_of([Decimal("0.25")]) == (1, 3)


@proves("lifecycle: the house pays or gets back the bound's difference.")
def test_the_house_pays_the_difference_of_the_bounds_and_gets_it_back(follower: Follower) -> None:
    event = follower.event({"Reds": "0.9", "Blues": "0.1"})
    pool_id = event["pools"][0]["id"]
    even = loss_bound_kopecks(b=100_000, weights=(1, 1))
    uneven = loss_bound_kopecks(b=100_000, weights=prior_weights([0.9, 0.1]))
    before = house(follower)
    assert escrow(follower, pool_id) == even
    assert follower.round(event)
    assert escrow(follower, pool_id) == uneven
    assert house(follower) == before - (uneven - even)
    follower.answer(event, polymarket_group(Reds="0.7", Blues="0.3"))
    assert follower.round(event)
    lower = loss_bound_kopecks(b=100_000, weights=prior_weights([0.7, 0.3]))
    assert escrow(follower, pool_id) == lower
    assert house(follower) == before - (lower - even)


@ONCE
def test_a_round_that_finds_the_same_prices_moves_nothing(follower: Follower) -> None:
    event = follower.event({"Reds": "0.6", "Blues": "0.4"})
    assert follower.round(event)
    transfers = follower.sum("SELECT COUNT(*) FROM transfers")
    assert follower.round(event)
    assert follower.sum("SELECT COUNT(*) FROM transfers") == transfers


@ONCE
def test_a_single_market_follows_the_only_question(follower: Follower) -> None:
    event = follower.event({"Anything": "0.25"})
    assert follower.round(event)
    assert follower.prices(event) == CLOSE([0.25], abs=1e-9)


def test_charts_begin_with_the_prior_that_was_followed(follower: Follower) -> None:
    event = follower.event({"Reds": "0.8", "Blues": "0.2"})
    assert follower.round(event)
    follower.wait(120_000)
    follower.bet(event, 20_000)
    market_id = event["pools"][0]["markets"][0]["id"]
    points = expect(follower.service.client().get(f"/markets/{market_id}/chart"), 200)
    assert points[0]["probability"] == CLOSE(0.8, abs=1e-9)
    assert points[-1]["probability"] > 0.8
    charts = expect(follower.service.client().get(f"/pools/{event['pools'][0]['id']}/charts"), 200)
    assert charts["1h"][0]["values"][0] == CLOSE(0.8, abs=1e-9)


@proves("lifecycle: Before the first trade (or split, lists.md) the priors become the source's,")
@ONCE
def test_after_the_first_trade_priors_stay(follower: Follower) -> None:
    event = follower.event({"Reds": "0.505", "Blues": "0.495"})
    bet = follower.bet(event)
    assert follower.round(event)
    # Within 0.01 of the target, so the house account does nothing either.
    assert follower.prices(event)[0] == bet["probability_after"]


def test_an_event_that_is_not_published_follows_once_it_is(follower: Follower) -> None:
    event = follower.event({"Reds": "0.7", "Blues": "0.3"}, publish=False)
    assert follower.round(event)
    assert follower.status(event) == "ok"
    transfers = follower.sum("SELECT COUNT(*) FROM transfers")
    shown = expect(follower.service.admin.get(f"/events/{event['id']}"), 200)
    assert [market["yes_probability"] for market in shown["pools"][0]["markets"]] == [0.5, 0.5]
    assert follower.sum("SELECT COUNT(*) FROM transfers") == transfers
    expect(follower.service.creator.client.post(f"/events/{event['id']}/publish"), 200)
    assert follower.round(event, after_ms=0), "publication makes a round due"
    assert follower.prices(event) == CLOSE([0.7, 0.3], abs=1e-9)


def test_a_draft_has_rounds_for_an_hour(follower: Follower) -> None:
    event = follower.event({"Reds": "0.7", "Blues": "0.3"}, publish=False)
    assert follower.round(event)
    assert follower.round(event, after_ms=3_600_000)
    row = follower.row(event)
    assert row is not None
    assert row.due_at_ms is None
    assert follower.status(event) == "off"
    asked = len(follower.site.asked)
    assert not follower.round(event)
    assert len(follower.site.asked) == asked


@ONCE
def test_a_paused_pool_stays_as_it_is(follower: Follower) -> None:
    event = follower.event({"Reds": "0.7", "Blues": "0.3"})
    expect(follower.service.admin.post(f"/pools/{event['pools'][0]['id']}/pause"), 200)
    assert follower.round(event)
    assert follower.prices(event) == [0.5, 0.5]
    expect(follower.service.admin.post(f"/pools/{event['pools'][0]['id']}/resume"), 200)
    assert follower.round(event)
    assert follower.prices(event) == CLOSE([0.7, 0.3], abs=1e-9)


@ONCE
def test_pools_of_one_event_follow_each_for_themselves(follower: Follower) -> None:
    answer = polymarket_group(Reds="0.6", Blues="0.3", Draw="0.1")
    pools = [pool(["Draw", "Blues", "Reds"]), pool(["Cats", "Dogs"]), pool(["Reds"])]
    event = follower.event(answer=answer, pools=pools)
    assert follower.round(event)
    assert follower.prices(event, 0) == CLOSE([0.1, 0.3, 0.6], abs=1e-9)
    assert follower.prices(event, 1) == [0.5, 0.5]
    assert follower.prices(event, 2) == CLOSE([0.6], abs=1e-9)
    assert [one["follows"] for one in follower.odds(event)["pools"]] == [True, False, True]


@proves("lifecycle: within `house_limit`;")
@ONCE
def test_priors_follow_within_the_house_limit_only(follower: Follower) -> None:
    creator = follower.service.user(creator=True)
    event = follower.event({"Reds": "0.99", "Blues": "0.01"}, creator=creator)
    even = loss_bound_kopecks(b=100_000, weights=(1, 1))
    limited = follower.with_rules(settings=LiveSettings(Settings(house_limit_kopecks=even + 1_000)))
    assert follower.round(event, rounds=limited)
    assert follower.prices(event) == [0.5, 0.5]
    assert escrow(follower, event["pools"][0]["id"]) == even
    assert follower.attention(event) == ["house_limit"]
    follower.answer(event, polymarket_group(Reds="0.502", Blues="0.498"))
    assert follower.round(event, rounds=limited)
    assert follower.prices(event) == [0.5, 0.5], "a jump must be confirmed first"
    for _ in range(2):
        assert follower.round(event, rounds=limited)
    assert follower.prices(event) == CLOSE([0.502, 0.498], abs=1e-9)
    assert follower.attention(event) == []


def test_a_pool_that_was_resolved_before_it_went_live_stays_settled(follower: Follower) -> None:
    later = "2100-01-01T00:00:00Z"
    pools = [pool(["Reds", "Blues"], live_at=later), pool(["Reds", "Blues"], live_at=later)]
    event = follower.event({"Reds": "0.7", "Blues": "0.3"}, pools=pools)
    expect(follower.service.admin.post(f"/pools/{event['pools'][0]['id']}/resolve", json={"won_side": 0}), 200)
    assert follower.round(event)
    assert follower.prices(event, 0) == [0.5, 0.5]
    assert escrow(follower, event["pools"][0]["id"]) == 0
    assert follower.prices(event, 1) == CLOSE([0.7, 0.3], abs=1e-9), "before live_at, too"


@FIRST_ON_POSTGRES
@pytest.mark.parametrize("first", ["bet", "round"])
def test_a_first_bet_and_priors_that_follow_come_one_after_the_other(follower: Follower, first: str) -> None:
    event = follower.event({"Reds": "0.9", "Blues": "0.1"})
    if first == "bet":
        before = follower.bet(event, 1_000)["probability_before"]
        assert follower.round(event)
        assert before == 0.5
    else:
        assert follower.round(event)
        assert follower.bet(event, 1_000)["probability_before"] == CLOSE(0.9, abs=1e-9)


def test_first_bets_while_priors_follow_are_priced_by_one_prior_or_the_other(follower: Follower) -> None:
    someone = follower.service.user(balance_kopecks=1_000_000)
    events = [follower.event({"Reds": "0.9", "Blues": "0.1"}) for _ in range(5)]
    for event in events:
        body = {"market_id": event["pools"][0]["markets"][0]["id"], "token_type": "YES", "amount_kopecks": 1_000}
        shots = [("POST", "/market/bets", {"json": body})] * 6
        follower.wait(31_000)
        runner = follower.rounds._runners["polymarket"]
        pending = asyncio.run_coroutine_threadsafe(runner.run_due(only=[event["id"]]), follower.service.server.loop)
        answers = follower.service.together(shots, tokens=[someone.token])
        assert pending.result(60) == [True]
        receipts = sorted((expect(answer, 201) for answer in answers), key=lambda one: one["id"])
        assert receipts[0]["probability_before"] in (CLOSE(0.5, abs=1e-9), CLOSE(0.9, abs=1e-9))
        for earlier, later in itertools.pairwise(receipts):
            # Nothing but trades moves prices after the first one; the house account may trade between them.
            assert later["probability_before"] >= earlier["probability_after"] - 1e-12


def test_after_liquidity_was_added_priors_stay_and_the_books_are_right(follower: Follower) -> None:
    event = follower.event({"Reds": "0.9", "Blues": "0.1"})
    pool_id = event["pools"][0]["id"]
    assert follower.round(event)
    follower.answer(event, polymarket_group(Reds="0.7", Blues="0.3"))
    assert follower.round(event)
    expect(add_liquidity(follower.service.admin, pool_id, 150_000), 200)
    follower.answer(event, polymarket_group(Reds="0.6", Blues="0.4"))
    assert follower.round(event)
    assert follower.prices(event) == CLOSE([0.7, 0.3], abs=1e-9)
    follower.bet(event)
    for _ in range(3):
        assert follower.round(event)
    assert follower.prices(event) == CLOSE([0.6, 0.4], abs=0.02)
    audit_database(follower.service.database_url)
    expect(follower.service.admin.post(f"/pools/{pool_id}/resolve", json={"void": True}), 200)
    audit_database(follower.service.database_url)


@proves("decisions: what the house paid in (at publication, for added liquidity, splits and changed priors),")
@FIRST_ON_POSTGRES
@pytest.mark.parametrize("first_price", ["0.9", "0.6"])
def test_what_the_house_paid_for_changed_priors_counts_in_its_result(follower: Follower, first_price: str) -> None:
    def house_result() -> int:
        viewer = follower.service.user(stats_viewer=True)
        return int(expect(viewer.client.get("/admin/stats"), 200)["total"]["house_result_kopecks"])

    event = follower.event({"Reds": first_price, "Blues": f"{1 - float(first_price):.1f}"})
    pool_id = event["pools"][0]["id"]
    assert follower.round(event)
    follower.answer(event, polymarket_group(Reds="0.8", Blues="0.2"))
    assert follower.round(event)
    expect(add_liquidity(follower.service.admin, pool_id, 150_000), 200)
    follower.bet(event, 1_000)
    before = house_result()
    expect(follower.service.admin.post(f"/pools/{pool_id}/resolve", json={"won_side": 1}), 200)
    # All that it paid in comes back, and the stake of the bet that lost.
    assert house_result() == before + 1_000


@proves("lists: A split ends new priors, as a first trade does.")
def test_after_a_split_priors_stay(follower: Follower) -> None:
    described = pool(["Reds", "Blues"])
    described["metadata"]["shape"] = {"kind": "list"}
    event = follower.event({"Reds": "0.7", "Blues": "0.3"}, pools=[described])
    before = follower.prices(event)
    body = {"name": "Greens", "share": 0.5, "probability": before[1] / 2}
    expect(follower.service.creator.client.post(f"/pools/{event['pools'][0]['id']}/outcomes", json=body), 201)
    follower.round(event)
    assert follower.prices(event) == CLOSE([before[0], before[1] / 2, before[1] / 2], abs=1e-9)
