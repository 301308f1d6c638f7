"""Errors of events."""

from __future__ import annotations

from foreknow.kernel.errors import DomainError


class EventNotFound(DomainError):
    code = "event_not_found"
    status = 404
    message = "There is no event with this id."


class HouseLimit(DomainError):
    code = "house_limit"
    status = 409
    message = "The house does not risk more on one creator's open events: resolve or cancel some of them first."


class InvalidEventId(DomainError):
    code = "invalid_event_id"
    status = 400
    message = "An event id is a whole number from 1."
