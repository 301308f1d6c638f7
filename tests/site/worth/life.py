"""Random lives of people who trade in all ways there are, and what each was worth when each day ended.

What is expected is read at that moment itself, with the clock standing there: the balance, what orders hold, and the
positions as the portfolio values them.
"""

from __future__ import annotations

import asyncio
from collections import defaultdict
from random import Random
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.access.callers import PartnerCaller, UserCaller
from foreknow.kernel.clock import DAY_MS, HOUR_MS, MINUTE_MS
from foreknow.kernel.settings import Settings
from foreknow.kernel.terms import Terms
from foreknow.market.events.schemas import Event
from foreknow.market.pools.store import load_pools, lock_pools
from foreknow.money.holds import held_kopecks
from foreknow.money.ledger import (
    AccountKind,
    Transfer,
    TransferKind,
    account_ids,
    balances_kopecks,
    house_account,
    post,
)
from foreknow.money.ledger.tables import transfers
from foreknow.money.pricing import Side, exact_fraction
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs.follower import OVERLAP_MS
from foreknow.platform.settings import LiveSettings
from foreknow.site.worth import WorthFollower
from foreknow.site.worth.points import WorthPoint, worth_points
from foreknow.trading.desk.batch import Batch
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.id_cache import IdCache
from foreknow.trading.desk.kinds import BasketChanges, BasketStake, Buy, PlaceLimit, Sell, TradeBasket
from foreknow.trading.effects.order_worker import OrderWorker
from foreknow.trading.effects.turning import turn_piece
from foreknow.trading.lists.schemas import CheckedOutcome
from foreknow.trading.lists.service import add_outcome
from foreknow.trading.lists.tables import split_turns
from foreknow.trading.positions.valuation import valued_positions
from foreknow.trading.settlement.resolve_body import ResolveBody
from foreknow.trading.settlement.service import finalize, resolve, void_event
from foreknow.web.responses import Empty
from tests.support.clock import ShiftableClock
from tests.trading.settlement import world

#: A Friday, some hours before the day ends.
START_MS = 1_797_591_600_000
DISPUTED = {"kind": "manual", "dispute_minutes": 600}
LIST = {"market_names": ["a", "b", "Other"], "shape": {"kind": "list"}, "lmsr_b_kopecks": 5_000}
THREE = {"market_names": ["a", "b", "c"], "lmsr_b_kopecks": 10_000, "resolution": DISPUTED}


