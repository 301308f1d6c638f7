"""Errors of limit orders, in the order in which an order is refused (orders.md, "Endpoints")."""

from foreknow.kernel.errors import DomainError


class InvalidOrderId(DomainError):
    code = "invalid_order_id"
    status = 400
    message = "An order id is a whole number from 1."


class OrderNotFound(DomainError):
    code = "order_not_found"
    status = 404
    message = "There is no order of yours with this id."


class TooManyOrders(DomainError):
    code = "too_many_orders"
    status = 409
    message = "At most 200 orders of yours may be open in a pool: cancel some first."


class WouldTrade(DomainError):
    code = "would_trade"
    status = 409
    message = "The order would trade at once, and it may only rest."


class Unfilled(DomainError):
    code = "unfilled"
    status = 409
    message = "Nothing, or not all of it, could be filled at this price."
