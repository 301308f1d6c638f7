"""What a basket asks for, what refuses it and what it moves, to the kopeck and the share: in memory."""

from __future__ import annotations

import msgspec
import pytest

from foreknow.kernel.errors import BadRequest, BalanceLimit, InsufficientFunds
from foreknow.kernel.units import AMOUNT_MAX
from foreknow.market.pools.errors import MarketNotFound, MarketPaused
from foreknow.money.ledger import TransferKind
from foreknow.money.pricing import Q_LIMIT, Bundle, Lmsr
from foreknow.trading.desk.errors import AmountTooSmall, InsufficientShares, MarketLimit, SeveralPools, Slippage
from foreknow.trading.desk.id_cache import MarketPlace
from foreknow.trading.desk.kinds import TradeBasket
from foreknow.trading.desk.kinds.basket import MARKETS_MAX
from foreknow.trading.desk.kinds.basket_pricing import BasketChanges, BasketStake, BasketTerms, PricedPiece
from foreknow.trading.desk.locks import needs_of
from foreknow.trading.desk.state import OtherPool
from tests.trading.desk.floors import (
    ANN,
    BEN,
    CREATOR,
    ESCROW,
    FEES,
    NOW_MS,
    PARTNER,
    POOL,
    account,
    floor_of,
    hold,
    limit,
    market,
    money,
    pool_row,
    user,
)

#: A third each.
THREE = pool_row(markets=3).lmsr()
PLACES = {market(outcome): outcome for outcome in range(3)}
EVEN_PRICES = THREE.probabilities()


def stake(kopecks: int, *outcomes: int, given: tuple[int, ...] | None = None, least: int | None = None) -> BasketStake:
    condition = None if given is None else tuple(map(market, given))
    return BasketStake(
        market_ids=tuple(map(market, outcomes)), given=condition, stake_kopecks=kopecks, min_shares=least
    )


def changes(of: dict[int, int], *, least_kopecks: int | None = None) -> BasketChanges:
    return BasketChanges(
        changes={market(outcome): shares for outcome, shares in of.items()}, min_net_kopecks=least_kopecks
    )


def basket(terms: BasketTerms, *, user_id: int = ANN) -> TradeBasket:
    return TradeBasket(caller=user(user_id), market_id=terms.named_ids[0], terms=terms)


# What it asks of a batch


@pytest.mark.parametrize(
    ("terms", "weight"),
    [
        (stake(100, *range(7)), 1),
        (stake(100, *range(8)), 2),
        (stake(100, 0, given=tuple(range(16))), 3),
        (changes({0: 1}), 1),
        (changes({0: -1}), 2),
        (changes({0: -1, **dict.fromkeys(range(1, 9), 1)}), 3),
    ],
)
def test_a_basket_takes_as_much_of_a_batch_as_it_has_trades_and_legs(terms: BasketTerms, weight: int) -> None:
    assert basket(terms).weight == weight


@pytest.mark.parametrize(
    ("terms", "trades", "positions"),
    [
        (stake(100, 0, 1), 0, 2),
        (stake(100, 0, given=(0, 1)), 0, MARKETS_MAX),
        (changes({0: 1, 1: 2}), 0, 2),
        (changes({0: 1, 1: -2}), 1, 2),
    ],
)
def test_what_a_basket_needs_is_read_before_it_is_executed(terms: BasketTerms, trades: int, positions: int) -> None:
    floor = floor_of(pool_row(markets=3), {ANN: 0})
    needs = needs_of([basket(terms)], floor.state.ids)
    assert (needs.baskets, needs.trades_more, needs.positions_more) == (1, trades, positions)
    assert needs.seller_ids == ({ANN} if trades else set())
    assert needs.holders == ({(ANN, POOL)} if positions == MARKETS_MAX else set())
    assert (ANN, market(1), "YES") in needs.positions or needs.holders
    assert needs.accounts == {(POOL, one) for one in (ESCROW, FEES, account(ANN))}
    assert not needs.other_pool_ids
    # A new sub-account has nothing to be read.
    ofpartner = msgspec.structs.replace(basket(terms), caller=PARTNER, external_user_id="new")
    needs = needs_of([ofpartner], floor.state.ids)
    assert (needs.baskets, needs.trades_more, needs.positions_more) == (1, trades, positions)
    assert not needs.positions
    assert not needs.holders
    assert not needs.seller_ids


