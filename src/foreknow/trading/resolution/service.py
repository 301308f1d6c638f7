"""The workers that give pools their results when they are due.

They look at pools whose deadline has come, and at those that wait for a price, one transaction a pool, under the locks
of the event's pools: what they do follows from the rows alone, so that any number of processes may do it. Pools that an
event elsewhere resolves have a worker for each source: one that does not answer delays the pools of no other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from functools import partial
from typing import Any, NamedTuple, Protocol, assert_never

import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS, iso
from foreknow.kernel.errors import Unavailable
from foreknow.market.assets import observations
from foreknow.market.assets.observations import Observation
from foreknow.market.events.store import EventRow, load_events
from foreknow.market.pools import deadlines
from foreknow.market.pools.rule_view import rule_of, strike_of
from foreknow.market.pools.rules.external import ExternalRule
from foreknow.market.pools.rules.manual import ManualRule
from foreknow.market.pools.rules.price import PriceRule
from foreknow.market.pools.store import PoolRow, PoolState, PricedPool, load_pools, lock_with_siblings, write_evidence
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.fetching import BadResponse, FetchFailed
from foreknow.platform.jobs import Background, Claim, JobFailed, JobRunner, JobTable, Worker
from foreknow.trading.odds import FetchedResult, ResultFetcher
from foreknow.trading.resolution import store
from foreknow.trading.settlement import service as settlement
from foreknow.trading.settlement.resolve_body import ResolveBody


def last_observation_at_ms(pool: PricedPool, rule: PriceRule) -> int:
    """Return the end of the time, itself included, whose observations count."""
    assert pool.finish_at_ms is not None
    return pool.finish_at_ms + rule.within_seconds * SECOND_MS


class Awaited(NamedTuple):
    """What the observation is that a pool waits for: of which asset and source (None: one that counts), and when."""

    symbol: str
    source: str | None
    from_ms: int
    to_ms: int


def awaited(pool: PricedPool, rule: PriceRule) -> Awaited:
    """Return which observation gives a pool its result."""
    assert pool.finish_at_ms is not None
    return Awaited(rule.symbol, rule.source, pool.finish_at_ms, last_observation_at_ms(pool, rule))


def first_of(tx: ReadTx, wanted: Awaited) -> Observation | None:
    """Return the observation that decides; None where there is none yet."""
    return observations.first_recorded(
        tx, wanted.symbol, source=wanted.source, from_ms=wanted.from_ms, to_ms=wanted.to_ms
    )


def price_result(tx: ReadTx, pool: PoolRow, rule: PriceRule) -> tuple[int, dict[str, Any]] | None:
    """Return which side won and the observation that says so; None where there is no such observation yet."""
    found = first_of(tx, awaited(pool, rule))
    if found is None:
        return None
    evidence = {"price": found.price_usd, "observed_at": iso(found.observed_at_ms), "source": found.source}
    return rule.outcome_of(found.price_usd, strike=strike_of(pool)), evidence


def last_round_at_ms(pool: PricedPool, rule: ExternalRule) -> int:
    """Return until when (excluded) the source is asked."""
    assert pool.finish_at_ms is not None
    return pool.finish_at_ms + rule.wait_minutes * MINUTE_MS


def is_confirmed(result: FetchedResult, before: Mapping[str, Any] | None) -> bool:
    """Return whether the round before, whose evidence the pool keeps, gave the same result."""
    now = result.evidence
    return before is not None and (before["url"], before["result"]) == (now["url"], now["result"])


log = structlog.get_logger("foreknow.resolution")

#: How often a process looks for due pools.
POLL_S = 0.5
#: Pools that a worker handles at the same time.
BATCH_MAX = 8
#: Pauses between requests for a price that a pool waits for.
REPEAT_MIN_MS, REPEAT_MAX_MS = 5 * SECOND_MS, MINUTE_MS
BACK_OFF = BackOff(first_ms=SECOND_MS, most_ms=MINUTE_MS)


class RequestPrices(Protocol):
    """Makes the providers of assets due at once."""

    def __call__(self, tx: WriteTx, symbols: Collection[str], *, source: str | None, since_ms: int) -> None:
        """Only those not asked since `since_ms`, and of `source` alone where it is named."""
        ...


@dataclass(frozen=True, slots=True)
class _Question:
    """A question to a source about a pool, and when it was put."""

    pool: PoolRow
    url: str
    at_ms: int


@dataclass(frozen=True, slots=True)
class _Answer:
    """What a source said in one round."""

    result: FetchedResult | None


class Resolver(Background):
    """Resolves pools by their rules while it runs."""

    def __init__(
        self,
        db: Database,
        external: ResultFetcher,
        *,
        round_s: int,
        request_prices: RequestPrices,
        poll_s: float = POLL_S,
    ) -> None:
        """Ask `external` every `round_s` seconds; `request_prices` makes the providers of an asset due."""
        super().__init__(
            Worker("pool-deadlines", self.work, poll_s=poll_s),
            *(
                Worker(f"results:{name}", partial(self.work_on_source, name), poll_s=poll_s)
                for name in external.sources
            ),
        )
        self._db = db
        self._external = external
        self._round_ms = round_s * SECOND_MS
        self._request_prices = request_prices
        self._deadlines = store.other_deadlines(external.sources)
        self._runner = self._runner_of("pool-deadlines", self._deadlines)
        self._source_runners = {
            name: self._runner_of(f"results:{name}", store.deadlines_of_source(name)) for name in external.sources
        }

    def _runner_of(self, kind: str, jobs: JobTable) -> JobRunner:
        return JobRunner(kind, self._db, jobs, self._handle, back_off=BACK_OFF, batch_max=BATCH_MAX)

    async def work(self) -> bool:
        """Handle some due pools for which no source is asked; return whether any was not put off.

        Raises what the database does.
        """
        found, is_any_due = await self._db.read(self._look)
        if found:
            await self._db.write_private(lambda tx: deadlines.hasten(tx, found, at_ms=now_ms(tx)))
        return (bool(found) or is_any_due) and any(await self._runner.run_due())

    async def work_on_source(self, name: str) -> bool:
        """Handle some due pools that events of a source resolve, likewise."""
        return any(await self._source_runners[name].run_due())

    def _look(self, tx: ReadTx) -> tuple[list[int], bool]:
        """Return the pools whose price has come, and whether any for which no source is asked is due."""
        at_ms = now_ms(tx)
        return _with_price(tx, at_ms=at_ms), self._deadlines.is_any_due(tx, now_ms=at_ms)

    async def _handle(self, claim: Claim) -> bool:
        try:
            await self._do(claim.key)
        except Unavailable as unavailable:
            raise JobFailed(str(unavailable)) from unavailable
        return True

    async def _do(self, pool_id: int) -> None:
        question = await self._db.read(lambda tx: _question(tx, pool_id))
        answer = None if question is None else await self._ask(question)
        is_without_result = answer is not None and answer.result is None
        # It changes nothing that responses show, and no cached one is dropped for it, if the pool still waits.
        if is_without_result and await self._db.write_private(lambda tx: self._note_round(tx, pool_id)):
            return
        await self._db.write(lambda tx: self._step(tx, pool_id=pool_id, answer=answer))

    async def _ask(self, question: _Question) -> _Answer:
        try:
            return _Answer(await self._external.fetch(question.url, question.pool, at_ms=question.at_ms))
        except (FetchFailed, BadResponse) as failure:
            log.warning("external result not read", pool_id=question.pool.id, reason=str(failure) or repr(failure))
            return _Answer(None)

    def _note_round(self, tx: WriteTx, pool_id: int) -> bool:
        """Note a round without a result; False, and no change, where the pool has ceased to wait for one meanwhile."""
        pools = lock_with_siblings(tx, pool_id)
        pool, at_ms = pools[pool_id], now_ms(tx)
        last_ms = _asked_until(pool, at_ms=at_ms)
        if last_ms is None:
            return False
        self._go_on(tx, pool, evidence=None, at_ms=at_ms, last_ms=last_ms)
        store.note_closing(tx, load_events(tx, [pool.event_id])[pool.event_id], load_pools(tx, pools), at_ms=at_ms)
        return True

    def _step(self, tx: WriteTx, *, pool_id: int, answer: _Answer | None) -> None:
        """Do what is due for a pool, and let it be looked at again when something will be."""
        pools = lock_with_siblings(tx, pool_id)
        pool, at_ms = pools[pool_id], now_ms(tx)
        event = load_events(tx, [pool.event_id])[pool.event_id]
        # The window of a decision that can be disputed ends with its payment.
        is_open = pool.state is PoolState.OPEN and not pool.is_decided
        if not is_open or pool.finish_at_ms is None or pool.attention_reason is not None:
            deadlines.drop(tx, pool_id)
            return
        if at_ms < pool.finish_at_ms:
            deadlines.schedule(tx, pool_id, at_ms=pool.finish_at_ms)
            return
        match rule_of(pool):
            case ManualRule():
                pass
            case PriceRule() as rule:
                self._resolve_by_price(tx, event, pool, rule, at_ms=at_ms)
            case ExternalRule() as rule:
                self._resolve_by_event(tx, event, pool, rule, answer, at_ms=at_ms)
            case unknown:
                assert_never(unknown)
        store.note_closing(tx, event, load_pools(tx, pools), at_ms=at_ms)

    def _resolve_by_price(self, tx: WriteTx, event: EventRow, pool: PoolRow, rule: PriceRule, *, at_ms: int) -> None:
        assert pool.finish_at_ms is not None
        found = price_result(tx, pool, rule)
        if found is not None:
            won_side, evidence = found
            settlement.decide(tx, pool.id, ResolveBody(won_side=won_side), evidence=evidence)
            return
        last_ms = last_observation_at_ms(pool, rule)
        if at_ms > last_ms:
            store.need_person(tx, event, pool.id, "no_price", at_ms=at_ms)
            deadlines.drop(tx, pool.id)
            return
        # Again and again, with growing pauses, for a provider may fail. An observation is noticed in between, too.
        pause_ms = min(max((at_ms - pool.finish_at_ms) // 4, REPEAT_MIN_MS), REPEAT_MAX_MS)
        since_ms = max(pool.finish_at_ms, at_ms - REPEAT_MIN_MS)
        self._request_prices(tx, [rule.symbol], source=rule.source, since_ms=since_ms)
        deadlines.schedule(tx, pool.id, at_ms=min(at_ms + pause_ms, last_ms + 1))

    def _resolve_by_event(
        self, tx: WriteTx, event: EventRow, pool: PoolRow, rule: ExternalRule, answer: _Answer | None, *, at_ms: int
    ) -> None:
        last_ms = last_round_at_ms(pool, rule)
        if at_ms >= last_ms:
            write_evidence(tx, pool.id, None)
            store.need_person(tx, event, pool.id, "no_result", at_ms=at_ms)
            deadlines.drop(tx, pool.id)
            return
        if answer is None:
            # It was not asked: the wait had not begun then.
            deadlines.schedule(tx, pool.id, at_ms=at_ms)
            return
        result = answer.result
        if result is None or not is_confirmed(result, pool.evidence):
            evidence = None if result is None else result.evidence
            self._go_on(tx, pool, evidence=evidence, at_ms=at_ms, last_ms=last_ms)
        elif result.won_side is None:
            write_evidence(tx, pool.id, result.evidence)
            store.need_person(tx, event, pool.id, "no_single_winner", at_ms=at_ms)
            deadlines.drop(tx, pool.id)
        else:
            settlement.decide(tx, pool.id, ResolveBody(won_side=result.won_side), evidence=result.evidence)

    def _go_on(
        self, tx: WriteTx, pool: PoolRow, *, evidence: Mapping[str, Any] | None, at_ms: int, last_ms: int
    ) -> None:
        """Let a pool wait for the next round, which must agree with the evidence that is kept."""
        write_evidence(tx, pool.id, evidence)
        deadlines.schedule(tx, pool.id, at_ms=min(at_ms + self._round_ms, last_ms))


def _with_price(tx: ReadTx, *, at_ms: int) -> list[int]:
    """Return the pools whose price has come; those that wait for the same one share a look."""
    waiting = {pool.id: awaited(pool, rule) for pool, rule in store.waiting_for_price(tx, now_ms=at_ms)}
    # Without computing outcomes: a failure would keep all pools from their results, instead of one.
    has_come = {wanted: first_of(tx, wanted) is not None for wanted in set(waiting.values())}
    return [pool_id for pool_id, wanted in waiting.items() if has_come[wanted]]


def _question(tx: ReadTx, pool_id: int) -> _Question | None:
    """Return what to ask a source for a pool; None where there is nothing to ask."""
    pool, at_ms = load_pools(tx, [pool_id]).get(pool_id), now_ms(tx)
    if pool is None or _asked_until(pool, at_ms=at_ms) is None:
        return None
    return _Question(pool, load_events(tx, [pool.event_id])[pool.event_id].external_event_url, at_ms)


def _asked_until(pool: PoolRow, *, at_ms: int) -> int | None:
    """Return until when (excluded) a source is to be asked about a pool; None where it is not now."""
    if pool.rule_type is not ExternalRule or not pool.is_over(at_ms):
        return None
    if pool.state is not PoolState.OPEN or pool.is_decided or pool.attention_reason is not None:
        return None
    rule = rule_of(pool)
    assert isinstance(rule, ExternalRule)
    last_ms = last_round_at_ms(pool, rule)
    return last_ms if at_ms < last_ms else None
