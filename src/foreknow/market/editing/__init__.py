"""Editing events and pools: all of them while their event is new, and the deadlines of those that trade.

events   fields of an event   pools    texts and times of a pool
routes   PATCH /events/{id} and PATCH /pools/{id}
"""

from foreknow.market.editing.routes import EditingRoutes

__all__ = ["EditingRoutes"]
