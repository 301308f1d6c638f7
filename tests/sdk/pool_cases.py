"""Pools of all kinds in both forms, the service's and the client's."""

from __future__ import annotations

from hypothesis import strategies as st

from foreknow.money.pricing import Lmsr, Side, prior_weights, split
from foreknow.money.pricing.liquidity import Addition
from foreknow_client.pricing import PoolState

amounts = st.one_of(st.integers(1, 10**4), st.integers(1, 10**12))


@st.composite
def pools(draw: st.DrawFn) -> tuple[Lmsr, PoolState]:
    """A pool in both forms: with priors, shares sold, liquidity added while it traded, and a margin."""
    markets = draw(st.sampled_from([1, 1, 2, 3, 7]))
    percents = draw(st.lists(st.integers(1, 9_999), min_size=markets, max_size=markets))
    probabilities = [percent / 10_000 for percent in percents]
    b = draw(st.one_of(st.integers(1, 1_000), st.integers(1, 10**9)))
    reach = st.integers(-20 * b, 20 * b)
    sold = st.lists(reach, min_size=markets, max_size=markets)
    additions, most = [], b
    for _ in range(draw(st.integers(0, 2))):
        most += draw(st.integers(1, 10**6))
        additions.append(Addition(most, tuple(draw(sold)), tuple(draw(sold))))
    q_yes, q_no, margin = draw(sold), draw(sold), draw(st.sampled_from([0.0, 0.02, 0.07, 0.3333]))
    ours = Lmsr.of(b=b, weights=prior_weights(probabilities), q_yes=q_yes, q_no=q_no, additions=tuple(additions))
    theirs = PoolState.made(
        b=b, probabilities=probabilities, q_yes=q_yes, q_no=q_no, additions=additions, margin=margin
    )
    return ours, theirs


@st.composite
def lists(draw: st.DrawFn) -> tuple[Lmsr, PoolState]:
    """A list in both forms: liquidity added and outcomes taken out of Other while it traded."""
    percents = draw(st.lists(st.integers(1, 9_999), min_size=2, max_size=4))
    probabilities = [percent / 10_000 for percent in percents]
    b, other = draw(st.integers(1, 10**6)), len(percents) - 1
    nothing = (0,) * len(percents)
    ours = Lmsr.of(b=b, weights=prior_weights(probabilities), q_yes=nothing, q_no=nothing)
    additions: list[tuple[int, tuple[int, ...], tuple[int, ...]]] = []
    shares: list[float] = []
    for kind in draw(st.lists(st.sampled_from(["bet", "bet", "split", "liquidity"]), max_size=8)):
        if kind == "split":
            percent = draw(st.integers(1, 99))
            ours = split(ours, other=other, percent=percent)
            shares.append(percent / 100)
        elif kind == "bet":
            outcome = draw(st.integers(0, len(ours.q_yes) - 1))
            ours = ours.traded(outcome, Side.YES, draw(st.integers(1, 20 * b)))
        elif len(additions) < 2:
            additions.append((ours.b + draw(st.integers(1, 10**6)), ours.q_yes, ours.q_no))
            ours = ours.with_liquidity(additions[-1][0])
    theirs = PoolState.made(
        b=b,
        probabilities=probabilities,
        q_yes=ours.q_yes,
        q_no=ours.q_no,
        additions=additions,
        split_shares=shares,
    )
    return ours, theirs
