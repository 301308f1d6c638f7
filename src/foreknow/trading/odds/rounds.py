"""The background rounds: each asks a source for one event, and moves the event's pools to its prices.

Before a pool's first trade its priors become those prices, and orders that rest there follow.

A round is a due row of `odds_events`. Each source has its own worker, so that a slow one delays no other. What a round
does to a pool is one transaction, which decides again, on the locked pool, whether anything is to be done: a round
that runs twice, or in two processes, moves nothing twice.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial

import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import HOUR_MS, MINUTE_MS
from foreknow.kernel.terms import Terms
from foreknow.market import charts
from foreknow.market.events import odds_events
from foreknow.market.events.errors import HouseLimit
from foreknow.market.events.odds_events import OddsRow, load_odds
from foreknow.market.events.publication import check_house_limit
from foreknow.market.events.store import EventRow, EventStatus, load_events
from foreknow.market.pools import past
from foreknow.market.pools.store import (
    PoolRow,
    PoolState,
    PricedPool,
    load_pools,
    lock_pools,
    move_prior,
    pool_ids_of_events,
)
from foreknow.money import ledger
from foreknow.money.ledger import Transfer, TransferKind, house_account
from foreknow.money.pricing import Lmsr, loss_bound_kopecks, prior_weights
from foreknow.people import attention
from foreknow.people.follows import news
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import Locked, ReadTx, WriteTx
from foreknow.platform.fetching import BadResponse, Fetcher, FetchFailed, PublicTransport
from foreknow.platform.jobs import Background, Claim, JobFailed, JobRunner, JobTable, Worker
from foreknow.platform.settings import LiveSettings
from foreknow.trading import house
from foreknow.trading.desk.processor import POOLS
from foreknow.trading.desk.sweeps import sweep_pool
from foreknow.trading.house import HouseTrader
from foreknow.trading.odds import house_orders
from foreknow.trading.odds.following import (
    FollowDecision,
    FoundPool,
    OddsStatus,
    RoundResult,
    decide,
    event_status,
    found_pool,
    names_of,
    read_found,
    written,
)
from foreknow.trading.odds.house_orders import TOLERANCE, Budget, HouseOrderFailed
from foreknow.trading.odds.matching import divided, match_pool
from foreknow.trading.odds.sources import Source
from foreknow.trading.odds.sources.base import SourceEvent, SourcePrices

#: Parts of a prior that is 1.
_WHOLE = 10**12


def weights_of(prices: Sequence[Decimal]) -> tuple[int, ...]:
    """Return prior weights in the ratios of cut prices, one per outcome, divided by their sum.

    Rounded to 12 decimals that sum to 1: so the probabilities that are shown of them say them exactly, and a client
    that knows only those computes the same prices.
    """
    if len(prices) == 1:
        return prior_weights([float(prices[0])])
    total = sum(map(Fraction, prices), start=Fraction(0))
    parts = [round(_WHOLE * Fraction(price) / total) for price in prices]
    parts[parts.index(max(parts))] += _WHOLE - sum(parts)
    return prior_weights([part / _WHOLE for part in parts])


def may_move(pool: PricedPool, at_ms: int) -> bool:
    """Return whether a pool's priors may follow its source at `at_ms`: it is open and nothing has been traded in it.

    Liquidity that was added refers to the prices at that moment: from then on the priors stay.
    """
    is_before_live = pool.live_at_ms is not None and at_ms < pool.live_at_ms
    return (
        pool.state is PoolState.OPEN
        and not pool.trade_count
        and not pool.liquidity
        and not pool.paused
        and not pool.is_decided
        and (is_before_live or pool.trading_error(at_ms) is None)
    )


def follow(tx: WriteTx, pool_id: int, source_prices: SourcePrices, *, terms: Terms) -> bool:
    """Move the priors of a pool to its source's prices; return whether they moved.

    The house pays the difference of the loss bounds into escrow, or gets it back. Raises `HouseLimit` where the sum of
    the creator's open loss bounds would pass the limit of `terms`.
    """
    pool = lock_pools(tx, [pool_id])[pool_id]
    at_ms = now_ms(tx)
    weights = weights_of(source_prices.prices)
    if not source_prices.is_fresh(at_ms) or not may_move(pool, at_ms) or weights == pool.weights:
        return False
    # Orders that rest there would be filled.
    if pool.open_orders and not terms.takes_orders:
        return False
    bound_kopecks = loss_bound_kopecks(b=pool.b, weights=weights)
    _transfer(tx, pool, bound_kopecks - pool.loss_bound_kopecks, at_ms=at_ms)
    if bound_kopecks > pool.loss_bound_kopecks:
        # After locking the house's account, as publications do: two that pay cannot both fit under the limit.
        check_house_limit(tx, pool.creator_id, bound_kopecks - pool.loss_bound_kopecks, terms)
    move_prior(tx, pool_id, weights=weights, loss_bound_kopecks=bound_kopecks)
    past.note_prior(tx, pool_id, pool.weights, at_ms=at_ms)
    markets = (0,) * len(pool.markets)
    moved = Lmsr.of(b=pool.b, weights=weights, q_yes=markets, q_no=markets)
    charts.move_prior(tx, pool_id=pool_id, probabilities=moved.probabilities())
    news.note_prior(tx, pool, moved.probabilities(), before=pool.lmsr().probabilities(), at_ms=at_ms)
    sweep_pool(tx, pool_id)
    return True


def _transfer(tx: WriteTx, pool: PricedPool, change_kopecks: int, *, at_ms: int) -> None:
    house, escrow = house_account(tx), pool.escrow_account_id
    if change_kopecks > 0:
        change = Transfer(kind=TransferKind.SUBSIDY, source=house, target=escrow, amount_kopecks=change_kopecks)
    elif change_kopecks < 0:
        change = Transfer(kind=TransferKind.RETURN, source=escrow, target=house, amount_kopecks=-change_kopecks)
    else:
        return
    ledger.post(tx, [change], at_ms=at_ms)


log = structlog.get_logger("foreknow.odds")

#: How often a process looks whether a round is due.
POLL_S = 1.0
#: Time limit of a source's response.
ANSWER_S = 10.0
#: Rounds of one source that a process runs at the same time.
BATCH_MAX = 16
#: How long the source of an event that is not published is asked, for its creator to see what matches.
NEW_ASKED_MS = HOUR_MS
#: Longest pause after failures.
PAUSE_MAX_MS = 5 * MINUTE_MS
#: Rounds in a row that fail, or find prices that make no sense, before a person should look.
ROUNDS_ALERTED = 10

#: Called with the ids of the pools that a round moved, after its commit.
OnMove = Callable[[Collection[int]], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class OddsRules:
    """The settings of rounds."""

    every_ms: int
    stale_ms: int
    trader_name: str
    budget: Budget
    settings: LiveSettings


@dataclass(frozen=True, slots=True)
class _Round:
    """What a round begins with."""

    event: EventRow
    pools: Sequence[PoolRow]
    odds: OddsRow
    at_ms: int

    @property
    def is_needed(self) -> bool:
        """Whether the source is to be asked: the event can be traded now or later, or it was just created."""
        if self.event.status is EventStatus.NEW:
            return self.at_ms < self.event.created_at_ms + NEW_ASKED_MS
        return self.event.status_at(self.at_ms) is EventStatus.ACTIVE


def odds_fetcher() -> Fetcher:
    """Return the fetcher of sources."""
    return Fetcher(answer_s=ANSWER_S, transport=PublicTransport())


class OddsRounds(Background):
    """Runs the rounds of `sources` while the service runs."""

    def __init__(
        self,
        db: Database,
        sources: Mapping[str, Source],
        rules: OddsRules,
        *,
        on_move: Sequence[OnMove] = (),
        fetcher: Fetcher | None = None,
    ) -> None:
        """`on_move` is called after each commit that moved prices."""
        super().__init__(*(Worker(f"odds:{name}", partial(self.run_due, name), poll_s=POLL_S) for name in sources))
        self._db = db
        self._sources = sources
        self._rules = rules
        self._on_move = tuple(on_move)
        self._fetcher = fetcher or odds_fetcher()
        self._trader: HouseTrader | None = None
        self._runners: dict[str, JobRunner] = {}
        pause = BackOff(first_ms=rules.every_ms, most_ms=max(rules.every_ms, PAUSE_MAX_MS))
        for name in sources:
            jobs = odds_events.rounds_of(name)
            run = partial(self._run, jobs, name)
            self._runners[name] = JobRunner(f"odds:{name}", db, jobs, run, back_off=pause, batch_max=BATCH_MAX)

    async def stop(self) -> None:
        """Stop asking."""
        await super().stop()
        await self._fetcher.close()

    async def run_due(self, source: str) -> list[bool]:
        """Run a batch of due rounds of a source; return for each whether it was completed."""
        return await self._runners[source].run_due()

    async def _run(self, jobs: JobTable, source: str, claim: Claim) -> bool:
        begun = await self._db.read(partial(_begin, event_id=claim.key))
        if begun is None or not begun.is_needed:
            return await self._db.write_private(partial(_end, jobs=jobs, claim=claim))
        try:
            body = await self._fetcher.get(self._sources[source].url(begun.odds.external_id))
            external = await asyncio.to_thread(self._sources[source].read, body, now_ms=begun.at_ms)
        except (FetchFailed, BadResponse) as failure:
            if claim.attempt >= ROUNDS_ALERTED and begun.event.status is not EventStatus.NEW:
                await self._db.write_private(partial(_alert, event_id=claim.key, reason=OddsStatus.STALE.value))
            raise JobFailed(str(failure)) from failure
        status, found, followed = await asyncio.to_thread(_compare, begun, external)
        is_over_limit = False
        for pool_id, prices in followed.items():
            pool = next(one for one in begun.pools if one.id == pool_id)
            source_prices = SourcePrices(prices, begun.at_ms, self._rules.stale_ms)
            try:
                await self._move(pool, source_prices, partial(jobs.is_held, claim=claim))
            except HouseLimit:
                is_over_limit = True
        note = partial(self._note, jobs=jobs, claim=claim, begun=begun, status=status, found=found)
        return await self._db.write_private(partial(note, is_over_limit=is_over_limit))

    async def _move(self, pool: PoolRow, source_prices: SourcePrices, is_held: Callable[[ReadTx], bool]) -> None:
        """Move a pool's prices if that is needed; a look at what was read before spares most rounds a transaction."""
        if may_move(pool, source_prices.checked_at_ms):
            if weights_of(source_prices.prices) == pool.weights:
                return

            def work(tx: WriteTx) -> bool:
                terms = self._rules.settings.at(tx)
                return follow(tx, pool.id, source_prices, terms=terms)

        else:
            if not (self._rules.settings.now.takes_orders and self._trades_in(pool, source_prices)):
                return
            trader = await self._open_trader()
            budget = self._rules.budget
            work = partial(
                house_orders.trade, pool_id=pool.id, source_prices=source_prices, trader=trader, budget=budget
            )
        try:
            moved = await self._db.write_private(lambda tx: is_held(tx) and work(tx))
        except HouseOrderFailed as failure:
            log.warning("house orders failed", pool_id=pool.id, reason=str(failure))
            return
        except Locked as locked:
            # Of the pool alone: the event's other pools go on, and this one follows in a later round.
            if locked.table != POOLS:
                raise
            log.warning("pool locked", pool_id=pool.id)
            return
        if moved:
            for call in self._on_move:
                call([pool.id])

    def _trades_in(self, pool: PoolRow, source_prices: SourcePrices) -> bool:
        # A split ends new priors, as a first trade does.
        may_trade = (pool.trade_count > 0 or pool.splits) and self._rules.budget.pool_kopecks > 0
        if not may_trade or pool.trading_error(source_prices.checked_at_ms) is not None:
            return False
        # A single market has one price, which says that of the implicit other outcome, too.
        pairs = zip(pool.lmsr().probabilities(), divided(source_prices.prices), strict=False)
        return any(abs(price - target) > TOLERANCE for price, target in pairs)

    async def _open_trader(self) -> HouseTrader:
        if self._trader is None:
            name = self._rules.trader_name
            self._trader = await self._db.write(lambda tx: house.open_trader(tx, name=name, at_ms=now_ms(tx)))
        return self._trader

    def _note(
        self,
        tx: WriteTx,
        *,
        jobs: JobTable,
        claim: Claim,
        begun: _Round,
        status: OddsStatus,
        found: RoundResult,
        is_over_limit: bool,
    ) -> bool:
        """Keep what the round found, and let the next one be due."""
        noted = jobs.reschedule(
            tx,
            claim,
            due_at_ms=max(now_ms(tx), begun.at_ms + self._rules.every_ms),
            attempts=0,
            checked_at_ms=begun.at_ms,
            status=status.value,
            round=written(found),
        )
        if not noted:
            return False
        if begun.event.status is not EventStatus.NEW:
            _note_attention(tx, begun, status, found, is_over_limit=is_over_limit)
        return True


