"""Ways to round that look fair and are not: the searches must find out each of them.

An LMSR has no scale: with b, the shares sold and the amount doubled, the answer is doubled. So the exact floor of twice
the number tells how to round it to the nearest whole, halves up.
"""

from __future__ import annotations

from foreknow.money.pricing import Lmsr, Side
from tests.invariants.exploit import Rules


def doubled(lmsr: Lmsr) -> Lmsr:
    return Lmsr.of(
        b=2 * lmsr.b, weights=lmsr.weights, q_yes=[2 * q for q in lmsr.q_yes], q_no=[2 * q for q in lmsr.q_no]
    )


def half_up_shares(lmsr: Lmsr, outcome: int, side: Side, money_kopecks: int) -> int:
    return (doubled(lmsr).shares_bought(outcome, side, 2 * money_kopecks) + 1) // 2


def half_up_payout(lmsr: Lmsr, outcome: int, side: Side, shares: int) -> int:
    return (doubled(lmsr).sale_payout_kopecks(outcome, side, 2 * shares) + 1) // 2


HALF_UP = Rules(half_up_shares, half_up_payout)
HALF_UP_SHARES = Rules(half_up_shares, Lmsr.sale_payout_kopecks)
HALF_UP_PAYOUTS = Rules(Lmsr.shares_bought, half_up_payout)
