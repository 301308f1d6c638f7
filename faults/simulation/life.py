"""One process, from its start to its end, what people do meanwhile, and what must hold after every commit."""

from __future__ import annotations

import asyncio
import json
import sqlite3
from collections import defaultdict
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from faults.simulation.loop import SimulatedLoop
from faults.simulation.network import Network
from faults.simulation.plan import Act, Plan
from faults.simulation.world import NAME, Cast, Market, Parts
from faults.vfs import Disk
from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.clock import system_clock
from foreknow.kernel.errors import DomainError, Unavailable
from foreknow.kernel.terms import Terms
from foreknow.market.pools.store import load_pools
from foreknow.money.ledger.idempotency import IdempotencyKey
from foreknow.money.pricing import Side, exact_fraction
from foreknow.people.notifications import NewNotifications, record
from foreknow.people.notifications.kinds.own import OperatorAnswer
from foreknow.platform.db.sqlite.database import SqliteDatabase
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.desk.floor import OrderKind
from foreknow.trading.desk.kinds import Buy, Cancel, PlaceLimit, Sell, TradeBasket
from foreknow.trading.desk.kinds.basket_pricing import BasketStake
from foreknow.trading.entry.basket_routes import user_basket
from foreknow.trading.entry.bet_routes import bet_receipt, partner_bet_receipt, sale_receipt
from foreknow.trading.entry.order_routes import placed_order
from foreknow.trading.entry.order_schemas import PlacedOrder
from foreknow.trading.entry.routes import UserVoice
from foreknow.trading.lists.schemas import CheckedOutcome
from foreknow.trading.lists.service import add_outcome
from foreknow.trading.settlement import service
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.support.held import WRONG

#: Clients, each of which does one thing at a time.
CLIENTS = 5
SHARES = 1_000
PAUSE_S = 0.2
#: What failed often is tried again by then.
MUCH_LATER_S = 8 * 3600.0
#: After this time without a commit there is nothing left to do.
QUIET_S = 1.1
NEVER_QUIET_S = 90.0


class Broken(AssertionError):
    """Something does not hold; the text says what."""


@dataclass(slots=True)
class Outside:
    """What outlives the processes: people with what they know, peers, and the trace of all that happens."""

    plan: Plan
    cast: Cast
    network: Network
    #: By the number of an act: what came of it.
    answers: dict[int, str] = field(default_factory=dict)
    #: Limit orders by client: id, market.
    orders: defaultdict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    trace: list[str] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        """Whether every act was answered."""
        return len(self.answers) == len(self.plan.acts)


