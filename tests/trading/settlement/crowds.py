"""Crowds of traders with a resolved pool, and what must hold of their money while it is paid."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.access.callers import PartnerCaller
from foreknow.kernel.terms import Terms
from foreknow.money import statements
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.money.pricing import Side
from foreknow.people.users.tables import users
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.positions.tables import positions
from foreknow.trading.positions.valuation import valued_positions
from foreknow.trading.settlement import objections, service
from foreknow.trading.settlement.objections import WantedObjection
from foreknow.trading.settlement.payments import PaymentService
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.trading.settlement import world

THREE = {"name": "Who?", "margin": 0.03, "metadata": {"market_names": ["a", "b", "c"], "lmsr_b_kopecks": 5_000}}


class Crowd:
    """People and sub-accounts who traded in a pool of three outcomes."""

    def __init__(self, tx: WriteTx, *, people: int = 6, acme: PartnerCaller | None = None) -> None:
        """Let `people` and sub-accounts of `acme`, made where it is None, trade; nothing is decided yet."""
        chance = random.Random(7)
        self.creator = world.person(tx, creator=True)
        self.acme = acme or world.partner(tx, float_kopecks=10**6)
        event = world.event(tx, self.creator, THREE)
        (made,) = event.pools
        self.pool_id, self.event_id = made.id, event.id
        self.people = traders = [world.person(tx, balance_kopecks=50_000) for _ in range(people)]
        for number in range(people * 4):
            market, side = chance.choice(made.markets), chance.choice([Side.YES, Side.NO])
            stake = chance.randrange(100, 3_000)
            if number % 3:
                world.bet(tx, chance.choice(traders), market.id, side, stake_kopecks=stake)
            else:
                name = f"sub-{chance.randrange(3)}"
                world.bet(tx, self.acme, market.id, side, stake_kopecks=stake, external_user_id=name)
        in_pool = sa.select(positions.c.user_id).where(positions.c.pool_id == self.pool_id).distinct()
        self.traders = [user_id for (user_id,) in tx.execute(in_pool)]

    def resolve(self, tx: WriteTx, **result: Any) -> None:
        """Decide the pool, and pay nothing."""
        service.resolve(tx, self.pool_id, ResolveBody(**result), self.creator)

    def object(self, tx: WriteTx) -> None:
        """Let one who holds shares object to the first result."""
        holders = (person for person in self.people if person.user_id in self.traders)
        wanted = WantedObjection(verdict=1, reason="It rained.", source_url="", proposal=None)
        row, _ = objections.object_to(tx, self.pool_id, wanted, next(holders), terms=Terms())
        assert row.holds


async def crowd(db: Database, *, people: int = 6, **result: Any) -> Crowd:
    """Make a crowd whose pool is resolved and not paid yet."""

    def work(tx: WriteTx) -> Crowd:
        made = Crowd(tx, people=people)
        made.resolve(tx, **result)
        return made

    return await db.write(work)


def wealth(tx: ReadTx, user_ids: Sequence[int], *, now_ms: int = 0) -> dict[int, int]:
    """Return the balance of each trader plus the value of their open positions, in one snapshot."""
    balances = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=user_ids)
    return {
        user_id: balances[user_id] + sum(one.value_kopecks for one in valued_positions(tx, user_id, now_ms=now_ms))
        for user_id in user_ids
    }


def statement_says(tx: ReadTx, acme: PartnerCaller) -> tuple[int, int]:
    """Return the sum of a statement's changes of sub-accounts, and what these hold."""
    rows = statements.page(tx, partner_id=acme.partner_id, before_id=None, limit=1_000)
    of_partner = tx.execute(sa.select(users.c.id).where(users.c.partner_id == acme.partner_id)).scalars().all()
    held = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=of_partner)
    return sum(row.balance_change_kopecks for row in rows), sum(held.values())


async def pay_all(payer: PaymentService) -> None:
    """Pay until nothing is due."""
    while await payer.run_due():
        pass