class WorthLife:
    """Events, people, a partner, and two followers of what people are worth."""

    def __init__(self, db: Database, clock: ShiftableClock, seed: int) -> None:
        self.db = db
        self.clock = clock
        self.random = Random(seed)
        self.now_ms = START_MS
        self.followers = [WorthFollower(db), WorthFollower(db)]
        self.orders = OrderWorker(db)
        self.events: list[Event] = []
        #: By person: what they were worth at the end of each day since their first movement.
        self.expected: dict[int, list[WorthPoint]] = defaultdict(list)

    async def begin(self) -> None:
        """Make the people; the last one gets money later, or never."""
        self.clock.stop_at(self.now_ms)

        def work(tx: WriteTx) -> tuple[UserCaller, list[UserCaller], PartnerCaller]:
            people = [world.person(tx) for _ in range(4)]
            return world.person(tx, creator=True, admin=True), people, world.partner(tx, float_kopecks=1_000_000)

        self.creator, self.people, self.partner = await self.db.write(work)
        for person in self.people[:3]:
            await self.give(person, 100_000)
        await self.make_event()

    async def live(self, steps: int) -> None:
        """Let things happen, with followers that are killed now and then."""
        doings = [self.trade] * 10 + [self.pass_time] * 2 + [self.follow] * 2
        doings += [
            self.kill,
            self.make_event,
            self.split,
            self.turn,
            self.decide,
            self.pay,
            self.credit,
            self.pay_orders,
        ]
        for _ in range(steps):
            await self.random.choice(doings)()

    async def make_event(self) -> None:
        """Publish an event of one pool, whose results may be disputed for some hours; or of a list."""
        pool: dict[str, Any] = self.random.choice(
            [
                {"name": "Will it?", "metadata": {"resolution": DISPUTED}},
                {"name": "Who?", "metadata": THREE},
                {"name": "Who first?", "metadata": LIST},
            ]
        )
        self.events.append(await self.db.write(lambda tx: world.event(tx, self.creator, pool)))

    async def trade(self) -> None:
        """Bet, sell, place a limit order, or send a basket, where it may be traded; errors are traders' own."""
        pool = self.random.choice(self.events).pools[0]
        markets = await self._markets(pool.id)
        caller: Any = self.random.choice([*self.people, self.partner])
        said: dict[str, Any] = {
            "caller": caller,
            "external_user_id": "ann" if isinstance(caller, PartnerCaller) else None,
            "market_id": self.random.choice(markets),
            "receipt": lambda _: Empty(),
        }
        side, stake = self.random.choice(list(Side)), self.random.randint(100, 5_000)
        kind = self.random.choice(["buy", "buy", "sell", "limit", "limit", "basket"])
        order: OrderKind
        if kind == "basket" and len(markets) > 2:
            terms: Any = BasketStake(market_ids=tuple(markets[:2]), stake_kopecks=stake)
            if self.random.random() < 0.4:
                terms = BasketChanges(changes={markets[0]: -self.random.choice([50, 500]), markets[1]: 300})
            order = TradeBasket(terms=terms, **said)
        elif kind == "limit":
            price, is_buy = 100 * self.random.randint(20, 80), self.random.random() < 0.6
            order = PlaceLimit(
                side=side, is_buy=is_buy, shares=100 * self.random.randint(1, 30), price_bps=price, **said
            )
        elif kind == "sell":
            order = Sell(shares=self.random.choice([None, 50]), side=side, **said)
        else:
            order = Buy(stake_kopecks=stake, side=side, **said)

        await self.db.write(lambda tx: Batch([order], IdCache(), LiveSettings(Settings())).run(tx))

    async def split(self) -> None:
        """Take an outcome out of a list's Other, and turn nothing."""
        pool = self.random.choice(self.events).pools[0]

        def work(tx: WriteTx) -> None:
            row = load_pools(tx, [pool.id])[pool.id]
            if row.other_index is None or row.turning or row.is_decided or len(row.splits) > 3:
                return
            # As the worker that turns positions does at its end.
            tx.execute(split_turns.delete().where(split_turns.c.pool_id == pool.id))
            price = exact_fraction(row.lmsr().probability(row.other_index)) * 25 / 100
            add_outcome(tx, pool.id, CheckedOutcome(f"n{len(row.splits)}", "", 25, price), self.creator, terms=Terms())

        await self.db.write(work)

    async def turn(self) -> None:
        """Turn a position of Other, or say that all are."""
        pool = self.random.choice(self.events).pools[0]

        def work(tx: WriteTx) -> None:
            row = lock_pools(tx, [pool.id])[pool.id]
            if row.turning:
                turn_piece(tx, row, size=1)

        await self.db.write(work)

    async def decide(self) -> None:
        """Decide an event, or correct what was decided, or cancel it."""
        if len(self.events) < 3:
            return
        event = self.random.choice(self.events)
        result = self.random.choice([ResolveBody(won_side=0), ResolveBody(won_side=1), ResolveBody(void=True)])

        def work(tx: WriteTx) -> None:
            row = load_pools(tx, [event.pools[0].id])[event.pools[0].id]
            if row.is_resolved(self.now_ms):
                return
            if self.random.random() < 0.2:
                void_event(tx, event.id, self.creator)
            else:
                resolve(tx, row.id, result, self.creator)

        await self.db.write(work)

    async def pay(self) -> None:
        """Pay an event whose result is final."""
        for event in list(self.events):
            pool_id = event.pools[0].id

            def work(tx: WriteTx, pool_id: int = pool_id) -> bool:
                finalize(tx, pool_id)
                row = lock_pools(tx, [pool_id])[pool_id]
                while row.turning:
                    turn_piece(tx, row, size=100)
                    row = lock_pools(tx, [pool_id])[pool_id]
                if row.paying:
                    world.pay(tx, row)
                return row.paying

            if await self.db.write(work):
                self.events.remove(event)
                if not self.events:
                    await self.make_event()
                return

    async def credit(self) -> None:
        """Give someone something, or take it back."""
        person = self.random.choice(self.people)
        await self.give(person, self.random.choice([-3_000, 500, 20_000]))

    async def give(self, person: UserCaller, kopecks: int) -> None:
        """Give someone so much (below 0: take), as far as they have it."""

        def work(tx: WriteTx) -> None:
            ids = account_ids(tx, kind=AccountKind.USER, owner_ids=[person.user_id])
            account, house = ids[person.user_id], house_account(tx)
            kind = self.random.choice([TransferKind.CREDIT, TransferKind.GRANT])
            moved = Transfer(kind=kind, source=house, target=account, amount_kopecks=abs(kopecks))
            if kopecks < 0:
                if world.balance(tx, person) < -kopecks:
                    return
                moved = Transfer(kind=TransferKind.DEBIT, source=account, target=house, amount_kopecks=-kopecks)
            post(tx, [moved], at_ms=self.now_ms)

        await self.db.write(work)

    async def pay_orders(self) -> None:
        """Pay what fills and ends have left."""
        await self.orders.run_due()

    async def pass_time(self) -> None:
        """Let some time pass, and note what people are worth at the end of each day."""
        until_ms = self.now_ms + self.random.choice([MINUTE_MS, HOUR_MS, 10 * HOUR_MS, 3 * DAY_MS]) + 1
        end_ms = -(-self.now_ms // DAY_MS) * DAY_MS
        while end_ms < until_ms:
            self.clock.stop_at(end_ms)
            await self._note(end_ms)
            end_ms += DAY_MS
        self.now_ms = until_ms
        self.clock.stop_at(self.now_ms)

    async def follow(self) -> None:
        """Let both followers work at the same time, once."""
        await asyncio.gather(*(follower.follow() for follower in self.followers))

    async def kill(self) -> None:
        """Kill a follower wherever it is after some turns of the loop; another one takes its place."""
        place = self.random.randrange(2)
        task = asyncio.create_task(self.followers[place].follow())
        for _ in range(self.random.randrange(60)):
            await asyncio.sleep(0)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)
        # What it had begun is written nevertheless: no time passes before.
        await self.db.write(lambda _: None)
        self.followers[place] = WorthFollower(self.db)

    async def catch_up(self) -> None:
        """Keep all days that have ended."""
        end_ms = self.now_ms // DAY_MS * DAY_MS
        self.now_ms = max(self.now_ms, end_ms + OVERLAP_MS)
        self.clock.stop_at(self.now_ms)
        while await self.followers[0].follow():
            pass

    async def kept(self) -> dict[int, list[WorthPoint]]:
        """Return what is kept of the ends of days, of those who have any."""

        def read(tx: ReadTx) -> dict[int, list[WorthPoint]]:
            points = {
                person.user_id: worth_points(tx, person.user_id, "all", worth_kopecks=0, now_ms=self.now_ms)[:-1]
                for person in self.people
            }
            return {user_id: of_person for user_id, of_person in points.items() if of_person}

        return await self.db.read(read)

    async def _markets(self, pool_id: int) -> list[int]:
        row = await self.db.read(lambda tx: load_pools(tx, [pool_id])[pool_id])
        return [market.id for market in row.markets]

    async def _note(self, at_ms: int) -> None:
        def read(tx: ReadTx) -> None:
            for person in self.people:
                found = _worth(tx, person.user_id, at_ms=at_ms)
                if found is not None:
                    self.expected[person.user_id].append(found)

        await self.db.read(read)


def _worth(tx: ReadTx, user_id: int, *, at_ms: int) -> WorthPoint | None:
    account = account_ids(tx, kind=AccountKind.USER, owner_ids=[user_id])[user_id]
    moved = tx.execute(
        sa.select(transfers.c.kind, transfers.c.amount_kopecks, transfers.c.target_account_id).where(
            sa.or_(transfers.c.source_account_id == account, transfers.c.target_account_id == account)
        )
    ).all()
    if not moved:
        return None
    signs = {"credit": 1, "grant": 1, "debit": -1}
    balance = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=[user_id])[user_id]
    value = sum(position.value_kopecks for position in valued_positions(tx, user_id, now_ms=at_ms))
    return WorthPoint(
        at_ms,
        balance + held_kopecks(tx, [user_id])[user_id] + value,
        sum(signs.get(row.kind, 0) * row.amount_kopecks for row in moved),
    )
