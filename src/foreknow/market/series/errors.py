"""Errors of series."""

from foreknow.kernel.errors import DomainError


class SeriesNotFound(DomainError):
    code = "series_not_found"
    status = 404
    message = "There is no series with this id."


class InvalidSeriesId(DomainError):
    code = "invalid_series_id"
    status = 400
    message = "A series id is a whole number from 1."
