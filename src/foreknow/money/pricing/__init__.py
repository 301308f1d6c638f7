"""Prices: the logarithmic market scoring rule (LMSR), exact to the last kopeck and share.

Pure arithmetic, standard library only.

The market maker is Robin Hanson's ("Combinatorial Information Market Design", Information Systems Frontiers 5:1,
2003; "Logarithmic Market Scoring Rules for Modular Combinatorial Information Aggregation", Journal of Prediction
Markets 1:1, 2007), with priors and NO shares. A share pays one kopeck if it wins, so money, shares and the liquidity
parameter b have one unit, and all are integers. A pool with integer prior weights w_i (only their ratios count) that
has sold q_yes_i and q_no_i shares of its outcomes has the cost

    C(q) = Σ_j q_no_j + b · ln( Σ_i w_i·exp(d_i/b) / Σ_i w_i ),   d_i = q_yes_i − q_no_i,

and the prices p_i = w_i·exp(d_i/b) / Σ_j w_j·exp(d_j/b). A trade costs the difference of two C. The house loses at
most b · ln(Σ w / min w).

Every trade moves two groups of outcomes against each other. Buying YES of i grows outcome i while the others rest;
buying NO of i grows all the others while i rests. With A the sum of w·exp(d/b) over the growing group and B over the
resting group,

    s kopecks buy       x = b · ln( ((A + B)·e^(s/b) − B) / A )   shares, rounded down,
    x shares sell for   y = b · ln( (A + B) / (A·e^(−x/b) + B) )  kopecks, rounded down,
    x shares are worth  v = x · A / (A + B)                       kopecks, rounded down,
    x shares cost       s = b · ln( (A·e^(x/b) + B) / (A + B) )   kopecks, rounded up.

The last is x less what x shares of the other side sell for, as the groups then exchange their parts. The growing group
may be any set of outcomes, and outcomes that gain exactly s beside them change nothing: so a set is bought, and a set
on a condition. A bundle of different numbers of shares, which leads from the weights Z of all outcomes to Z′, pays

    y = b · ln( Z / Z′ )  kopecks, rounded down; what it costs is −y, rounded up.

Rounding is exact, without tolerance, and always against the trader: `bounds` computes the number in floats with a
proven error bound; where a whole number lies within that bound, `exact` decides. So no sequence of trades makes a
sure profit, and escrow always covers the worst outcome.

    amounts    fractions, fees, settlements, priors, loss bound
    sides      YES and NO, and the words for them
    lmsr       `Lmsr`, the state of one pool's market maker
    bundles    several outcomes bought or sold as one piece
    splits     outcomes taken out of another, and what they cost the house
    exp_sums   the float sums of pools with three or more outcomes
    liquidity  the units of pools whose liquidity was raised
    bounds     floats with a proven error
    exact      decisions with as many digits as they need
    depth      the order book: how many shares move the price by how many percent

docs/pricing.md explains it with examples and proofs.
"""

from foreknow.money.pricing.amounts import (
    average_price_bps,
    exact_fraction,
    fee_kopecks,
    fee_on_top_kopecks,
    log_bound_kopecks,
    loss_bound_kopecks,
    prior_weights,
    settlement_kopecks,
)
from foreknow.money.pricing.bundles import Bundle
from foreknow.money.pricing.depth import DepthLevel
from foreknow.money.pricing.liquidity import ADDITIONS_MAX, Addition
from foreknow.money.pricing.lmsr import Lmsr
from foreknow.money.pricing.sides import PARTNER_SIDES, Q_LIMIT, SIDES, Side
from foreknow.money.pricing.splits import (
    PERCENT_MAX,
    PERCENT_MIN,
    SplitTerms,
    filled_in,
    other_bound_kopecks,
    split,
    split_subsidy_kopecks,
    split_weights,
)

__all__ = [
    "ADDITIONS_MAX",
    "PARTNER_SIDES",
    "PERCENT_MAX",
    "PERCENT_MIN",
    "Q_LIMIT",
    "SIDES",
    "Addition",
    "Bundle",
    "DepthLevel",
    "Lmsr",
    "Side",
    "SplitTerms",
    "average_price_bps",
    "exact_fraction",
    "fee_kopecks",
    "fee_on_top_kopecks",
    "filled_in",
    "log_bound_kopecks",
    "loss_bound_kopecks",
    "other_bound_kopecks",
    "prior_weights",
    "settlement_kopecks",
    "split",
    "split_subsidy_kopecks",
    "split_weights",
]
