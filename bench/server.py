"""The service itself with two routes more: an authenticated no-op of a bet's shape, and constant bytes.

Run as `python -m bench.server PORT`; the database and all else come from FOREKNOW_* as for `foreknow serve`.
"""

from __future__ import annotations

import sys

from foreknow.app import App
from foreknow.db.migrate import migrate
from foreknow.server import Server, bind
from foreknow.settings import Settings
from foreknow.trading.schemas import Bet, BetOrder
from foreknow.web.answers import Answer
from foreknow.web.endpoint import Call, Endpoint, Level, get, post, whole_number
from foreknow.web.room import Room

BYTES = whole_number("bytes", "How long the answer is.", most=10**6)


class BenchRoutes:
    """What the figures are measured against: the same app without the work."""

    def __init__(self, room: Room) -> None:
        """Need nothing of the room."""
        self._room = room
        self._constants: dict[int, Answer] = {}

    def endpoints(self) -> list[Endpoint]:
        """List the room's endpoints."""
        return [
            post("/bench/noop", self.noop, Level.REQUIRED, Bet, "No-op", status=201, body=BetOrder, idempotent=True),
            get("/bench/constant", self.constant, Level.NONE, Bet, "Constant bytes", query=(BYTES,)),
        ]

    async def noop(self, call: Call) -> Bet:
        """Decode a bet, authenticate its sender, encode a receipt: all that HTTP costs, and no bet."""
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

    async def constant(self, call: Call) -> Answer:
        """Answer bytes made long ago."""
        length: int = call.query["bytes"]
        if length not in self._constants:
            self._constants[length] = Answer(b"x" * length)
        return self._constants[length]


def main(port: int) -> None:
    """Serve until terminated."""
    settings = Settings()
    migrate(settings.resolved_database_url)
    app = App(settings, more=[lambda room: BenchRoutes(room).endpoints()])
    Server(app).serve_on(bind(host="127.0.0.1", port=port))


if __name__ == "__main__":
    main(int(sys.argv[1]))
