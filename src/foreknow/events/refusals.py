"""How events say no."""

from __future__ import annotations

from foreknow.kernel.errors import Refusal


class EventNotFound(Refusal):
    code = "event_not_found"
    status = 404
    message = "There is no event with this id."


class HouseLimit(Refusal):
    code = "house_limit"
    status = 409
    message = "The house does not risk more on one creator's open events: resolve or cancel some of them first."
