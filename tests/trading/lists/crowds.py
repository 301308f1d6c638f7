"""Crowds who hold a list's Other, made straight in a database."""

from __future__ import annotations

import random
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.access.callers import PartnerCaller
from foreknow.kernel.terms import Terms
from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.money.pricing import Side, exact_fraction
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.lists.schemas import CheckedOutcome
from foreknow.trading.lists.service import add_outcome
from foreknow.trading.lists.worker import SplitTurner
from foreknow.trading.positions.tables import position_splits, positions
from tests.trading.settlement import world

NAMES = ["Ann", "Bob", "Other"]


class ListCrowd:
    """People and sub-accounts who traded in a list of three outcomes, each of whom holds Other."""

    def __init__(self, tx: WriteTx, *, people: int = 5, acme: PartnerCaller | None = None) -> None:
        """Let them trade; nothing is split yet. A database has one `acme`."""
        chance = random.Random(11)
        self.creator = world.person(tx, creator=True)
        self.acme: PartnerCaller = acme or world.partner(tx, float_kopecks=10**6)
        metadata = {"market_names": NAMES, "lmsr_b_kopecks": 5_000, "shape": {"kind": "list"}}
        event = world.event(tx, self.creator, {"name": "Who?", "metadata": metadata})
        (made,) = event.pools
        self.pool_id, self.event_id = made.id, event.id
        self.market_ids = [market.id for market in made.markets]
        self.people = [world.person(tx, balance_kopecks=50_000) for _ in range(people)]
        for caller in self.people:
            world.bet(tx, caller, self.market_ids[2], Side.YES, stake_kopecks=chance.randrange(100, 3_000))
            outcome, side = chance.randrange(2), chance.choice([Side.YES, Side.NO])
            world.bet(tx, caller, self.market_ids[outcome], side, stake_kopecks=chance.randrange(100, 3_000))
        for name in ("u", "v"):
            world.bet(tx, self.acme, self.market_ids[2], Side.YES, stake_kopecks=700, external_user_id=name)
        in_pool = sa.select(positions.c.user_id).where(positions.c.pool_id == self.pool_id).distinct()
        self.traders = [user_id for (user_id,) in tx.execute(in_pool)]

    def split(self, tx: WriteTx, name: str = "Dana", *, percent: int = 25) -> PoolRow:
        """Take an outcome out of Other, and turn nothing; return the pool as it is then."""
        pool = load_pools(tx, [self.pool_id])[self.pool_id]
        price = exact_fraction(pool.lmsr().probability(2)) * percent / 100
        add_outcome(tx, self.pool_id, CheckedOutcome(name, "", percent, price), self.creator, terms=Terms())
        return load_pools(tx, [self.pool_id])[self.pool_id]


async def split_crowd(db: Database, **crowd: Any) -> ListCrowd:
    """Make a crowd whose list is split, and whose positions are not turned yet."""

    def work(tx: WriteTx) -> ListCrowd:
        made = ListCrowd(tx, **crowd)
        made.split(tx)
        return made

    return await db.write(work)


async def turn_all(turner: SplitTurner) -> None:
    """Turn until nothing is due."""
    while await turner.run_due():
        pass


def read_list(tx: ReadTx, made: ListCrowd) -> PoolRow:
    """Return the pool."""
    return load_pools(tx, [made.pool_id])[made.pool_id]


def turned_count(tx: ReadTx) -> int:
    """Return how many positions are turned."""
    return int(tx.execute(sa.select(sa.func.count()).select_from(position_splits)).scalar_one())