class Life:
    """A process of the service on the files of one folder."""

    def __init__(self, loop: SimulatedLoop, folder: Path, disk: Disk, outside: Outside) -> None:
        """Begin nothing yet; `disk` notes what happens in the folder."""
        self._loop = loop
        self._outside = outside
        self._path = folder / NAME
        self.db = SqliteDatabase(f"sqlite:///{self._path}", clock=system_clock)
        self._parts = Parts(self.db, system_clock)
        self._looker = sqlite3.connect(self._path, isolation_level=None)
        self._disk, self._steps = disk, 0
        self._version = -1
        self._changed_at_s = loop.time()
        loop.on_step = self._look
        outside.network.tell = self._tell

    async def run(self, *, is_last: bool) -> None:
        """Serve until all acts are answered; the last process until, much later, nothing is left to be done."""
        await self._parts.start()
        self._tell("starts")
        clients = [asyncio.create_task(self._client(number), name=f"client-{number}") for number in range(CLIENTS)]
        for client in clients:
            await client
        if not is_last:
            return
        self._outside.network.is_well = True
        # What was under way meanwhile has failed for lack of time, and is tried again by the second.
        for _ in range(2):
            self._loop.leap(MUCH_LATER_S)
            self._outside.network.era += 1
            await self._until_quiet()

    async def _until_quiet(self) -> None:
        began_s = self._changed_at_s = self._loop.time()
        while self._loop.time() < self._changed_at_s + QUIET_S:
            if self._loop.time() > began_s + NEVER_QUIET_S:
                raise Broken("there is no end of commits")
            await asyncio.sleep(0.5)

    async def end(self) -> None:
        """Let go of everything: what was running is cancelled, and changes only files that are never read again."""
        mine = asyncio.current_task()
        running = [task for task in asyncio.all_tasks() if task is not mine]
        for task in running:
            task.cancel()
        await asyncio.gather(*running, return_exceptions=True)
        await self.db.close()
        self._looker.close()

    def _tell(self, line: str) -> None:
        self._outside.trace.append(f"{self._loop.time():.6f} {line}")

    def _look(self) -> None:
        """Check what must hold, once for each commit."""
        if len(self._disk.steps) == self._steps:
            return
        self._steps = len(self._disk.steps)
        (version,) = self._looker.execute("PRAGMA data_version").fetchone()
        if version == self._version:
            return
        self._version, self._changed_at_s = version, self._loop.time()
        for name, found in zip(INVARIANTS, self._looker.execute(ALL_INVARIANTS).fetchone(), strict=True):
            if found:
                raise Broken(f"{name}: {found}")

    async def _client(self, number: int) -> None:
        for index, act in enumerate(self._outside.plan.acts):
            if act.who % CLIENTS != number or index in self._outside.answers:
                continue
            await asyncio.sleep(max(0.0, act.at_s - self._loop.time()))
            while index not in self._outside.answers:
                try:
                    answer = await self._do(index, act)
                except Unavailable:
                    await asyncio.sleep(PAUSE_S)
                    continue
                except DomainError as refused:
                    answer = refused.code
                self._outside.answers[index] = answer
                self._tell(f"{index} {act.kind}: {answer}")

    async def _do(self, index: int, act: Act) -> str:
        """Do what an act says; return what came of it."""
        if act.kind == "cancel":
            return await self._cancel(act)
        if act.kind == "split":
            return await self._split(index)
        if act.kind == "resolve":
            return await self._resolve(act)
        if act.kind == "notify":
            person = self._person(act).user_id
            await self.db.write_private(partial(_notify, person))
            return "notified"
        receipt = await self._parts.desk.place(self._order(index, act))
        body = json.loads(receipt.body)
        if act.kind == "limit":
            self._outside.orders[act.who % CLIENTS].append((body["id"], body["market_id"]))
        return f"{body.get('id') or body.get('bet_id')}"

    def _person(self, act: Act) -> UserCaller:
        people = self._outside.cast.people
        return people[act.who % CLIENTS % len(people)]

    def _market(self, act: Act) -> Market:
        flat = [market for markets in self._outside.cast.markets for market in markets]
        return flat[act.where % len(flat)]

    def _order(self, index: int, act: Act) -> OrderKind:
        market, person = self._market(act), self._person(act)
        side = Side.YES if act.is_yes or market.is_other else Side.NO
        scope = self._outside.cast.partner.scope if act.kind == "partner bet" else person.scope
        key = IdempotencyKey(scope, f"act-{index}", "")
        said: dict[str, Any] = {"caller": person, "market_id": market.id, "side": side, "idempotency_key": key}
        if act.kind == "bet":
            return Buy(**said, stake_kopecks=act.amount, receipt=bet_receipt)
        if act.kind == "partner bet":
            name = f"u{act.who % 3}"
            said |= {"caller": self._outside.cast.partner, "external_user_id": name}
            return Buy(**said, stake_kopecks=act.amount, receipt=partial(partner_bet_receipt, name))
        if act.kind == "sale":
            return Sell(**said, shares=act.amount, receipt=sale_receipt)
        if act.kind == "basket":
            first, second, _ = self._outside.cast.markets[0]
            terms = BasketStake(market_ids=(first.id, second.id), stake_kopecks=act.amount)
            return TradeBasket(**said | {"market_id": first.id, "side": Side.YES}, terms=terms, receipt=user_basket)
        percent = 25 + act.amount % 50
        receipt = partial(placed_order, PlacedOrder, UserVoice(person))
        return PlaceLimit(**said, is_buy=act.is_buy, shares=SHARES, price_bps=100 * percent, receipt=receipt)

    async def _cancel(self, act: Act) -> str:
        orders = self._outside.orders[act.who % CLIENTS]
        if not orders:
            return "nothing"
        order_id, market_id = orders[act.where % len(orders)]
        person = self._person(act)
        owner = self._outside.cast.owners[person.user_id]
        done = await self._parts.desk.cancel(
            Cancel(caller=person, market_id=market_id, order_ids=(order_id,), owners=(owner,))
        )
        return f"cancelled {[row.id for row in done.cancelled]}"

    async def _split(self, index: int) -> str:
        cast, name = self._outside.cast, f"Late {index}"
        pool_id = cast.markets[2][0].pool_id

        def split(tx: WriteTx) -> None:
            pool = load_pools(tx, [pool_id])[pool_id]
            assert pool.other_index is not None
            price = exact_fraction(pool.lmsr().probability(pool.other_index)) / 4
            add_outcome(tx, pool_id, CheckedOutcome(name, "", 25, price), cast.creator, terms=Terms())

        await self.db.write(split)
        self._parts.splits.wake()
        return name

    async def _resolve(self, act: Act) -> str:
        cast = self._outside.cast
        pool_id = cast.markets[act.where % len(cast.markets)][0].pool_id
        body = ResolveBody(won_side=0)
        await self.db.write(lambda tx: service.resolve(tx, pool_id, body, cast.creator))
        self._parts.payments.wake()
        return f"pool {pool_id}"


def _notify(user_id: int, tx: WriteTx) -> None:
    new = NewNotifications(None, at_ms=system_clock())
    new.add(user_id, OperatorAnswer())
    record(tx, new)


#: Each counts what must not be, in every snapshot.
INVARIANTS = {
    "money came or went": "SELECT SUM(balance_kopecks) FROM accounts",
    **{
        name: query.replace(":pools", "(SELECT id FROM pools)").replace(":partner", "'acme'")
        for name, query in WRONG.items()
    },
}
ALL_INVARIANTS = f"SELECT {', '.join(f'({query})' for query in INVARIANTS.values())}"
