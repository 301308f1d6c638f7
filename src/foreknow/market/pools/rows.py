"""A pool as a row: what its prices and orders in it depend on (`PricedPool`), and the whole (`PoolRow`)."""

from __future__ import annotations

import enum
from typing import Any

import msgspec

from foreknow.kernel.clock import HOUR_MS, MINUTE_MS
from foreknow.kernel.errors import DomainError
from foreknow.market.markets.store import MarketRow
from foreknow.market.pools.errors import MarketClosed, MarketPaused, MarketResolved
from foreknow.market.pools.liquidity import LiquidityStep, PastTrades, market_maker_at, publication_step
from foreknow.market.pools.resolutions import Decision, Reason, Resolution
from foreknow.market.pools.rules.family import RuleType
from foreknow.market.pools.rules.manual import ManualRule
from foreknow.market.pools.splits import SplitStep
from foreknow.market.pools.standing import Standing
from foreknow.market.pools.verdicts import Verdict
from foreknow.money.pricing import Lmsr

#: How long after its `finish_at` a pool that a person resolves is overdue.
OVERDUE_MS = 72 * HOUR_MS


class PoolState(enum.StrEnum):
    """The life cycle of a pool."""

    #: Its event is not published.
    NEW = "new"
    #: Published and not finally resolved; it may be decided, with an open dispute window (`PoolRow.is_decided`).
    OPEN = "open"
    #: Finally resolved, forever; `PoolRow.paying` until every position is paid.
    RESOLVED = "resolved"


class PricedPool(msgspec.Struct, frozen=True, kw_only=True):
    """What prices, and orders, depend on; `markets` are in outcome order. Texts, rule and result are not read."""

    id: int
    event_id: int
    creator_id: int
    #: The fee fraction as sent; read as its shortest decimal.
    margin: float
    live_at_ms: int | None
    finish_at_ms: int | None
    b: int
    #: Integer prior weights, one per outcome, the implicit other of a single-market pool included.
    weights: tuple[int, ...]
    state: PoolState
    paused: bool
    published_at_ms: int | None
    #: Whether it has a result, final or not.
    is_decided: bool
    #: When its result is final: the end of its dispute window, or of what holds it longer.
    disputable_until_ms: int | None
    escrow_account_id: int
    fees_account_id: int
    volume_kopecks: int
    trade_count: int
    last_trade_at_ms: int | None
    #: Limit orders that rest in it.
    open_orders: int = 0
    #: The publication and each addition of liquidity; empty before any addition.
    liquidity: tuple[LiquidityStep, ...]
    markets: tuple[MarketRow, ...]
    #: Of a list: its Other.
    other_index: int | None = None
    #: Whether positions of Other are still to be turned after the last split.
    turning: bool = False

    def is_resolved(self, now_ms: int) -> bool:
        """Return whether its result is final: from that moment on, whatever the row says."""
        if self.state is PoolState.RESOLVED:
            return True
        return self.disputable_until_ms is not None and self.disputable_until_ms <= now_ms

    def is_over(self, at_ms: int) -> bool:
        """Return whether its trading has ended by its `finish_at`."""
        return self.finish_at_ms is not None and self.finish_at_ms <= at_ms

    def lmsr(self) -> Lmsr:
        """Return its market maker with the shares outstanding (if resolved: the last ones)."""
        return self.lmsr_at(None)

    def lmsr_at(self, then: PastTrades | None) -> Lmsr:
        """Return its market maker after what had been traded at a past moment; None for now."""
        return market_maker_at(
            then,
            b=self.b,
            weights=self.weights,
            q_yes=tuple(market.q_yes for market in self.markets),
            q_no=tuple(market.q_no for market in self.markets),
            steps=self.liquidity,
        )

    def over_error(self, now_ms: int) -> type[DomainError] | None:
        """Return the error for what may be said of it from its publication to its end; None while it may."""
        if self.published_at_ms is None:
            # Also if cancelled before publication: the contract calls it closed, like a new one.
            return MarketClosed
        if self.is_resolved(now_ms):
            return MarketResolved
        return MarketClosed if self.is_decided or self.is_over(now_ms) else None

    def trading_error(self, now_ms: int) -> type[DomainError] | None:
        """Return the error for trading its markets now, None if there is none; in the contract's order of checks."""
        over = self.over_error(now_ms)
        if over is not None:
            return over
        if self.live_at_ms is not None and now_ms < self.live_at_ms:
            return MarketClosed
        return MarketPaused if self.paused else None


