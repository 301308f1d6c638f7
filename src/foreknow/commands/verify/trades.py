"""The trades of one order: which they are, and whether they follow from the state that the order met.

An order's trades come one after the other: its own, then one of each resting order that it met, then one of each that
followed. What is not public of an order (whether it was a bet or a limit order, what was left of those that it met)
is found by trying what it can have been: one of these must give each of its numbers.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import Final, NamedTuple

from foreknow.commands.verify.reading import PublicTrade
from foreknow.commands.verify.states import NotAsShown, is_near
from foreknow.money.pricing import Lmsr, Side, average_price_bps, fee_kopecks, fee_on_top_kopecks
from foreknow.money.pricing.bundles import bought, sold, staked
from foreknow.trading.book import LOT_SHARES, Arrival, ArrivingBet, ArrivingLimit, ArrivingSale, Book, Resting, decide

#: More orders than one meets (100), and a sweep fills (50), with itself.
_TRADES_MAX: Final = 151
#: Most pieces of a sweep.
_SWEEP_PIECES: Final = 50
#: The levels that meet everything.
_HIGHEST, _LOWEST = 99, 1


class DecidedOrder(NamedTuple):
    """An order that was decided."""

    #: How many trades it is.
    trades: int
    after: Lmsr
    #: Whether each kopeck follows; else the sum of what several orders paid that followed one another does, within one
    #: kopeck for each of their pieces.
    is_exact: bool


class PoolTerms(NamedTuple):
    """What the trades of a pool refer to."""

    #: Places of its markets.
    outcomes: Mapping[int, int]
    margin: float


def next_order(
    state: Lmsr, pool: PoolTerms, trades: Sequence[PublicTrade], start: int, *, may_follow: bool
) -> DecidedOrder:
    """Return the order whose first trade is `trades[start]`. Raises `NotAsShown` where none has these trades.

    `may_follow`: they may be of orders that rested and took what liquidity or priors have just offered.
    """
    first = trades[start]
    if first.basket_id is not None:
        return DecidedOrder(1, _basket(state, pool, first), is_exact=True)
    is_possible = False
    for after, group in _groups(state, pool, trades, start):
        is_possible = True
        found = _explained(state, pool, group, after, may_follow=may_follow)
        if found is not None:
            for trade in group:
                _check_price(trade, trade.amount_kopecks)
            return DecidedOrder(len(group), after, is_exact=found)
    if is_possible:
        raise NotAsShown(f"{first.amount_kopecks} kopecks for {first.shares} shares are not what the curve gives")
    raise NotAsShown(
        f"its probabilities, {first.before} and {first.after}, do not lead on from the trade before and to the next"
    )


def _groups(
    state: Lmsr, pool: PoolTerms, trades: Sequence[PublicTrade], start: int
) -> Iterator[tuple[Lmsr, Sequence[PublicTrade]]]:
    """Yield each run of trades that may be one order's, by their probabilities, with the state that it leaves."""
    first = trades[start]
    outcome = pool.outcomes[first.market_id]
    before, after = state.probability(outcome), state
    for end in range(start, min(len(trades), start + _TRADES_MAX)):
        trade = trades[end]
        if trade.created_at != first.created_at or trade.basket_id is not None:
            return
        after = _traded(after, pool, trade)
        now = after.probability(outcome)
        # What follows a round of the house or a basket shows the probability after all of it twice, too.
        if is_near(first.after, now) and any(is_near(first.before, one) for one in (before, now)):
            group = trades[start : end + 1]
            if _all_show(group[1:], pool, after):
                yield after, group


def _all_show(trades: Sequence[PublicTrade], pool: PoolTerms, after: Lmsr) -> bool:
    """Return whether trades that are not their order's first show the probabilities after all of it, twice."""
    return all(
        is_near(shown, after.probability(pool.outcomes[trade.market_id]))
        for trade in trades
        for shown in (trade.before, trade.after)
    )


def _explained(
    state: Lmsr, pool: PoolTerms, group: Sequence[PublicTrade], after: Lmsr, *, may_follow: bool
) -> bool | None:
    """Return whether an order gives each kopeck of these trades, or their sum; None where none gives either."""
    makers = [_resting(place, trade, pool) for place, trade in enumerate(group[1:], start=1)]
    whole = next((place for place, maker in enumerate(makers) if maker is None), len(makers))
    for met in range(whole, -1, -1):
        book = Book(len(state.q_yes), [maker for maker in makers[:met] if maker is not None])
        followers = group[1 + met :]
        for arrival, kopecks in _arrivals(pool, group[0]):
            decision = decide(state, book, arrival)
            fills = [(fill.order.id, fill.shares, fill.money_kopecks) for fill in decision.met]
            shown = [(place, trade.shares, trade.amount_kopecks) for place, trade in enumerate(group[1 : met + 1], 1)]
            if (decision.shares, decision.money_kopecks) != (group[0].shares, kopecks) or fills != shown:
                continue
            found = _followed(decision.after, pool, followers, after)
            if found is not None:
                return found
    # No order came first: each took from the curve, and moved it. After liquidity the first shows what was before it.
    before = state.probability(pool.outcomes[group[0].market_id])
    return _followed(state, pool, group, after) if may_follow or not is_near(group[0].before, before) else None


