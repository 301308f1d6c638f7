"""Errors of events."""

from foreknow.kernel.errors import DomainError


class EventNotFound(DomainError):
    code = "event_not_found"
    status = 404
    message = "There is no event with this id."


class HouseLimit(DomainError):
    code = "house_limit"
    status = 409
    message = "The house does not risk more on one creator's open events: resolve or cancel some of them first."


class TooManyEvents(DomainError):
    code = "too_many_events"
    status = 409
    message = "20 events of yours wait for an admin: wait until some are published or cancelled."


class PriceUnavailable(DomainError):
    code = "price_unavailable"
    status = 409
    message = "A rule or a text refers to the asset's price now, and none of the last 120 s is known: try again soon."


class InvalidEventId(DomainError):
    code = "invalid_event_id"
    status = 400
    message = "An event id is a whole number from 1."