class PoolRow(PricedPool, frozen=True, kw_only=True):
    """One question, with all that is stored of it."""

    position: int
    name: str
    name_ru: str
    rules: str
    metadata: dict[str, Any]
    resolved_at_ms: int | None
    loss_bound_kopecks: int
    rule_type: RuleType = ManualRule
    dispute_minutes: int = 0
    #: As sent; None for a plain pool.
    shape: dict[str, Any] | None = None
    #: Texts as written, with their placeholders; None where none are read.
    templates: dict[str, Any] | None = None
    strike: dict[str, Any] | None = None
    #: What the last round of its rule read, as long as it is not decided.
    evidence: dict[str, Any] | None = None
    attention_reason: Reason | None = None
    decision: Decision | None = None
    #: All results it was given, oldest first, the present one last.
    verdicts: tuple[Verdict, ...] = ()
    #: When its first result was given; None also of one that a release before this column gave.
    first_verdict_at_ms: int | None = None
    #: End of the present result's dispute window; None also of those.
    window_ends_ms: int | None = None
    #: The number of the last result that was confirmed.
    confirmed_number: int | None = None
    #: Objections to the present result that are open, and how many of them hold it.
    open_objections: int = 0
    holding_objections: int = 0
    paying: bool = False
    #: Whether its event's creator has ever paused it.
    creator_has_paused: bool = False
    #: The outcomes taken out of Other, oldest first.
    splits: tuple[SplitStep, ...] = ()
    #: How many clarifications its rules have, hidden ones too.
    clarifications: int = 0
    #: `finish_at` at publication, 0 for none; None before, and where the release before that column published it.
    first_finish_at_ms: int | None = None

    @property
    def planned_end_ms(self) -> int | None:
        """When its trading was to end by what its publication said; None for no end."""
        if self.first_finish_at_ms is None:
            return self.finish_at_ms
        return self.first_finish_at_ms or None

    def is_overdue(self, now_ms: int) -> bool:
        """Return whether a person should have given its result long ago."""
        if self.state is not PoolState.OPEN or self.is_decided or self.rule_type.gives_result:
            return False
        return self.is_over(now_ms - OVERDUE_MS)

    def resolved_since_ms(self, now_ms: int) -> int | None:
        """Return when its result became final; None before."""
        if self.state is PoolState.RESOLVED:
            return self.resolved_at_ms
        return self.disputable_until_ms if self.is_resolved(now_ms) else None

    @property
    def first_decided_at_ms(self) -> int | None:
        """When trading ended with a result; a further one leaves it."""
        if self.decision is None or self.first_verdict_at_ms is not None:
            return self.first_verdict_at_ms
        # The release before moved no end of a window.
        until_ms = self.decision.disputable_until_ms
        return self.decision.at_ms if until_ms is None else until_ms - self.dispute_minutes * MINUTE_MS

    @property
    def standing(self) -> Standing:
        """What may follow its present result, and when."""
        final_at_ms = self.disputable_until_ms
        if final_at_ms is None and self.state is PoolState.OPEN:
            return Standing(dispute_minutes=self.dispute_minutes)
        return Standing(
            dispute_minutes=self.dispute_minutes,
            number=len(self.verdicts),
            first_at_ms=self.first_decided_at_ms,
            window_ends_ms=final_at_ms if self.window_ends_ms is None else self.window_ends_ms,
            final_at_ms=final_at_ms,
            is_confirmed=self.confirmed_number == len(self.verdicts),
            open_objections=self.open_objections,
            holding_objections=self.holding_objections,
        )

    def priced_until_ms(self, now_ms: int) -> int:
        """Return until when its prices could move: its end, its first result, or now, Unix milliseconds."""
        ends_ms = (now_ms, self.finish_at_ms, self.first_decided_at_ms)
        return min(end_ms for end_ms in ends_ms if end_ms is not None)

    def final_result(self, now_ms: int) -> Resolution | None:
        """Return its result once it is final; None before."""
        return self.decision.resolution if self.decision is not None and self.is_resolved(now_ms) else None

    def won_side_at(self, now_ms: int) -> int | None:
        """Return `won_side` as responses show it: the outcome that won once the result is final; -1 for none."""
        result = self.final_result(now_ms)
        return None if result is None else result.won_side

    def winner_name(self, resolution: Resolution) -> str:
        """Return the name of what won: of one market its own for YES, "" for NO; "" without a winner."""
        winner = resolution.winner
        return "" if winner is None or winner >= len(self.markets) else self.markets[winner].name

    def liquidity_steps(self) -> tuple[LiquidityStep, ...]:
        """Return the publication and each addition, oldest first; none before publication."""
        if self.liquidity or self.published_at_ms is None:
            return self.liquidity
        first = publication_step(
            b=self.b,
            weights=self.weights,
            markets=len(self.markets),
            loss_bound_kopecks=self.loss_bound_kopecks,
            published_at_ms=self.published_at_ms,
        )
        return (first,)
