"""Liquidity added to a pool: the same integers in finer units.

With b raised from b_0 to b_1, …, b_K at the net shares D_1, …, D_K, outcome i weighs

    w_i·exp( (D_1i − 0)/b_0 + (D_2i − D_1i)/b_1 + … + (d_i − D_Ki)/b_K ).

With B = lcm(b_0, …, b_K) and N = B/b_K this is w_i·exp(g_i/B), where the integer g_i = N·d_i + o_i moves by N with each
share, and o_i = Σ_k D_ki·(B/b_(k−1) − B/b_k) is a constant. So the pool is one of liquidity B whose shares and money
are counted in N-ths: all proofs and comparisons stay as they are, and a floor of N-ths divided by N is the floor.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import Final, NamedTuple

#: Most additions to one pool. B stays below (10¹²)²¹ < 2⁸³⁸, in the range of doubles even times the largest amounts;
#: rows, responses and exact comparisons of a pool stay short.
ADDITIONS_MAX: Final = 20


class Addition(NamedTuple):
    """Liquidity raised to `b` while these shares were sold, one entry per market."""

    b: int
    q_yes: tuple[int, ...]
    q_no: tuple[int, ...]


class Scale(NamedTuple):
    """The units of a pool with additions."""

    #: N: shares and money are counted in 1/`parts`.
    parts: int
    #: B = N·b.
    b: int
    #: o_i, one entry per market.
    offsets: tuple[int, ...]


def scale(first_b: int, additions: Sequence[Addition]) -> Scale:
    """Return the coarsest units in which all exponents are integers.

    Raises `ValueError` if the liquidity does not grow with each addition or there are too many.
    """
    steps = [first_b, *(addition.b for addition in additions)]
    if len(additions) > ADDITIONS_MAX or any(after <= before for before, after in itertools.pairwise(steps)):
        raise ValueError(f"a pool needs rising liquidity, in at most {ADDITIONS_MAX} additions")
    whole = math.lcm(*steps)
    offsets = [0] * len(additions[0].q_yes)
    for before, (after, q_yes, q_no) in zip(steps, additions, strict=False):
        growth = whole // before - whole // after
        offsets = [offset + growth * (yes - no) for offset, yes, no in zip(offsets, q_yes, q_no, strict=True)]
    # Only the ratios of N, B and g count. Reduced, a pool without trades before its additions has N = 1.
    common = math.gcd(whole // steps[-1], *offsets)
    return Scale(whole // steps[-1] // common, whole // common, tuple(offset // common for offset in offsets))
