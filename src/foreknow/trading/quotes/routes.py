"""What the quote endpoints of users and of partners share: query parameters and the call."""

from __future__ import annotations

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.units import AMOUNT_MAX, INT64_MAX
from foreknow.money.pricing import Side
from foreknow.people.users.sub_accounts import SubAccountName, find_sub_accounts
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.quotes.quotes import PriceQuote, quote
from foreknow.web.context import RouteContext
from foreknow.web.params import Param, Text, choice, whole_number

MARKET_ID = whole_number("market_id", "The market.", most=INT64_MAX)
SHARES = whole_number("shares", "Number of share cents to quote a sale of.", most=AMOUNT_MAX)


OUTCOMES = whole_number("outcomes", "How many outcomes of the pool you know; another number is `slippage`.", most=100)


def stake(name: str) -> Param[int]:
    """The query parameter of the stake."""
    return whole_number(name, "Quote a buy with this stake in kopecks, fee included.", most=AMOUNT_MAX)


def side(name: str, values: tuple[Text, Text]) -> Param[Text]:
    """The query parameter of the side."""
    return choice(name, values, "Which side of the market.")


async def quote_request(
    context: RouteContext,
    *,
    visitor: UserCaller | None,
    market_id: int,
    side: Side,
    stake_kopecks: int | None,
    shares: int | None,
    outcomes: int | None = None,
    sub_account: SubAccountName | None = None,
) -> PriceQuote:
    """Quote an order now; `sub_account`: as the order of a partner's user."""

    def read(tx: ReadTx) -> PriceQuote:
        user = None if sub_account is None else find_sub_accounts(tx, [sub_account]).get(sub_account)
        return quote(
            tx,
            visitor=visitor,
            market_id=market_id,
            side=side,
            stake_kopecks=stake_kopecks,
            shares=shares,
            outcomes=outcomes,
            not_by_creator=context.terms.creators_trade == "off",
            now_ms=context.clock(),
            user_id=None if user is None else user.user_id,
        )

    return await context.db.lookup(read)