def test_markets_of_several_pools_are_refused_and_one_that_is_not_seen_is_not_found() -> None:
    floor = floor_of(pool_row(markets=3), {ANN: 1_000, CREATOR: 1_000})
    floor.state.ids.markets[999] = MarketPlace(2, 0, ESCROW, FEES)
    terms = BasketStake(market_ids=(market(0), 999), stake_kopecks=100)
    assert needs_of([basket(terms)], floor.state.ids).other_pool_ids == {POOL, 2}
    floor.state.other_pools = {POOL: OtherPool(CREATOR, 0), 2: OtherPool(CREATOR, None)}
    with pytest.raises(MarketNotFound):
        basket(terms).execute(floor)
    with pytest.raises(SeveralPools):
        basket(terms, user_id=CREATOR).execute(floor)
    with pytest.raises(MarketNotFound):
        basket(BasketStake(market_ids=(market(0), 12_345), stake_kopecks=100)).execute(floor)


@pytest.mark.parametrize("terms", [stake(100, 0), stake(100, 0, given=(0, 1)), changes({0: 1})])
def test_a_basket_needs_several_markets_and_leaves_one_out(terms: BasketTerms) -> None:
    terms.check_count(3)
    with pytest.raises(BadRequest, match="A pool of one market"):
        terms.check_count(1)
    if isinstance(terms, BasketStake):
        with pytest.raises(BadRequest):
            terms.check_count(len(terms.named_ids))
    terms.check_count(max(2, len(terms.named_ids) + 1))


def test_a_basket_is_refused_where_its_pool_is_paused() -> None:
    floor = floor_of(msgspec.structs.replace(pool_row(markets=3), paused=True), {ANN: 1_000})
    with pytest.raises(MarketPaused):
        basket(stake(100, 0)).execute(floor)


# Its price


def test_a_kopeck_beside_the_fee_is_enough_for_a_stake_and_nothing_is_not() -> None:
    priced = stake(1, 0).price(THREE, PLACES, margin=0.0, probabilities=EVEN_PRICES)
    assert (priced.paid_kopecks, priced.fee_kopecks, priced.cost_kopecks, priced.net_kopecks) == (1, 0, 1, -1)
    assert priced.shares == 2
    assert priced.avg_price_bps == 5_000
    with pytest.raises(AmountTooSmall):
        stake(1, 0).price(THREE, PLACES, margin=0.5, probabilities=EVEN_PRICES)


def test_the_least_shares_of_a_stake_and_the_least_net_of_changes_hold_exactly() -> None:
    shares = stake(1_000, 0, 1).price(THREE, PLACES, margin=0.0, probabilities=EVEN_PRICES).shares
    assert shares is not None
    stake(1_000, 0, 1, least=shares).price(THREE, PLACES, margin=0.0, probabilities=EVEN_PRICES)
    with pytest.raises(Slippage):
        stake(1_000, 0, 1, least=shares + 1).price(THREE, PLACES, margin=0.0, probabilities=EVEN_PRICES)
    both = {0: 500, 1: -300}
    net = changes(both).price(THREE, PLACES, margin=0.1, probabilities=EVEN_PRICES).net_kopecks
    changes(both, least_kopecks=net).price(THREE, PLACES, margin=0.1, probabilities=EVEN_PRICES)
    with pytest.raises(Slippage):
        changes(both, least_kopecks=net + 1).price(THREE, PLACES, margin=0.1, probabilities=EVEN_PRICES)


def test_a_sale_of_a_kopeck_is_enough_and_one_of_less_is_not() -> None:
    priced = changes({0: -4}).price(THREE, PLACES, margin=0.1, probabilities=EVEN_PRICES)
    assert (priced.payout_kopecks, priced.paid_kopecks, priced.fee_kopecks, priced.net_kopecks) == (1, 0, 0, 1)
    with pytest.raises(AmountTooSmall):
        changes({0: -2}).price(THREE, PLACES, margin=0.1, probabilities=EVEN_PRICES)


