"""Errors of price alerts."""

from foreknow.kernel.errors import DomainError


class TooManyAlerts(DomainError):
    code = "too_many_alerts"
    status = 409
    message = "You have 200 price alerts already: delete one first."
