"""Rows that others refer to, for tests of one package that need a user or a pool and no interface."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import sqlalchemy as sa

from foreknow.market.events.tables import events
from foreknow.market.markets.tables import markets
from foreknow.market.pools.tables import pools
from foreknow.money.ledger import AccountKind, open_account
from foreknow.people.users.sub_accounts import SubAccount
from foreknow.people.users.tables import users
from foreknow.platform.db.ids import draw_ids
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.tables import trades
from foreknow.trading.positions.tables import positions


@dataclass(frozen=True, slots=True)
class PoolIds:
    """A pool, its event and its markets."""

    event_id: int
    pool_id: int
    market_ids: Sequence[int]


def insert_user(tx: WriteTx, name: str = "Ada", **columns: object) -> int:
    """Insert a user without credentials and return the id."""
    values = {"name": name, "created_at_ms": 0} | columns
    return int(tx.execute(users.insert().values(**values).returning(users.c.id)).scalar_one())


def insert_sub_account(
    tx: WriteTx, *, partner_id: int, partner_name: str, external_user_id: str, at_ms: int
) -> SubAccount:
    """Insert a sub-account with balance 0; its public name is the partner's."""
    user_id = insert_user(
        tx, partner_name, partner_id=partner_id, external_user_id=external_user_id, created_at_ms=at_ms
    )
    account_id = open_account(tx, kind=AccountKind.USER, owner_id=user_id)
    tx.execute(users.update().where(users.c.id == user_id).values(account_id=account_id))
    return SubAccount(user_id, account_id)


def insert_pool(tx: WriteTx, *, names: Sequence[str] = ("Yes", "No"), published_at_ms: int = 0) -> PoolIds:
    """Insert an event with one published pool that has a market for each of `names`, equal priors and b 100,000."""
    event = {
        "creator_id": insert_user(tx, "Creator", is_creator=True),
        "name": "Event",
        "name_ru": "",
        "search_key": "event",
        "tags": [],
        "versus_names": [],
        "versus_images": [],
        "has_draw": False,
        "image_url": "",
        "external_event_url": "",
        "main_pool_index": 0,
        "loop_interval_minutes": 0,
        "status": "active",
        "created_at_ms": published_at_ms,
        "published_at_ms": published_at_ms,
    }
    event_id = int(tx.execute(events.insert().values(**event).returning(events.c.id)).scalar_one())
    pool = {
        "event_id": event_id,
        "creator_id": event["creator_id"],
        "position": 0,
        "name": "Pool",
        "name_ru": "",
        "rules": "",
        "margin": 0.0,
        "metadata": {},
        "b": 100_000,
        "weights": ["1"] * max(2, len(names)),
        "state": "open",
        "published_at_ms": published_at_ms,
        "loss_bound_kopecks": 0,
        "escrow_account_id": open_account(tx, kind=AccountKind.ESCROW, owner_id=event_id),
        "fees_account_id": open_account(tx, kind=AccountKind.FEES, owner_id=event_id),
    }
    pool_id = int(tx.execute(pools.insert().values(**pool).returning(pools.c.id)).scalar_one())
    rows = [
        {
            "pool_id": pool_id,
            "event_id": event_id,
            "outcome_index": index,
            "name": name,
            "probability": 1 / max(2, len(names)),
        }
        for index, name in enumerate(names)
    ]
    tx.execute(markets.insert(), rows)
    ids = tx.execute(sa.select(markets.c.id).where(markets.c.pool_id == pool_id).order_by(markets.c.outcome_index))
    return PoolIds(event_id, pool_id, ids.scalars().all())


def insert_trades(tx: WriteTx, pool: PoolIds, user_id: int, amounts_kopecks: Sequence[int]) -> list[int]:
    """Insert one bet on YES of the pool's first market for each amount, all of one position, and return their ids.

    As a desk does, it locks the pool first.
    """
    tx.execute(sa.select(pools.c.id).where(pools.c.id == pool.pool_id).with_for_update())
    position = {
        "user_id": user_id,
        "market_id": pool.market_ids[0],
        "pool_id": pool.pool_id,
        "event_id": pool.event_id,
        "side": "YES",
        "shares": len(amounts_kopecks),
        "cost_kopecks": sum(amounts_kopecks),
        "left_shares": 0,
        "left_cost_kopecks": 0,
        "pnl_kopecks": 0,
        "opened_at_ms": 0,
        # Closed, so that the next call may open another.
        "closed_at_ms": 0,
    }
    position_id = tx.execute(positions.insert().values(**position).returning(positions.c.id)).scalar_one()
    trade = {
        "event_id": pool.event_id,
        "pool_id": pool.pool_id,
        "market_id": pool.market_ids[0],
        "user_id": user_id,
        "position_id": position_id,
        "action": "buy",
        "side": "YES",
        "fee_kopecks": 0,
        "shares": 1,
        "pnl_kopecks": 0,
        "probability_before": 0.5,
        "probability_after": 0.5,
        "created_at_ms": 0,
    }
    ids = draw_ids(tx, trades, len(amounts_kopecks))
    rows = [
        {"id": trade_id, "amount_kopecks": amount, **trade}
        for trade_id, amount in zip(ids, amounts_kopecks, strict=True)
    ]
    tx.execute(trades.insert(), rows)
    return ids