def _arrivals(pool: PoolTerms, trade: PublicTrade) -> Iterator[tuple[Arrival, int]]:
    """Yield what an order can have been, with what it paid without its fee, or brought."""
    arrival = partial(Arrival, user_id=0, outcome=pool.outcomes[trade.market_id], side=trade.side, is_buy=trade.is_buy)
    is_up = (trade.side == Side.YES) == trade.is_buy
    limit = ArrivingLimit(shares=trade.shares, level_percent=_HIGHEST if is_up else _LOWEST, rests=False)
    if not trade.is_buy:
        yield arrival(terms=ArrivingSale(shares=trade.shares)), trade.amount_kopecks
        if trade.shares % LOT_SHARES == 0:
            yield arrival(terms=limit), trade.amount_kopecks
        return
    stake = trade.amount_kopecks - fee_kopecks(stake_kopecks=trade.amount_kopecks, margin=pool.margin)
    if stake > 0:
        yield arrival(terms=ArrivingBet(money_kopecks=stake)), stake
    if trade.shares % LOT_SHARES == 0:
        # Its fee is on top, so that what is left may be a kopeck more or less than of a stake.
        for cost in (stake, stake - 1, stake + 1):
            if cost + fee_on_top_kopecks(cost_kopecks=cost, margin=pool.margin) == trade.amount_kopecks:
                yield arrival(terms=limit), cost


def _resting(place: int, trade: PublicTrade, pool: PoolTerms) -> Resting | None:
    """Return the order that rested and was filled by this trade; None where its price is no whole percent."""
    percent, rest = divmod(trade.amount_kopecks * LOT_SHARES, trade.shares)
    if rest or not _LOWEST <= percent <= _HIGHEST:
        return None
    return Resting(
        id=place,
        user_id=place,
        outcome=pool.outcomes[trade.market_id],
        side=trade.side,
        is_buy=trade.is_buy,
        level_percent=percent if trade.side == Side.YES else 100 - percent,
        shares=trade.shares,
    )


def _followed(state: Lmsr, pool: PoolTerms, followers: Sequence[PublicTrade], after: Lmsr) -> bool | None:
    """Return whether orders that took from the curve lead from one state to another; None where they do not.

    One of them is exact. Of several, who took which piece first is not public: their sum is what the way costs, and
    each of the pieces, 50 at most, may have been rounded by less than a kopeck.
    """
    if not followers:
        return True if (state.q_yes, state.q_no) == (after.q_yes, after.q_no) else None
    if len(followers) == 1:
        (one,) = followers
        outcome = pool.outcomes[one.market_id]
        due = (
            state.cost_kopecks(outcome, one.side, one.shares)
            if one.is_buy
            else state.sale_payout_kopecks(outcome, one.side, one.shares)
        )
        return True if due == one.amount_kopecks else None
    paid = sum(one.amount_kopecks if one.is_buy else -one.amount_kopecks for one in followers)
    least = state.cost_kopecks_to(after)
    return False if least <= paid <= least + _SWEEP_PIECES else None


def _traded(state: Lmsr, pool: PoolTerms, trade: PublicTrade) -> Lmsr:
    return state.traded(pool.outcomes[trade.market_id], trade.side, trade.shares if trade.is_buy else -trade.shares)


def _check_price(trade: PublicTrade, kopecks: int) -> None:
    if trade.avg_price_bps != average_price_bps(money_kopecks=kopecks, shares=trade.shares):
        raise NotAsShown(f"its price of {trade.avg_price_bps} is not what was paid for each share")


def _basket(state: Lmsr, pool: PoolTerms, trade: PublicTrade) -> Lmsr:
    """Return the state after a piece of a basket. Raises `NotAsShown` where its legs do not cost, or bring, that."""
    shares = {pool.outcomes[leg.market_id]: leg.shares for leg in trade.legs}
    if sum(leg.amount_kopecks for leg in trade.legs) != trade.amount_kopecks:
        raise NotAsShown("the parts of its legs are not its amount")
    piece = bought(state, shares) if trade.is_buy else sold(state, shares)
    outcome = pool.outcomes[trade.market_id]
    if not (
        is_near(trade.before, state.probability(outcome)) and is_near(trade.after, piece.after.probability(outcome))
    ):
        raise NotAsShown(f"its probabilities, {trade.before} and {trade.after}, are not those before and after it")
    if not _is_paid(state, pool, trade, shares, piece.kopecks):
        raise NotAsShown(f"{trade.amount_kopecks} kopecks for its legs are not what the curve gives")
    shown = next((leg for leg in trade.legs if leg.market_id == trade.market_id), None)
    if shown is None or shown.shares != trade.shares or trade.side != Side.YES:
        raise NotAsShown("it is shown by a leg that it does not have")
    # A stake is shown whole, all else by its leg with the most money.
    is_stake = trade.is_buy and _is_stake(state, pool, trade, shares)
    prices = {average_price_bps(money_kopecks=shown.amount_kopecks, shares=shown.shares)}
    if is_stake:
        prices.add(average_price_bps(money_kopecks=trade.amount_kopecks, shares=trade.shares))
    if trade.avg_price_bps not in prices:
        raise NotAsShown(f"its price of {trade.avg_price_bps} is not what was paid for each share")
    return piece.after


def _is_paid(state: Lmsr, pool: PoolTerms, trade: PublicTrade, shares: Mapping[int, int], kopecks: int) -> bool:
    if not trade.is_buy:
        return kopecks == trade.amount_kopecks
    on_top = kopecks + fee_on_top_kopecks(cost_kopecks=kopecks, margin=pool.margin)
    return on_top == trade.amount_kopecks or _is_stake(state, pool, trade, shares)


def _is_stake(state: Lmsr, pool: PoolTerms, trade: PublicTrade, shares: Mapping[int, int]) -> bool:
    """Return whether a stake of this amount buys just these shares."""
    stake = trade.amount_kopecks - fee_kopecks(stake_kopecks=trade.amount_kopecks, margin=pool.margin)
    given = {pool.outcomes[market_id] for market_id in trade.given} or None
    named = {outcome for outcome in shares if given is None or outcome in given}
    if len(named) >= len(given or state.q_yes):
        return False
    return staked(state, stake, outcomes=named, given=given).shares == shares