@pytest.mark.parametrize("terms", [stake(10, 0), changes({0: 1}), changes({0: -10})])
def test_no_piece_of_a_basket_goes_beyond_the_limit_of_a_token(terms: BasketTerms) -> None:
    sold = -Q_LIMIT if terms == changes({0: -10}) else Q_LIMIT
    full = Lmsr.of(b=10**12, weights=(1, 1, 1), q_yes=(sold,) * 3, q_no=(0,) * 3)
    with pytest.raises(MarketLimit):
        terms.price(full, PLACES, margin=0.0, probabilities=EVEN_PRICES)
    fits = Lmsr.of(b=10**12, weights=(1, 1, 1), q_yes=(sold - sold // 10**12,) * 3, q_no=(0,) * 3)
    assert terms.price(fits, PLACES, margin=0.0, probabilities=EVEN_PRICES).last


def test_a_purchase_comes_before_a_sale_which_is_paid_at_the_prices_after_it() -> None:
    priced = changes({2: 500, 0: -300}).price(THREE, PLACES, margin=0.1, probabilities=EVEN_PRICES)
    assert priced.purchase is not None
    after = priced.purchase.bundle.after
    assert priced.cost_kopecks == THREE.cost_kopecks(2, limit(1, 1).side, 500)
    assert priced.payout_kopecks == after.sale_payout_kopecks(0, limit(1, 1).side, 300)
    assert priced.fee_kopecks == -(-priced.cost_kopecks // 9)
    assert priced.legs() == [(0, -300, priced.payout_kopecks), (2, 500, priced.paid_kopecks)]
    assert priced.kinds(priced.purchase) == ["change"]
    assert priced.last is priced.sale
    assert priced.avg_price_bps is None


def test_a_basket_is_named_after_the_leg_with_the_most_money_and_of_equals_the_first() -> None:
    piece = PricedPiece(Bundle({0: 5, 2: 5, 3: 5}, 10, THREE), 10, (2, 4, 4))
    assert piece.main((0, 2, 3)) == (1, 2)
    assert piece.main((0, 3)) == (2, 3)
    nothing = PricedPiece(Bundle({1: 5, 2: 5}, 0, THREE), 0, (0, 0))
    assert nothing.main((1, 2)) == (0, 1)


# Who can pay, and what moves


@pytest.mark.parametrize(("free", "passes"), [(300, True), (299, False)])
def test_a_basket_sells_what_no_resting_order_offers(free: int, passes: bool) -> None:
    floor = floor_of(pool_row(markets=3), {ANN: 0})
    hold(floor, ANN, 1, 500, reserved=500 - free)
    if passes:
        assert basket(changes({1: -300})).execute(floor).made.payout_kopecks
        return
    with pytest.raises(InsufficientShares) as error:
        basket(changes({1: -300})).execute(floor)
    assert error.value.details == {"market_id": market(1), "required": 300, "available": 299}
    with pytest.raises(InsufficientShares) as error:
        basket(changes({2: -1, 0: -1})).execute(floor)
    assert error.value.details == {"market_id": market(0), "required": 1, "available": 0}


def test_a_stake_may_be_all_that_there_is_and_no_kopeck_more() -> None:
    floor = floor_of(pool_row(markets=3, margin=0.1), {ANN: 1_000})
    done = basket(stake(1_000, 0, 1)).execute(floor)
    assert (done.balance_kopecks, done.made.net_kopecks, done.made.fee_kopecks) == (0, -1_000, 100)
    assert (money(floor)[ESCROW], money(floor)[FEES]) == (10_000_900, 100)
    (trade,) = done.trades
    assert [one.kind for one in trade.transfers] == [TransferKind.BET, TransferKind.FEE]
    assert (trade.money_kopecks, trade.fee_kopecks, trade.closes, trade.pnl_kopecks) == (1_000, 100, 0, 0)
    assert [leg.amount_kopecks for leg in done.made.legs] == [500, 500]
    assert done.pool.volume_kopecks == {market(0): 500, market(1): 500}
    with pytest.raises(InsufficientFunds):
        basket(stake(1_001, 0, 1)).execute(floor_of(pool_row(markets=3, margin=0.1), {ANN: 1_000}))


@pytest.mark.parametrize("over", [0, 1])
@pytest.mark.parametrize("full", ["escrow", "fees", "balance"])
def test_each_account_of_a_basket_takes_money_up_to_its_limit(full: str, over: int) -> None:
    row = pool_row(markets=3, margin=0.1)
    if full == "balance":
        payout = THREE.sale_payout_kopecks(1, limit(1, 1).side, 300)
        floor = floor_of(row, {ANN: AMOUNT_MAX - payout + over})
        hold(floor, ANN, 1, 300)
        order = basket(changes({1: -300}))
    else:
        of_escrow, of_fees = (AMOUNT_MAX - 900 + over, 0) if full == "escrow" else (0, AMOUNT_MAX - 100 + over)
        floor = floor_of(row, {ANN: 1_000}, escrow_kopecks=of_escrow, fees_kopecks=of_fees)
        order = basket(stake(1_000, 0, 1))
    if over:
        with pytest.raises(BalanceLimit):
            order.execute(floor)
    else:
        assert order.execute(floor).trades


def test_what_a_basket_sells_pays_for_what_it_buys() -> None:
    floor = floor_of(pool_row(markets=3), {ANN: 0})
    position = hold(floor, ANN, 1, 1_000)
    done = basket(changes({0: 100, 1: -1_000})).execute(floor)
    made = done.made
    assert done.balance_kopecks == made.net_kopecks == made.payout_kopecks - made.cost_kopecks > 0
    purchase, sale = done.trades
    assert (purchase.is_buy, sale.is_buy) == (True, False)
    assert (sale.closes, sale.pnl_kopecks) == (1, made.payout_kopecks - 500)
    assert [leg.pnl_kopecks for leg in made.legs] == [None, made.payout_kopecks - 500]
    assert [leg.shares for leg in made.legs] == [100, -1_000]
    assert (purchase.shares_change, sale.shares_change) == (100, -1_000)
    assert (position.closed_at_ms, floor.state.closed_ids) == (NOW_MS, {1})
    assert (ANN, market(1), "YES") not in floor.state.positions
    assert floor.state.positions[ANN, market(0), "YES"].shares == 100
    assert purchase.probability_before == pytest.approx(1 / 3)
    assert sale.probability_after == made.probabilities_after[1]


def test_a_float_pays_what_a_basket_of_a_partners_user_lacks() -> None:
    floor = floor_of(pool_row(markets=3), {BEN: 300}, float_kopecks=700)
    order = msgspec.structs.replace(basket(stake(1_000, 0, 1)), caller=PARTNER, external_user_id="u")
    done = order.execute(floor)
    assert (done.balance_kopecks, done.float_balance_kopecks) == (0, 0)
    line = done.made.line
    assert line is not None
    assert (line.float_change_kopecks, line.balance_change_kopecks) == (-700, -300)
    assert floor.resting.lines == [line]
    assert done.trades[0].partner_id == PARTNER.partner_id


@pytest.mark.parametrize("full", ["escrow_kopecks", "fees_kopecks"])
def test_a_basket_that_an_account_cannot_take_moves_nothing(full: str) -> None:
    floor = floor_of(pool_row(markets=3, margin=0.1), {BEN: 300}, float_kopecks=700, **{full: AMOUNT_MAX})
    before = money(floor)
    with pytest.raises(BalanceLimit):
        msgspec.structs.replace(basket(stake(1_000, 0, 1)), caller=PARTNER, external_user_id="u").execute(floor)
    assert money(floor) == before


def test_what_a_basket_sells_leaves_an_account_before_what_it_buys_comes() -> None:
    floor = floor_of(pool_row(markets=3), {ANN: AMOUNT_MAX})
    hold(floor, ANN, 1, 1_000)
    more = basket(changes({0: 100, 1: -50})).execute(floor)
    assert more.made.net_kopecks < 0 < more.made.payout_kopecks
    floor.ledger_tx.hold([(ESCROW, "escrow", AMOUNT_MAX, None), (account(ANN), "user", 0, None)])
    assert basket(changes({0: 100, 1: -500})).execute(floor).balance_kopecks > 0


def test_a_single_share_is_bought_and_a_sale_takes_nothing_from_a_float() -> None:
    floor = floor_of(pool_row(markets=3), {ANN: 100, BEN: 0}, float_kopecks=700)
    assert [(leg.shares, leg.pnl_kopecks) for leg in basket(changes({0: 1})).execute(floor).made.legs] == [(1, None)]
    hold(floor, BEN, 1, 100)
    order = msgspec.structs.replace(basket(changes({1: -100})), caller=PARTNER, external_user_id="u")
    line = order.execute(floor).made.line
    assert line is not None
    assert (line.float_change_kopecks, line.balance_change_kopecks) == (0, 33)


def test_what_a_condition_leaves_out_comes_back() -> None:
    floor = floor_of(pool_row(markets=3), {ANN: 1_000})
    done = basket(stake(1_000, 0, given=(0, 1))).execute(floor)
    assert [(leg.market_id, leg.kind, leg.shares) for leg in done.trades[0].legs] == [
        (market(0), "stake", done.trades[0].legs[0].shares),
        (market(2), "back", 1_000),
    ]
    assert done.trades[0].market_id == market(0)
