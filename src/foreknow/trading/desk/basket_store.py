"""What a batch writes of baskets; their answers as they were given."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import msgspec
import sqlalchemy as sa

from foreknow.people.users.tables import users
from foreknow.platform.db.changes import Sink, insert_rows
from foreknow.platform.db.driver import Rows
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.desk.basket_schemas import StoredBasket, stored_basket
from foreknow.trading.desk.made import MadeBasket, MadeTrade
from foreknow.trading.desk.tables import baskets, trade_legs, trades

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
