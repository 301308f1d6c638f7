"""What the quote endpoints of users and of partners share: query parameters and the reading of a request."""

from __future__ import annotations

from foreknow.access.callers import UserCaller
from foreknow.kernel.units import AMOUNT_MAX, INT64_MAX
from foreknow.pricing import Side
from foreknow.trading.quotes import Quote, quote
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import Param, Request, choice, whole_number

MARKET_ID = whole_number("market_id", "The market.", most=INT64_MAX, required=True)
SHARES = whole_number("shares", "Quote a sale of so many shares.", most=AMOUNT_MAX)


def stake(name: str) -> Param:
    """Describe the parameter with the stake."""
    return whole_number(name, "Quote a buy with this stake in kopecks, fee included.", most=AMOUNT_MAX)


def side(name: str, values: tuple[str, str]) -> Param:
    """Describe the parameter with the side."""
    return choice(name, values, "Which side of the market.", required=True)


async def quote_request(
    context: RouteContext, request: Request, *, visitor: UserCaller | None, side: Side, stake_kopecks: int | None
) -> Quote:
    """Price what a request asks; users and partners name side and stake differently."""
    market_id, shares = request.query["market_id"], request.query["shares"]
    return await context.db.lookup(
        lambda tx: quote(
            tx,
            visitor=visitor,
            market_id=market_id,
            side=side,
            stake_kopecks=stake_kopecks,
            shares=shares,
            now_ms=context.clock(),
        ),
    )
