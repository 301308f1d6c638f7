"""Idempotency records: they answer with the trades, limit orders and baskets there are."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice
from typing import Any

import msgspec
import sqlalchemy as sa

from foreknow.commands.audit.rules import Check, rows
from foreknow.platform.db.transactions import ReadTx

#: Statuses that an idempotency record may hold.
ACCEPTED = {200, 201}
#: Keys looked up by one query.
KEYS_AT_ONCE = 500


class _Answer(msgspec.Struct, frozen=True):
    """The stored response to an order of a user or partner; other responses have no shares."""

    id: int | None = None
    bet_id: int | None = None
    sale_id: int | None = None
    market_id: int | None = None
    shares: int | None = None
    amount_kopecks: int | None = None
    stake_kopecks: int | None = None
    payout_kopecks: int | None = None
    #: Of a limit order: its price, and what it had when it was answered.
    price_bps: int | None = None
    order_id: int | None = None
    filled_shares: int | None = None
    trade_id: int | None = None
    #: Of a basket.
    basket_id: int | None = None
    pool_id: int | None = None
    legs: list[Any] | None = None
    net_kopecks: int | None = None

    @property
    def made_basket_id(self) -> int | None:
        """The basket's id; None for a response about anything else."""
        return None if self.legs is None else self.basket_id or self.id

    @property
    def limit_order_id(self) -> int | None:
        """The limit order's id; None for a response about anything else."""
        return None if self.price_bps is None else self.id or self.order_id

    @property
    def made_trade_id(self) -> int | None:
        """The trade's id; None for a response that is not about a bet or sale."""
        if self.shares is None or self.price_bps is not None:
            return None
        return self.id or self.bet_id or self.sale_id

    @property
    def money_kopecks(self) -> int | None:
        """The stake or the payout."""
        return self.amount_kopecks or self.stake_kopecks or self.payout_kopecks


def _keys(tx: ReadTx) -> Iterator[str]:
    """Look up the trade or limit order of every stored response."""
    stored = rows(tx, "SELECT scope, key, status, body FROM idempotency_keys")
    while chunk := list(islice(stored, KEYS_AT_ONCE)):
        yield from _keys_of(tx, chunk)


#: A scope, its key, and what was answered.
_Keyed = tuple[str, str, _Answer]


def _keys_of(tx: ReadTx, stored: Sequence[Any]) -> Iterator[str]:
    answers: list[_Keyed] = []
    for scope, key, status, body in stored:
        if status not in ACCEPTED:
            yield f"key {key!r} of {scope} is spent on an error, {status}"
            continue
        try:
            answers.append((scope, key, _read_answer(body)))
        except msgspec.DecodeError:
            yield f"key {key!r} of {scope} holds no readable answer"
    yield from _keys_of_trades(tx, [one for one in answers if one[2].made_trade_id is not None])
    yield from _keys_of_baskets(tx, [one for one in answers if one[2].made_basket_id is not None])
    yield from _keys_of_limit_orders(tx, [one for one in answers if one[2].limit_order_id is not None])


def _keys_of_trades(tx: ReadTx, answers: Sequence[_Keyed]) -> Iterator[str]:
    trades = _trades(tx, [answer.made_trade_id for _, _, answer in answers])
    for scope, key, answer in answers:
        trade_id = answer.made_trade_id
        if trades.get(trade_id) != (scope, answer.market_id, answer.shares, answer.money_kopecks):
            yield f"key {key!r} of {scope} answers with trade {trade_id}, which is not there or says otherwise"


def _keys_of_baskets(tx: ReadTx, answers: Sequence[_Keyed]) -> Iterator[str]:
    baskets = _baskets(tx, [answer.made_basket_id for _, _, answer in answers])
    for scope, key, answer in answers:
        basket_id = answer.made_basket_id
        if baskets.get(basket_id) != (scope, answer.pool_id, answer.net_kopecks):
            yield f"key {key!r} of {scope} answers with basket {basket_id}, which is not there or says otherwise"


def _keys_of_limit_orders(tx: ReadTx, answers: Sequence[_Keyed]) -> Iterator[str]:
    orders = _limit_orders(tx, [answer.limit_order_id for _, _, answer in answers])
    for scope, key, answer in answers:
        order_id = answer.limit_order_id
        *terms, filled_shares, taken_id = orders.get(order_id, (None, 0, None))
        said = [scope, answer.market_id, answer.shares, answer.price_bps]
        # It may have been filled further since.
        if terms != said or answer.filled_shares is None or answer.filled_shares > filled_shares:
            yield f"key {key!r} of {scope} answers with order {order_id}, which is not there or says otherwise"
        elif answer.trade_id != taken_id:
            yield f"key {key!r} of {scope} says that order {order_id} took trade {answer.trade_id}, not {taken_id}"


_read_answer = msgspec.json.Decoder(_Answer).decode


def _trades(tx: ReadTx, trade_ids: Sequence[int | None]) -> dict[int | None, tuple[Any, ...]]:
    """Return (scope of its keys, market, shares, money) of those of the trades that exist."""
    query = sa.text("""
        SELECT t.id, t.user_id, u.partner_id, t.market_id, t.shares, t.amount_kopecks
        FROM trades t JOIN users u ON u.id = t.user_id WHERE t.id IN :ids
    """)
    return _by_id(tx, query, trade_ids)


def _limit_orders(tx: ReadTx, order_ids: Sequence[int | None]) -> dict[int | None, tuple[Any, ...]]:
    """Return (scope of its keys, market, shares, price, filled shares, trade on arrival) of those that exist."""
    query = sa.text("""
        SELECT o.id, o.user_id, o.partner_id, o.market_id, o.shares, o.price_bps, o.filled_shares,
               (SELECT MIN(t.id) FROM trades t WHERE t.order_id = o.id AND t.role = 'taker')
        FROM limit_orders o WHERE o.id IN :ids
    """)
    return _by_id(tx, query, order_ids)


def _baskets(tx: ReadTx, basket_ids: Sequence[int | None]) -> dict[int | None, tuple[Any, ...]]:
    """Return (scope of its keys, pool, net) of those of the baskets that exist."""
    query = sa.text("""
        SELECT b.id, b.user_id, u.partner_id, b.pool_id, b.net_kopecks
        FROM baskets b JOIN users u ON u.id = b.user_id WHERE b.id IN :ids
    """)
    return _by_id(tx, query, basket_ids)


def _by_id(tx: ReadTx, query: sa.TextClause, ids: Sequence[int | None]) -> dict[int | None, tuple[Any, ...]]:
    """Return the rows by their first column, with the scope of their keys instead of user and partner."""
    found = tx.execute(query.bindparams(sa.bindparam("ids", expanding=True)), {"ids": ids}).all()
    return {
        row_id: (f"user:{user_id}" if partner_id is None else f"partner:{partner_id}", *rest)
        for row_id, user_id, partner_id, *rest in found
    }


CHECKS = [
    Check(
        33,
        "keys",
        "every Idempotency-Key of an order answers with what it stands for: a trade, a limit order or a basket",
        _keys,
    )
]
