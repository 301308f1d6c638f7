"""The service with more endpoints, as baselines for the benchmarks.

    POST /bench/noop      a bet's shape, authenticated, and no bet
    POST /bench/bets      a bet as without the desk: one transaction each, as many at a time as there are connections
    GET  /bench/constant  bytes made long ago

Run as `python -m bench.server PORT`; the database and all else come from FOREKNOW_* as for `foreknow serve`.
"""

from __future__ import annotations

import asyncio
import sys

from bench.broadcast import BroadcastRoutes
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import DomainError
from foreknow.kernel.settings import Settings
from foreknow.platform.db.migrate import migrate
from foreknow.service.app import App
from foreknow.service.server import Server, bind, prepare_process
from foreknow.trading.desk.batch import Batch
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.desk.errors import BET_ERRORS
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.processor import Receipt
from foreknow.trading.entry.bet_routes import BetRoutes
from foreknow.trading.entry.bet_schemas import Bet, BetOrder
from foreknow.trading.entry.routes import TRADING
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, QueryRequest, get, post
from foreknow.web.params import parameters, required, whole_number
from foreknow.web.responses import LaterResponse, Response


@parameters
class ConstantQuery:
    bytes: int = required(whole_number("bytes", "Length of the response.", most=10**6))


class NaiveDesk(TradeDesk):
    """What most services do instead of a desk: each order in its own transaction, on a connection of the pool.

    Rules, rows, locks, listeners and the cache of ids are the desk's. Only no order waits for another, except in the
    database.
    """

    def queue(self, order: OrderKind) -> asyncio.Future[Receipt]:
        """Execute an order in its own transaction."""
        return asyncio.ensure_future(self._alone(order))

    async def _alone(self, order: OrderKind) -> Receipt:
        batch = Batch([order], self._id_cache, self._settings)
        (outcome,) = await self._db.write_private(batch.run)
        self._id_cache.merge(batch.found)
        self._notify(batch.pool_ids)
        if isinstance(outcome, DomainError):
            raise outcome
        assert isinstance(outcome, Receipt)
        return outcome


class BenchRoutes:
    """Baselines: the same app without the work, or with the work done plainly."""

    def __init__(self, context: RouteContext, app: App) -> None:
        """Place bets through `context`, and wake `app`'s feed."""
        on_commit = [
            context.responses.invalidate_pools,
            app.public_reads.note_pools,
            lambda _: app.services.feed.wake(),
        ]
        desk = NaiveDesk(context.db, context.settings, on_commit=on_commit)
        self._naive = BetRoutes(context, desk)
        self._constants: dict[int, Response] = {}

    @post("/bench/noop", AuthLevel.REQUIRED, status=201, idempotent=True)
    async def do_nothing(self, request: BodyRequest[BetOrder]) -> Bet:
        """Decode a bet, authenticate its sender, encode a receipt: all that HTTP costs, and no bet."""
        body = request.body
        return Bet(
            bet_id=1,
            market_id=body.market_id,
            side=body.side,
            stake_kopecks=body.stake_kopecks,
            fee_kopecks=0,
            shares=1,
            avg_price_bps=5000,
            probability_before=0.5123456789,
            probability_after=0.5123456999,
            balance_kopecks=request.user.user_id,
            capped=False,
            created_at="2026-01-01T00:00:00.000Z",
        )

    @post(
        "/bench/bets",
        AuthLevel.REQUIRED,
        response=Bet,
        status=201,
        errors=BET_ERRORS,
        idempotent=True,
        rate_limit_group=TRADING,
    )
    def bet_alone(self, request: BodyRequest[BetOrder]) -> LaterResponse:
        """Place a bet in a transaction of its own."""
        return self._naive.place_bet(request)

    @get("/bench/constant", AuthLevel.NONE, response=Bet)
    async def get_constant(self, request: QueryRequest[ConstantQuery]) -> Response:
        """Answer bytes made long ago."""
        length = request.query.bytes
        if length not in self._constants:
            self._constants[length] = Response(b"x" * length)
        return self._constants[length]


def main(port: int) -> None:
    """Serve until terminated."""
    settings = Settings()
    migrate(settings.resolved_database_url)
    prepare_process()
    app: App
    more = [lambda context: BenchRoutes(context, app), lambda _: BroadcastRoutes(app)]
    app = App(settings, more=more)
    Server(app).serve_on(bind(host="127.0.0.1", port=port))


if __name__ == "__main__":
    main(int(sys.argv[1]))
