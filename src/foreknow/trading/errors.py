"""Errors of orders, in the contract's order of checks (decisions.md, "Trading").

Errors of the market (not found, resolved, closed, paused) are in `foreknow.pools.errors`.
"""

from __future__ import annotations

from foreknow.kernel.errors import DomainError


class InsufficientShares(DomainError):
    code = "insufficient_shares"
    status = 409
    message = "The open position holds fewer shares than this."


class AmountTooSmall(DomainError):
    code = "amount_too_small"
    status = 400
    message = "At the present price this is less than one share or one kopeck."


class MarketLimit(DomainError):
    code = "market_limit"
    status = 409
    message = "The market cannot hold more than 1000000000000000 shares of one side."


class Slippage(DomainError):
    code = "slippage"
    status = 409
    message = "The price has moved past the limit set in the order."


class InsufficientFloat(DomainError):
    code = "insufficient_float"
    status = 409
    message = "Neither the user's balance nor the float covers the stake."
