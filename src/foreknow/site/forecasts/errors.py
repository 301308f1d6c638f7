"""Errors of forecasts."""

from foreknow.kernel.errors import DomainError


class OutcomesDiffer(DomainError):
    """The number of outcomes that `details.outcomes` says."""

    code = "slippage"
    status = 409
    message = "The pool has another number of outcomes than `outcomes`: read it again."
