"""Reading trades in the one order."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from foreknow.events.tables import events
from foreknow.feed.messages import SequencedTrade, TradeItem
from foreknow.feed.tables import feed_order
from foreknow.markets.tables import markets
from foreknow.trading.tables import trades
from foreknow.users.profiles import HIDDEN_NAME
from foreknow.users.tables import users


def newest_seq(tx: sa.Connection) -> int:
    """Return the seq of the newest trade that has one, 0 where there is none."""
    return int(tx.execute(sa.select(sa.func.coalesce(sa.func.max(_seq(tx)), 0))).scalar_one())


def trades_until(tx: sa.Connection, seq: int, *, count: int) -> list[SequencedTrade]:
    """Return the last `count` trades up to `seq`, oldest first, under the names their traders go by now."""
    number = _seq(tx)
    return _read(tx, _select(tx).where(number <= seq).order_by(number.desc()).limit(count))[::-1]


def trades_after(tx: sa.Connection, seq: int, *, count: int) -> list[SequencedTrade]:
    """Return the next `count` trades after `seq` in their order."""
    number = _seq(tx)
    return _read(tx, _select(tx).where(number > seq).order_by(number).limit(count))


def _seq(tx: sa.Connection) -> sa.Column[int]:
    return trades.c.id if tx.dialect.name == "sqlite" else feed_order.c.seq


def _select(tx: sa.Connection) -> sa.Select[Any]:
    source = trades if tx.dialect.name == "sqlite" else feed_order.join(trades, trades.c.id == feed_order.c.trade_id)
    return sa.select(
        _seq(tx),
        trades.c.amount_kopecks,
        # A sub-account's name is its partner's.
        users.c.name,
        users.c.profile_hidden,
        trades.c.side,
        events.c.name,
        markets.c.name,
        users.c.avatar_url,
    ).select_from(
        source.join(users, users.c.id == trades.c.user_id)
        .join(markets, markets.c.id == trades.c.market_id)
        .join(events, events.c.id == trades.c.event_id)
    )


def _read(tx: sa.Connection, query: sa.Select[Any]) -> list[SequencedTrade]:
    return [
        SequencedTrade(
            seq,
            TradeItem(
                amount=amount_kopecks,
                name=HIDDEN_NAME if hidden else name,
                token=side,
                event=event,
                market=market,
                avatar="" if hidden else avatar_url,
            ),
        )
        for seq, amount_kopecks, name, hidden, side, event, market, avatar_url in tx.execute(query)
    ]
