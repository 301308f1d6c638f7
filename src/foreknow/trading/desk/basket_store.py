"""What a batch writes of baskets; their answers as they were given (baskets.md, "Orders")."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any

import msgspec
import sqlalchemy as sa
from msgspec import Meta

from foreknow.kernel.clock import iso
from foreknow.kernel.schema_types import USER_NAMES, CreatedAt, Id, MarketId, PoolId, Profit
from foreknow.people.users.tables import users
from foreknow.platform.db.changes import Sink, insert_rows
from foreknow.platform.db.statements.driver import Rows
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.made import MadeBasket, MadeTrade
from foreknow.trading.desk.tables import baskets, trade_legs, trades

LegShares = Annotated[int, Meta(description="Shares bought of it; below 0: sold.", examples=[732])]
LegAmount = Annotated[
    int, Meta(description="Its part of what was paid, or of cost and fee, kopecks; it may be 0.", examples=[166])
]
BasketPayout = Annotated[int, Meta(description="What its sales brought, kopecks.", examples=[0])]
BasketCost = Annotated[int, Meta(description="What its purchases cost without the fee, kopecks.", examples=[500])]
BasketFee = Annotated[int, Meta(description="The fee beside that, kopecks.", examples=[0])]
Net = Annotated[int, Meta(description="Payout less cost and fee, kopecks; below 0: what was paid.", examples=[-500])]
StakePrice = Annotated[
    int | None,
    Meta(description="Of a stake: its average price, basis points a share; null of changes.", examples=[6831]),
]
PricesBefore = Annotated[
    list[float],
    Meta(description="YES probability of each of the pool's markets before it, 0 … 1.", examples=[[0.1, 0.2, 0.7]]),
]
PricesAfter = Annotated[
    list[float],
    Meta(description="The same after it, before resting orders followed.", examples=[[0.08, 0.36, 0.56]]),
]


class QuotedLeg(msgspec.Struct, frozen=True):
    """What a basket would do in one market."""

    market_id: MarketId
    shares: LegShares
    amount_kopecks: LegAmount


class BasketLeg(QuotedLeg, frozen=True):
    """What a basket did in one market."""

    pnl: Annotated[Profit | None, Meta(description="Profit of what was sold, kopecks; null where it bought.")]


LEGS = Meta(description="What it does in each market, in the order of outcomes.")


class StoredBasket(msgspec.Struct, rename=USER_NAMES, frozen=True):
    """A basket as it was answered, without balances."""

    basket_id: Id
    pool_id: PoolId
    legs: Annotated[list[BasketLeg], LEGS]
    payout_kopecks: BasketPayout
    cost_kopecks: BasketCost
    fee_kopecks: BasketFee
    net_kopecks: Net
    avg_price_bps: StakePrice
    probabilities_before: PricesBefore
    probabilities_after: PricesAfter
    created_at: CreatedAt


def stored_basket(made: MadeBasket) -> StoredBasket:
    """Return what is kept of a basket's answer."""
    return StoredBasket(
        basket_id=made.id,
        pool_id=made.pool.row.id,
        legs=[BasketLeg(*leg) for leg in made.legs],
        payout_kopecks=made.payout_kopecks,
        cost_kopecks=made.cost_kopecks,
        fee_kopecks=made.fee_kopecks,
        net_kopecks=made.net_kopecks,
        avg_price_bps=made.avg_price_bps,
        probabilities_before=list(made.probabilities_before),
        probabilities_after=list(made.probabilities_after),
        created_at=iso(made.pool.at_ms),
    )


_BASKET = ("id", "user_id", "pool_id", "net_kopecks", "body")
_LEG = ("trade_id", "market_id", "position_id", "kind", "shares", "amount_kopecks", "pnl_kopecks")
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(StoredBasket).decode


def write(into: Sink, made: Sequence[MadeTrade], trade_names: tuple[str, ...], trade_rows: Rows) -> None:
    """Write the trades of baskets, given as rows too, and what belongs to them; all have their ids."""
    of_trades = {one.basket.id: one.basket for one in made if one.basket is not None}
    insert_rows(into, baskets, _BASKET, list(map(_row, of_trades.values())))
    insert_rows(into, trades, trade_names, trade_rows)
    insert_rows(into, trade_legs, _LEG, [row for trade in made for row in _leg_rows(trade)])


def basket_of_user(tx: ReadTx, basket_id: int, user_id: int) -> StoredBasket | None:
    """Return a user's basket as it was answered; None for none of theirs."""
    query = sa.select(baskets.c.body).where(baskets.c.id == basket_id, baskets.c.user_id == user_id)
    body = tx.execute(query).scalar()
    return None if body is None else _decode(body)


def basket_of_partner(tx: ReadTx, basket_id: int, partner_id: int) -> tuple[StoredBasket, str, int] | None:
    """Return a basket of a partner's user as it was answered, with the external and the own id of the user."""
    query = sa.select(baskets.c.body, users.c.external_user_id, users.c.id)
    query = query.join_from(baskets, users, users.c.id == baskets.c.user_id)
    found = tx.execute(query.where(baskets.c.id == basket_id, users.c.partner_id == partner_id)).one_or_none()
    return None if found is None else (_decode(found[0]), found[1], found[2])


def encode_answers(baskets_made: Iterable[MadeBasket]) -> None:
    """Encode what is kept of the answers of baskets that have their ids."""
    for basket in baskets_made:
        basket.body = _encode(stored_basket(basket))


def _row(basket: MadeBasket) -> tuple[Any, ...]:
    return (basket.id, basket.user_id, basket.pool.row.id, basket.net_kopecks, basket.body)


def _leg_rows(trade: MadeTrade) -> list[tuple[Any, ...]]:
    return [
        (trade.trade_id, leg.market_id, leg.position.id, leg.kind, leg.shares, leg.money_kopecks, leg.pnl_kopecks)
        for leg in trade.legs
    ]
