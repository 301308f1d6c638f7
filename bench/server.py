"""The service with three more routes, which the measurements compare with.

    POST /bench/noop      a bet's shape, authenticated, and no bet
    POST /bench/bets      a bet as without the desk: one transaction each, as many at a time as there are connections
    GET  /bench/constant  bytes made long ago

Run as `python -m bench.server PORT`; the database and all else come from FOREKNOW_* as for `foreknow serve`.
"""

from __future__ import annotations

import sys

from bench.broadcast import BroadcastRoutes
from foreknow.access.levels import AuthLevel
from foreknow.app import App
from foreknow.db.migrate import migrate
from foreknow.kernel.errors import DomainError
from foreknow.server import Server, bind, prepare_process
from foreknow.settings import Settings
from foreknow.trading.batch import Batch
from foreknow.trading.desk import TradeDesk
from foreknow.trading.orders import Order
from foreknow.trading.results import Receipt
from foreknow.trading.routes import BET_REFUSALS, TradingRoutes
from foreknow.trading.schemas import Bet, BetOrder
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Endpoint, Group, Request, get, post, whole_number
from foreknow.web.responses import Response

BYTES = whole_number("bytes", "Length of the response.", most=10**6)


class NaiveDesk(TradeDesk):
    """What most services do instead of batching: one transaction for each order, on a connection of the pool.

    Rules, rows, locks, listeners and the cache of ids are the same as in the desk. Orders wait for each other only in
    the database.
    """

    async def place(self, order: Order) -> Receipt:
        """Execute an order in its own transaction."""
        batch = Batch([order], self._id_cache, self._clock)
        (outcome,) = await self._db.write_private(batch.run)
        self._id_cache.merge(batch.found)
        self._notify(batch.pool_ids)
        if isinstance(outcome, DomainError):
            raise outcome
        return outcome


class BenchRoutes:
    """Routes to compare with: the same app without the work, or with the plain way of doing it."""

    def __init__(self, context: RouteContext, app: App) -> None:
        """Use `context` for the orders; wake the feed of `app` after each."""
        listeners = [context.shared.invalidate_pools, app.stale.note_pools, lambda _: app.services.feed.wake()]
        desk = NaiveDesk(context.db, context.clock, on_commit=listeners)
        self._naive = TradingRoutes(context, desk)
        self._constants: dict[int, Response] = {}

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            post(
                "/bench/noop", self.noop, AuthLevel.REQUIRED, Bet, "No-op", status=201, body=BetOrder, idempotent=True
            ),
            post(
                "/bench/bets",
                self._naive.bet,
                AuthLevel.REQUIRED,
                Bet,
                "A bet in a transaction of its own",
                status=201,
                body=BetOrder,
                errors=BET_REFUSALS,
                idempotent=True,
                rate_limit_group=Group.TRADING,
            ),
            get("/bench/constant", self.constant, AuthLevel.NONE, Bet, "Constant bytes", query=(BYTES,)),
        ]

    async def noop(self, call: Request) -> Bet:
        """Decode a bet, authenticate the trader, encode a response: the cost of HTTP, without the bet."""
        body: BetOrder = call.body
        return Bet(
            id=1,
            market_id=body.market_id,
            token_type=body.token_type,
            amount_kopecks=body.amount_kopecks,
            fee_kopecks=0,
            shares=1,
            avg_price=5000,
            probability_before=0.5123456789,
            probability_after=0.5123456999,
            balance_kopecks=call.user.user_id,
            created_at="2026-01-01T00:00:00.000Z",
        )

    async def constant(self, call: Request) -> Response:
        """Answer with prepared bytes."""
        length: int = call.query["bytes"]
        if length not in self._constants:
            self._constants[length] = Response(b"x" * length)
        return self._constants[length]


def main(port: int) -> None:
    """Serve until terminated."""
    settings = Settings()
    migrate(settings.resolved_database_url)
    prepare_process()
    app: App
    more = [lambda context: BenchRoutes(context, app).endpoints(), lambda _: BroadcastRoutes(app).endpoints()]
    app = App(settings, more=more)
    Server(app).serve_on(bind(host="127.0.0.1", port=port))


if __name__ == "__main__":
    main(int(sys.argv[1]))
