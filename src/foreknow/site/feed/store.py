"""Reads trades in the feed's order."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import sqlalchemy as sa

from foreknow.market.events.tables import events
from foreknow.market.markets.tables import markets
from foreknow.market.pools.shape_view import set_name
from foreknow.market.pools.store import load_pools
from foreknow.people.users.profiles import name_if_hidden
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.feed.messages import FeedTrade, SequencedTrade
from foreknow.site.feed.tables import feed_order
from foreknow.trading.desk.tables import trades
from foreknow.trading.history.trades import legs_of


def newest_seq(tx: ReadTx) -> int:
    """Return the seq of the newest numbered trade; 0 for none."""
    return int(tx.execute(sa.select(sa.func.coalesce(sa.func.max(seq_column(tx.dialect.name)), 0))).scalar_one())


def trades_until(tx: ReadTx, seq: int, *, count: int) -> list[SequencedTrade]:
    """Return the last `count` trades up to `seq`, oldest first, with their traders' current names."""
    return _read(tx, _UNTIL.fetch(tx, {"seq": seq, "count": count}))[::-1]


def trades_after(tx: ReadTx, seq: int, *, count: int) -> list[SequencedTrade]:
    """Return the next `count` trades after `seq`."""
    return _read(tx, _AFTER.fetch(tx, {"seq": seq, "count": count}))


def seq_column(dialect: str) -> sa.Column[int]:
    """Return the column with the number of a trade of `numbered_trades`."""
    return trades.c.id if dialect == "sqlite" else feed_order.c.seq


def numbered_trades(dialect: str) -> sa.FromClause:
    """Return the trades that have a number."""
    return trades if dialect == "sqlite" else feed_order.join(trades, trades.c.id == feed_order.c.trade_id)


def _until(dialect: str) -> sa.Select[Any]:
    seq = seq_column(dialect)
    return _select(dialect).where(seq <= sa.bindparam("seq")).order_by(seq.desc()).limit(sa.bindparam("count"))


def _after(dialect: str) -> sa.Select[Any]:
    seq = seq_column(dialect)
    return _select(dialect).where(seq > sa.bindparam("seq")).order_by(seq).limit(sa.bindparam("count"))


def _select(dialect: str) -> sa.Select[Any]:
    return sa.select(
        seq_column(dialect),
        trades.c.amount_kopecks,
        # A sub-account's name is its partner's.
        users.c.name,
        users.c.profile_hidden,
        trades.c.side,
        events.c.name,
        markets.c.name,
        users.c.avatar_url,
        # Of a basket's.
        sa.case((trades.c.basket_id.is_not(None), trades.c.id)),
        trades.c.pool_id,
    ).select_from(
        numbered_trades(dialect)
        .join(users, users.c.id == trades.c.user_id)
        .join(markets, markets.c.id == trades.c.market_id)
        .join(events, events.c.id == trades.c.event_id)
    )


def _read(tx: ReadTx, found: Iterable[Any]) -> list[SequencedTrade]:
    rows = list(found)
    names = _basket_names(tx, {row[-2]: row[-1] for row in rows if row[-2] is not None})
    return [
        SequencedTrade(
            seq,
            FeedTrade(
                amount=amount_kopecks,
                name=name_if_hidden(name) if hidden else name,
                token=side,
                event=event,
                market=market if basket_trade_id is None else names[basket_trade_id],
                avatar="" if hidden else avatar_url,
            ),
        )
        for seq, amount_kopecks, name, hidden, side, event, market, avatar_url, basket_trade_id, _ in rows
    ]


def _basket_names(tx: ReadTx, pool_ids: Mapping[int, int]) -> dict[int, str]:
    """Return what the markets of baskets' trades, given with their pools, are called together; of a stake its set."""
    if not pool_ids:
        return {}
    pools = load_pools(tx, set(pool_ids.values()))
    return {
        trade_id: set_name(pools[pool_ids[trade_id]], [leg.outcome_index for leg in legs if leg.kind != "back"])
        for trade_id, legs in legs_of(tx, pool_ids.keys()).items()
    }


_UNTIL = CompiledQuery(_until)
_AFTER = CompiledQuery(_after)