def _begin(tx: ReadTx, *, event_id: int) -> _Round | None:
    """Read what a round begins with, and the time of its request; None where the event follows nothing."""
    at_ms = now_ms(tx)
    odds = load_odds(tx, event_id)
    event = load_events(tx, [event_id]).get(event_id)
    if odds is None or event is None:
        return None
    pools = load_pools(tx, pool_ids_of_events(tx, [event_id])[event_id])
    return _Round(event, list(pools.values()), odds, at_ms)


def _end(tx: WriteTx, *, jobs: JobTable, claim: Claim) -> bool:
    """Let no further round be due."""
    if not jobs.reschedule(tx, claim, due_at_ms=None):
        return False
    attention.close_entry(tx, "odds", event_id=claim.key, at_ms=now_ms(tx))
    return True


def _compare(begun: _Round, external: SourceEvent) -> tuple[OddsStatus, RoundResult, dict[int, tuple[Decimal, ...]]]:
    """Compare an event with its source: return its status, what was found, and the prices that its pools follow."""
    before = read_found(begun.odds.round)
    decisions: dict[int, FollowDecision] = {}
    pools: dict[int, FoundPool] = {}
    for pool in begun.pools:
        match = match_pool(names_of(pool), external)
        history = before.pools.get(pool.id, FoundPool()).history
        decision = decisions[pool.id] = decide(match, history, event_closed=external.closed)
        pools[pool.id] = found_pool(pool, match, decision, pools=len(begun.pools))
    status = event_status([one.status for one in decisions.values()])
    if not external.is_supported:
        status = OddsStatus.UNSUPPORTED
    absurd_rounds = before.absurd_rounds + 1 if status is OddsStatus.ABSURD else 0
    followed = {pool_id: one.prices for pool_id, one in decisions.items() if one.prices is not None}
    return status, RoundResult(pools, absurd_rounds), followed


def _note_attention(tx: WriteTx, begun: _Round, status: OddsStatus, found: RoundResult, *, is_over_limit: bool) -> None:
    """Open an entry where a person is needed, and close it where none is any more."""
    is_absurd = status is OddsStatus.ABSURD and found.absurd_rounds >= ROUNDS_ALERTED
    if status in {OddsStatus.UNMATCHED, OddsStatus.UNSUPPORTED} or is_absurd:
        _alert(tx, event_id=begun.event.id, reason=status.value)
    elif is_over_limit:
        _alert(tx, event_id=begun.event.id, reason=HouseLimit.code)
    elif status is not OddsStatus.ABSURD:
        attention.close_entry(tx, "odds", event_id=begun.event.id, at_ms=now_ms(tx))


def _alert(tx: WriteTx, *, event_id: int, reason: str) -> None:
    attention.open_entry(tx, "odds", reason=reason, event_id=event_id, at_ms=now_ms(tx))
