"""A pool from its publication to now: each trade from the state before it, and what it shows from the last."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any, NamedTuple

from foreknow.commands.verify.reading import PublicTrade
from foreknow.commands.verify.states import (
    House,
    LiquidityChange,
    NotAsShown,
    first_state,
    is_near,
    is_state_of,
    steps_of,
)
from foreknow.commands.verify.trades import DecidedOrder, PoolTerms, next_order
from foreknow.money.pricing import Lmsr, exact_fraction

#: Takes each step of a pool: the trades of an order (none: of its publication, liquidity or a split), and what it left.
OnStep = Callable[[Sequence[PublicTrade], Lmsr], None]


def _pass(_trades: Sequence[PublicTrade], _after: Lmsr) -> None:
    """Take a step, and do nothing."""


class Checked(NamedTuple):
    """What was found of a pool."""

    trades: int
    #: Trades of which only a sum of several could be worked out.
    summed: int
    #: The first thing that does not agree; None where everything does.
    wrong: str | None


def check_pool(
    pool: Mapping[str, Any],
    details: Mapping[str, Any],
    trades: Sequence[PublicTrade],
    *,
    known_id: int,
    on_step: OnStep = _pass,
) -> Checked:
    """Work out a pool from its trades, the oldest first; `details` is what its event's page says of it.

    The page knows all trades up to `known_id`, and perhaps later ones.
    """
    try:
        walk = _Walk(pool, on_step)
    except NotAsShown as found:
        return Checked(0, 0, str(found))
    try:
        walk.trade_until_shown(trades)
        walk.end(details, trades, known_id=known_id)
        _check_result(pool)
    except NotAsShown as found:
        return Checked(walk.done, walk.summed, str(found))
    return Checked(walk.done, walk.summed, None)


class _Walk:
    """A pool's way through its states."""

    def __init__(self, pool: Mapping[str, Any], on_step: OnStep) -> None:
        """Begin at its publication. Raises `NotAsShown` where that does not agree."""
        self._pool = pool
        self._on_step = on_step
        self._markets: list[dict[str, Any]] = sorted(pool["markets"], key=lambda market: market["outcome_index"])
        outcomes = {market["id"]: market["outcome_index"] for market in self._markets}
        self._terms = PoolTerms(outcomes, pool["margin"])
        self._steps = steps_of(pool)
        self._volume: Counter[int] = Counter()
        self.done = self.summed = 0
        self._state = first_state(pool)
        self._house = House(pool, self._state)
        on_step((), self._state)
        #: Whether nothing was traded since its priors or its liquidity changed.
        self._may_follow = True
        #: Whether the state is the one that the pool shows. Its volumes grow with each trade, so it is that but once.
        self._is_shown = False

    def trade_until_shown(self, trades: Sequence[PublicTrade]) -> None:
        """Take trades until the state is the one that the pool shows: what came since may be under terms not read."""
        while True:
            trade = trades[self.done] if self.done < len(trades) else None
            self._take_steps(before=trade)
            self._look()
            if trade is None or self._is_shown:
                return
            order = self._order(trades, trade)
            own = trades[self.done : self.done + order.trades]
            for one in own:
                self._count(one)
            self.done += order.trades
            self.summed += 0 if order.is_exact else order.trades
            self._state = order.after
            self._may_follow = False
            self._on_step(own, self._state)

    def end(self, details: Mapping[str, Any], trades: Sequence[PublicTrade], *, known_id: int) -> None:
        """Compare what the pool shows with the state that was reached."""
        if not self._is_shown:
            raise NotAsShown("its shares sold, prices and volumes are those after none of its trades")
        if self.done < len(trades) and trades[self.done].id <= known_id:
            raise NotAsShown(f"trade {trades[self.done].id} is in its list, and not in what it shows")
        if details["loss_bound_kopecks"] != self._house.paid_kopecks:
            shown = details["loss_bound_kopecks"]
            raise NotAsShown(f"its loss bound is {self._house.paid_kopecks} kopecks, shown are {shown}")

    def _order(self, trades: Sequence[PublicTrade], trade: PublicTrade) -> DecidedOrder:
        try:
            return next_order(self._state, self._terms, trades, self.done, may_follow=self._may_follow)
        except NotAsShown as found:
            raise NotAsShown(f"trade {trade.id}: {found}") from None

    def _take_steps(self, *, before: PublicTrade | None) -> None:
        while self._steps and self._is_due(self._steps[0], before):
            step = self._steps.pop(0)
            if not is_state_of(step, self._state, self._pool["other"]):
                raise NotAsShown(f"at {step.at} it had sold other shares than its liquidity or its split says")
            self._state = self._house.take(self._state, step)
            self._may_follow = self._may_follow or step.percent is None
            self._on_step((), self._state)

    def _is_due(self, step: LiquidityChange, before: PublicTrade | None) -> bool:
        if before is None or step.at < before.created_at:
            return True
        # Of one moment: whichever the shares sold say.
        return step.at == before.created_at and is_state_of(step, self._state, self._pool["other"])

    def _count(self, trade: PublicTrade) -> None:
        for leg in trade.legs:
            self._volume[leg.market_id] += leg.amount_kopecks
        if not trade.legs:
            self._volume[trade.market_id] += trade.amount_kopecks

    def _look(self) -> None:
        """Note whether this is the state that the pool shows."""
        state = self._state
        if self._steps or state.b != self._markets[0]["b"]:
            return
        self._is_shown = all(
            (one["q_yes"], one["q_no"], one["volume"]) == (*state.q(place), self._volume[one["id"]])
            and is_near(one["yes_probability"], state.probability(place))
            for place, one in enumerate(self._markets)
        )


def _check_result(pool: Mapping[str, Any]) -> None:
    """Compare what a result pays with what won. A share pays at most itself, and one of each outcome exactly itself."""
    result = pool["resolution"]
    payouts = result["payouts"]
    if payouts is None:
        return
    paid = [exact_fraction(payout) for payout in payouts]
    outcomes = max(2, len(pool["markets"]))
    if len(paid) != outcomes or sum(paid) != 1 or min(paid) < 0:
        raise NotAsShown(f"its result pays {payouts}, which is not 1 in all for {outcomes} outcomes")
    won = result["won_side"]
    if won is not None and won >= 0 and (won >= outcomes or paid[won] != Fraction(1)):
        raise NotAsShown(f"outcome {won} won, and is paid otherwise: {payouts}")
    if won != pool["won_side"] and result["state"] in {"paying", "paid"}:
        raise NotAsShown(f"its result is {won}, and the pool shows {pool['won_side']}")
