"""Editing events and pools: all of them while their event is new, and the deadlines of those that trade.

routes   PATCH /events/{id}, with an event's fields, and PATCH /pools/{id}
pools    texts and times of a pool
"""

from foreknow.market.editing.routes import EditingRoutes

__all__ = ["EditingRoutes"]
