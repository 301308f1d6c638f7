"""What all endpoints of orders share: how one is declared, handed to the desk, and answered."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import DomainError
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.kind import OrderKind
from foreknow.trading.desk.processor import Receipt
from foreknow.trading.entry.voices import Voice
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, HandlerMethod, RateLimitGroup, post
from foreknow.web.responses import LaterResponse, Response, stored_response

TRADING = RateLimitGroup("trading")


def takes_orders(
    path: str, level: AuthLevel, response: type, errors: tuple[type[DomainError], ...], group: RateLimitGroup = TRADING
) -> Callable[[HandlerMethod], HandlerMethod]:
    """Declare that a method takes orders of users or of partners; only users have keys with scopes."""
    return post(
        path,
        level,
        response=response,
        status=201,
        errors=errors,
        idempotent=True,
        rate_limit_group=group,
        key_scope="trade",
    )


class EntryRoutes:
    """Endpoints that hand orders to the desk."""

    def __init__(self, context: RouteContext, desk: TradeDesk) -> None:
        """Hand orders to `desk`."""
        self._context = context
        self._desk = desk
        self._not_by_creator = context.terms.creators_trade == "off"

    def _said(self, request: BodyRequest[Any], voice: Voice, receipt: Callable[[Any], Any]) -> dict[str, Any]:
        """Return what every order says; `receipt` makes its response body of what became of it."""
        return {
            "caller": voice.caller,
            "external_user_id": voice.external_user_id,
            "not_by_creator": self._not_by_creator,
            "outcomes": request.body.outcomes,
            "idempotency_key": request.idempotency_key,
            "receipt": receipt,
        }

    def _queue(self, order: OrderKind) -> LaterResponse:
        """Queue an order; answer once it is executed."""
        return LaterResponse(self._desk.queue(order), _response_of)


def _response_of(receipt: Receipt) -> Response:
    """Return the response to an order that was executed, now or by an earlier request."""
    return stored_response(receipt.body, receipt.status, replayed=receipt.replayed)
