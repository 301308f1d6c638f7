"""A baseline for authenticated POSTs: bare ASGI, a JWT verified, the bodies decoded and encoded.

Run as `python -m bench.bare PORT SECRET`.
"""

from __future__ import annotations

import sys
from typing import Any

import jwt
import msgspec
import uvicorn

from foreknow.trading.entry.bet_schemas import Bet, BetOrder

decode = msgspec.json.Decoder(BetOrder).decode
encode = msgspec.json.Encoder().encode


class Bare:
    """One route for every path."""

    def __init__(self, secret: str) -> None:
        """Verify tokens signed with `secret`."""
        self._secret = secret

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        """Answer every request with a valid token with the response to a bet."""
        if scope["type"] != "http":
            return
        headers = dict(scope["headers"])
        token = headers[b"authorization"][7:].decode()
        claims = jwt.decode(token, self._secret, algorithms=["HS256"])
        message = await receive()
        order = decode(message["body"])
        body = encode(
            Bet(
                bet_id=1,
                market_id=order.market_id,
                side=order.side,
                stake_kopecks=order.stake_kopecks,
                fee_kopecks=0,
                shares=1,
                avg_price_bps=5000,
                probability_before=0.5123456789,
                probability_after=0.5123456999,
                balance_kopecks=int(claims["sub"]),
                capped=False,
                created_at="2026-01-01T00:00:00.000Z",
            )
        )
        head = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
        await send({"type": "http.response.start", "status": 201, "headers": head})
        await send({"type": "http.response.body", "body": body})


if __name__ == "__main__":
    uvicorn.run(
        Bare(sys.argv[2]),
        port=int(sys.argv[1]),
        http="httptools",
        loop="uvloop",
        lifespan="off",
        access_log=False,
        log_level="warning",
    )
