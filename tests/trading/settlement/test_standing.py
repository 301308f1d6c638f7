"""Whatever people and admins do about a result, and however the clock leaps: it is paid once, when it is final."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, cast

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, precondition, rule, run_state_machine_as_test

from foreknow.commands.audit import audit
from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import DomainError
from foreknow.kernel.terms import Terms
from foreknow.market.pools.resolution_view import resolution_view
from foreknow.market.pools.store import load_pools
from foreknow.money.pricing import Side
from foreknow.people.users.store import update_person
from foreknow.platform.db.engine import Database, open_database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs.piecewise import LEASE_MS
from foreknow.site.admin import service as admin_service
from foreknow.site.admin.schemas import UserChange
from foreknow.site.own_data import erasing
from foreknow.trading.settlement import objection_store, objections, service
from foreknow.trading.settlement.objections import WantedObjection
from foreknow.trading.settlement.payments import PaymentService
from foreknow.trading.settlement.resolve_body import ResolveBody
from tests.support.clock import ShiftableClock
from tests.support.lengths import LONG, length
from tests.support.proofs import proves
from tests.trading.settlement import world
from tests.trading.settlement.standing_model import DAY_MS, MINUTE_MS, Model

Run = Callable[[Coroutine[Any, Any, Any]], Any]
TRADERS = range(3)
LEAPS = [1, MINUTE_MS, 9 * MINUTE_MS, 59 * MINUTE_MS, 61 * MINUTE_MS, DAY_MS, 6 * DAY_MS, 7 * DAY_MS]
WINDOWS = [10, 60, 24 * 60, 8 * 24 * 60]


class Died(BaseException):
    """Ends a process, as far as its database sees."""


class Mortal:
    """A database whose process ends before or after its n-th commit."""

    def __init__(self, database: Database, *, commit: int, when: str) -> None:
        self._database, self._left, self._when = database, commit, when

    def __getattr__(self, name: str) -> Any:
        return getattr(self._database, name)

    async def write_private(self, work: Callable[[WriteTx], Any]) -> Any:
        """See `Database.write_private`."""
        self._left -= 1
        is_last = self._left == 0

        def mortal(tx: WriteTx) -> Any:
            result = work(tx)
            if is_last and self._when == "before":
                raise Died
            return result

        result = await self._database.write_private(mortal)
        if is_last:
            raise Died
        return result

    write = write_brief = write_private


class Lives(RuleBasedStateMachine):
    """One pool of a yes/no question, compared with the model."""

    def __init__(self, database: Database, clock: ShiftableClock, run: Run) -> None:
        super().__init__()
        self.database, self.clock, self.run = database, clock, run
        self.payer = PaymentService(database)
        self.model: Model | None = None

    @property
    def known(self) -> Model:
        """The model of the pool that was made."""
        assert self.model is not None
        return self.model

    def write(self, work: Callable[[WriteTx], Any]) -> Any:
        """Run `work(tx)` in a transaction; return its result, or the code of its error."""
        try:
            return self.run(self.database.write(work))
        except DomainError as error:
            return error.code

    @precondition(lambda self: self.model is None)
    @rule(minutes=st.sampled_from(WINDOWS))
    def begin(self, minutes: int) -> None:
        """Let an event be made, and people bet in it."""

        def work(tx: WriteTx) -> None:
            creator = world.person(tx, creator=True)
            self.callers: dict[str, UserCaller] = {"creator": creator}
            for name in ("admin", "involved"):
                self.callers[name] = world.person(tx, balance_kopecks=1_000, admin=True)
            self.traders = [world.person(tx, balance_kopecks=1_000) for _ in TRADERS]
            rule_of = {"resolution": {"kind": "manual", "dispute_minutes": minutes}}
            event = world.event(tx, creator, {"name": "Will it?", "metadata": rule_of})
            self.pool_id, market = event.pools[0].id, event.pools[0].markets[0].id
            sides = [Side.YES, Side.NO, Side.YES]
            bettors = [(self.callers["involved"], Side.NO), *zip(self.traders, sides, strict=True)]
            bought = [world.bet(tx, person, market, side, stake_kopecks=500) for person, side in bettors]
            self.shares = list(zip(bettors, bought, strict=True))

        self.run(self.database.write(work))
        self.model = Model(minutes)

    @precondition(lambda self: self.model is not None)
    @rule(ms=st.sampled_from(LEAPS))
    def leap(self, ms: int) -> None:
        self.clock.advance(ms)

    @precondition(lambda self: self.model is not None)
    @rule(who=st.sampled_from(["creator", "admin", "involved"]), winner=st.integers(0, 1))
    def decide(self, who: str, winner: int) -> None:
        found = self.write(
            lambda tx: service.resolve(tx, self.pool_id, ResolveBody(won_side=winner), self.callers[who])
        )
        involved = who == "involved"
        expected = self.known.decide(self.clock(), winner, by_admin=who != "creator", involved=involved)
        assert (found if isinstance(found, str) else "") == expected

    @precondition(lambda self: self.model is not None)
    @rule(
        who=st.sampled_from(TRADERS),
        off=st.sampled_from([0, 0, 0, -1, 1]),
        proposal=st.sampled_from([None, 0, 1]),
    )
    def object(self, who: int, off: int, proposal: int | None) -> None:
        verdict = max(1, self.known.number + off)
        body = None if proposal is None else ResolveBody(won_side=proposal)
        wanted = WantedObjection(verdict=verdict, reason="No.", source_url="", proposal=body)
        found = self.write(lambda tx: objections.object_to(tx, self.pool_id, wanted, self.traders[who], terms=Terms()))
        assert (found if isinstance(found, str) else "") == self.known.object(self.clock(), who, verdict, proposal)

    @precondition(lambda self: self.model is not None)
    @rule(who=st.sampled_from(["admin", "involved"]), off=st.sampled_from([0, 0, 1]), seen_all=st.booleans())
    def confirm(self, who: str, off: int, seen_all: bool) -> None:
        verdict = max(1, self.known.number) + off

        def work(tx: WriteTx) -> Any:
            newest = objection_store.newest_id(tx, self.pool_id, verdict)
            seen = newest if seen_all else (newest or 0) + 1
            return objections.confirm(tx, self.pool_id, self.callers[who], verdict=verdict, seen=seen, note="")

        found = self.write(work)
        expected = self.known.confirm(self.clock(), verdict, seen_all=seen_all, involved=who == "involved")
        assert (found if isinstance(found, str) else "") == expected

    @precondition(lambda self: self.model is not None)
    @rule(who=st.sampled_from(TRADERS), deleted=st.booleans())
    def leave(self, who: int, deleted: bool) -> None:
        """Deactivate someone, or do what follows the end of their account."""
        user_id = self.traders[who].user_id
        if deleted:

            def erase(tx: WriteTx) -> None:
                update_person(tx, user_id, {"is_active": False})
                erasing.erase_some(tx, user_id)

            self.run(self.database.write(erase))
        else:
            change = UserChange(is_active=False)
            self.write(
                lambda tx: admin_service.change_user(tx, None, user_id=user_id, change=change, at_ms=self.clock())
            )
        self.known.leave(self.clock(), who)

    @precondition(lambda self: self.model is not None)
    @rule(ms=st.sampled_from([0, DAY_MS]))
    def mute(self, ms: int) -> None:
        """Who is muted objects all the same."""
        until_ms = self.clock() + ms
        user_id = self.traders[0].user_id
        self.run(self.database.write(lambda tx: update_person(tx, user_id, {"muted_until_ms": until_ms})))

    @precondition(lambda self: self.model is not None)
    @rule()
    def work(self) -> None:
        """Let the worker pay what is due."""

        async def pay() -> None:
            while await self.payer.run_due():
                pass

        self.run(pay())
        _, balances = self.run(self.database.read(self._read))
        paid, won = self._money(balances)
        assert paid == (won if self.known.is_final(self.clock()) else [0] * len(won))

    @precondition(lambda self: self.model is not None)
    @rule(commit=st.integers(1, 4), when=st.sampled_from(["before", "after"]))
    def die(self, commit: int, when: str) -> None:
        """Let a process end while it pays; another goes on once nothing is leased any more."""
        payer = PaymentService(cast("Database", Mortal(self.database, commit=commit, when=when)))

        async def pay() -> None:
            while await payer.run_due():
                pass

        with contextlib.suppress(Died):
            self.run(pay())
        self.clock.advance(LEASE_MS + 1)

    @invariant()
    def it_is_as_the_model_says(self) -> None:
        model, now = self.model, self.clock()
        if model is None:
            return
        row, balances = self.run(self.database.read(self._read))
        assert row.standing.stage(now) == model.state_of(now)
        shown = resolution_view(row, now_ms=now)
        assert len(shown.history) == model.number
        assert shown.objections == model.open_now(now)
        assert (shown.held_until is not None) == (model.state_of(now) == "held")
        assert row.is_resolved(now) == model.is_final(now)
        paid, won = self._money(balances)
        assert paid == [0] * len(won) or (model.is_final(now) and paid == won)

    def _money(self, balances: list[int]) -> tuple[list[int], list[int]]:
        """Return what each was paid, and what the present result pays them."""
        winners = self.known.winners
        return [balance - 500 for balance in balances], [
            shares if winners and (side is Side.YES) == (winners[-1] == 0) else 0 for (_, side), shares in self.shares
        ]

    def _read(self, tx: Any) -> Any:
        return load_pools(tx, [self.pool_id])[self.pool_id], [
            world.balance(tx, person) for (person, _), _ in self.shares
        ]

    def teardown(self) -> None:
        """Audit each life in the long form; in short all of them at the end, as what is wrong stays so."""
        if length(short=False, long=True):
            assert self.run(self.database.read(audit)) == []


@LONG
@proves(
    "results: Until it is final, confirmed or not, another verdict of an admin replaces it.",
    "results: Deletion and deactivation release what theirs alone held;",
    "results: While 3 of one's objections (of a partner: all its users') were rejected in the last 90 days and none "
    "was upheld since, new ones hold nothing; what holds already goes on.",
    "results: Audit: what was paid is the last of `history`; no final pool has an open objection.",
)
def test_a_result_is_paid_once_and_when_it_is_final(module_database_url: str) -> None:
    clock, loop = ShiftableClock.standing(), asyncio.new_event_loop()
    database = open_database(module_database_url, clock=clock)

    class Here(Lives):
        def __init__(self) -> None:
            super().__init__(database, clock, loop.run_until_complete)

    try:
        run_state_machine_as_test(Here, settings=settings(max_examples=40, stateful_step_count=25))
        assert loop.run_until_complete(database.read(audit)) == []
    finally:
        loop.run_until_complete(database.close())
        loop.close()
