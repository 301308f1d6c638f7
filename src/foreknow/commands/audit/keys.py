"""Idempotency records: they answer with the trades there are."""

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
    #: Of a limit order, which is checked with its fills.
    price_bps: int | None = None

    @property
    def trade_id(self) -> int | None:
        """The trade's id; None for a response that is not about a trade."""
        if self.shares is None or self.price_bps is not None:
            return None
        return self.id or self.bet_id or self.sale_id

    @property
    def money_kopecks(self) -> int | None:
        """The stake or the payout."""
        return self.amount_kopecks or self.stake_kopecks or self.payout_kopecks


def _keys(tx: ReadTx) -> Iterator[str]:
    """Look up the trade of every stored response."""
    stored = rows(tx, "SELECT scope, key, status, body FROM idempotency_keys")
    while chunk := list(islice(stored, KEYS_AT_ONCE)):
        yield from _keys_of(tx, chunk)


def _keys_of(tx: ReadTx, stored: Sequence[Any]) -> Iterator[str]:
    orders: list[tuple[str, str, _Answer]] = []
    for scope, key, status, body in stored:
        if status not in ACCEPTED:
            yield f"key {key!r} of {scope} is spent on an error, {status}"
            continue
        try:
            answer = _read_answer(body)
        except msgspec.DecodeError:
            yield f"key {key!r} of {scope} holds no readable answer"
            continue
        if answer.trade_id is not None:
            orders.append((scope, key, answer))
    trades = _trades(tx, [answer.trade_id for _, _, answer in orders])
    for scope, key, answer in orders:
        if trades.get(answer.trade_id) != (scope, answer.market_id, answer.shares, answer.money_kopecks):
            yield f"key {key!r} of {scope} answers with trade {answer.trade_id}, which is not there or says otherwise"


_read_answer = msgspec.json.Decoder(_Answer).decode


def _trades(tx: ReadTx, trade_ids: Sequence[int | None]) -> dict[int | None, tuple[object, ...]]:
    """Return (scope of its keys, market, shares, money) of those of the trades that exist."""
    query = sa.text("""
        SELECT t.id, t.user_id, u.partner_id, t.market_id, t.shares, t.amount_kopecks
        FROM trades t JOIN users u ON u.id = t.user_id WHERE t.id IN :ids
    """).bindparams(sa.bindparam("ids", expanding=True))
    found = tx.execute(query, {"ids": trade_ids}).all()
    return {
        trade_id: (f"user:{user_id}" if partner_id is None else f"partner:{partner_id}", *rest)
        for trade_id, user_id, partner_id, *rest in found
    }


CHECKS = [Check(33, "keys", "every Idempotency-Key of an order answers with the trade it stands for", _keys)]
