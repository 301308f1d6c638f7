"""Pools that were really traded and settled: by the service's own prices, rules, positions and charts."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import sqlalchemy as sa

from bench.history.plan import BEAT_MS, LIFE_MS, Plan
from foreknow.kernel.clock import MINUTE_MS
from foreknow.market import charts
from foreknow.market.charts import CurrentPrices, PoolTrades
from foreknow.market.charts.buckets import CHARTS
from foreknow.market.charts.tables import chart_buckets, life_points
from foreknow.market.pools.resolutions import Resolution
from foreknow.money.pricing import Lmsr, Side, loss_bound_kopecks, prior_weights
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.trading.desk.errors import AmountTooSmall
from foreknow.trading.desk.kinds.bet import price_bet
from foreknow.trading.desk.kinds.sale import price_sale
from foreknow.trading.positions.position import OpenPosition
from foreknow.trading.settlement.resolve_body import ResolveBody, resolution_for

#: Templates are traded from this moment on: any multiple of the longest bucket would do.
ORIGIN_MS = 4 * BEAT_MS
_POOL_ID = 1


class Trade(NamedTuple):
    """One trade of a template; `offset_ms` counts from the publication, `position` and `slot` from 0."""

    offset_ms: int
    outcome: int
    slot: int
    position: int
    is_buy: bool
    side: str
    amount_kopecks: int
    fee_kopecks: int
    shares: int
    pnl_kopecks: int
    before: float
    after: float
    #: The point of the pool's life that it wrote and that is still there, if any.
    life: bytes | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Held:
    """A position: as the trades left it, and what its settlement made of it."""

    slot: int
    outcome: int
    opened_ms: int
    closed_ms: int | None
    traded: OpenPosition
    settled: OpenPosition
    #: What the settlement itself earned; None where nothing was held any more.
    settled_pnl_kopecks: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Template:
    """A pool with its whole life, its times counted from its publication."""

    probabilities: tuple[float, ...]
    b: int
    margin: float
    weights: tuple[int, ...]
    loss_bound_kopecks: int
    trades: Sequence[Trade]
    positions: Sequence[Held]
    #: How many traders it takes.
    slots: int
    q_yes: tuple[int, ...]
    q_no: tuple[int, ...]
    volumes_kopecks: tuple[int, ...]
    prior_life: bytes
    #: (step_ms, bucket counted from the publication, probabilities)
    buckets: Sequence[tuple[int, int, bytes]]
    resolution: Resolution

    @property
    def end_offset_ms(self) -> int:
        """When it is settled: a minute after its last trade."""
        return self.trades[-1].offset_ms + MINUTE_MS


def make_templates(plan: Plan) -> list[Template]:
    """Trade and settle all templates of a plan."""
    engine = sa.create_engine("sqlite://")
    templates = []
    with engine.connect() as tx:
        for table in (life_points, chart_buckets):
            table.create(tx)
        for number, count in enumerate(plan.template_trades()):
            rng = random.Random(f"{plan.seed} {number}")
            slots = max(2, min(round(count**0.8), plan.people_first // 4))
            templates.append(_Trading(rng, slots).run(WriteTx(ReadTx(tx)), count))
    engine.dispose()
    return templates


@dataclass(slots=True)
class _Trading:
    """One template while it is traded."""

    rng: random.Random
    slots: int
    probabilities: tuple[float, ...] = ()
    lmsr: Lmsr = field(init=False)
    margin: float = 0.0
    held: list[OpenPosition] = field(default_factory=list)
    open: dict[tuple[int, int, str], int] = field(default_factory=dict)

    def run(self, tx: WriteTx, count: int) -> Template:
        """Trade `count` times, settle, and read the charts back."""
        rng = self.rng
        self.probabilities = _priors(rng)
        b = rng.choice((100_000, 1_000_000, 5_000_000))
        weights = prior_weights(self.probabilities)
        self.margin = rng.choice((0.0, 0.01, 0.02))
        outcomes = len(self.probabilities)
        self.lmsr = prior = Lmsr.of(b=b, weights=weights, q_yes=(0,) * outcomes, q_no=(0,) * outcomes)
        offsets = sorted(rng.randrange(1, LIFE_MS) for _ in range(count))
        trades: list[Trade] = []
        volumes = [0] * outcomes
        points = []
        for offset_ms in offsets:
            trade = self._sell(offset_ms) if self.open and rng.random() < 0.3 else None
            trade = trade or self._buy(offset_ms)
            trades.append(trade)
            volumes[trade.outcome] += trade.amount_kopecks
            points.append((ORIGIN_MS + offset_ms, self.lmsr.probabilities()))
        lives, buckets = _charts(tx, prior.probabilities(), points)
        trades = [trade._replace(life=lives.get(ordinal)) for ordinal, trade in enumerate(trades, 1)]
        end_ms = offsets[-1] + MINUTE_MS
        resolution = self._resolve(b, weights)
        return Template(
            probabilities=self.probabilities,
            b=b,
            margin=self.margin,
            weights=weights,
            loss_bound_kopecks=loss_bound_kopecks(b=b, weights=weights),
            trades=trades,
            positions=[self._settle(position, resolution, end_ms) for position in self.held],
            slots=self.slots,
            q_yes=self.lmsr.q_yes,
            q_no=self.lmsr.q_no,
            volumes_kopecks=tuple(volumes),
            prior_life=lives[0],
            buckets=buckets,
            resolution=resolution,
        )

    def _buy(self, offset_ms: int) -> Trade:
        rng = self.rng
        # The first slots trade most.
        slot = int(self.slots * rng.random() ** 2)
        outcome = rng.randrange(len(self.probabilities))
        # Against the drift, or a long series of trades would end in a corner.
        side = Side.YES if rng.random() > self.lmsr.probability(outcome) else Side.NO
        stake = round(rng.lognormvariate(8, 1)) + 100
        before = self.lmsr.probability(outcome)
        priced = price_bet(self.lmsr, outcome=outcome, side=side, margin=self.margin, stake_kopecks=stake)
        key = (slot, outcome, side.value)
        if key not in self.open:
            self.open[key] = len(self.held)
            self.held.append(
                OpenPosition(
                    user_id=slot, market_id=outcome, pool_id=0, event_id=0, side=side.value, opened_at_ms=offset_ms
                )
            )
        self.held[self.open[key]].buy(shares=priced.shares, stake_kopecks=stake)
        self.lmsr = priced.after
        return Trade(
            offset_ms,
            outcome,
            slot,
            self.open[key],
            is_buy=True,
            side=side.value,
            amount_kopecks=stake,
            fee_kopecks=priced.fee_kopecks,
            shares=priced.shares,
            pnl_kopecks=0,
            before=before,
            after=self.lmsr.probability(outcome),
            life=None,
        )

    def _sell(self, offset_ms: int) -> Trade | None:
        rng = self.rng
        key = rng.choice(list(self.open)[:50])
        slot, outcome, side = key
        position = self.held[self.open[key]]
        shares = position.shares if rng.random() < 0.5 else rng.randint(1, position.shares)
        before = self.lmsr.probability(outcome)
        try:
            priced = price_sale(self.lmsr, outcome=outcome, side=Side(side), shares=shares)
        except AmountTooSmall:
            return None
        number = self.open[key]
        pnl = position.sell(shares=shares, payout_kopecks=priced.money_kopecks, at_ms=offset_ms)
        if position.closed_at_ms is not None:
            del self.open[key]
        self.lmsr = priced.after
        return Trade(
            offset_ms,
            outcome,
            slot,
            number,
            is_buy=False,
            side=side,
            amount_kopecks=priced.money_kopecks,
            fee_kopecks=0,
            shares=shares,
            pnl_kopecks=pnl,
            before=before,
            after=self.lmsr.probability(outcome),
            life=None,
        )

    def _resolve(self, b: int, weights: tuple[int, ...]) -> Resolution:
        draw = self.rng.random()
        if draw < 0.05:
            body = ResolveBody(void=True)
        elif draw < 0.1:
            body = ResolveBody(payouts=[0.25, 0.75] + [0.0] * (len(weights) - 2))
        else:
            body = ResolveBody(won_side=self.rng.randrange(len(weights)))
        return resolution_for(body, outcomes=len(weights))

    def _settle(self, position: OpenPosition, resolution: Resolution, end_ms: int) -> Held:
        settled = OpenPosition(**{name: getattr(position, name) for name in OpenPosition.__struct_fields__})
        earned = None
        if position.closed_at_ms is None:
            side = Side(position.side)
            payout = resolution.payout_kopecks(self.lmsr, position.market_id, side, position.shares)
            won_side = resolution.position_won_side(position.market_id)
            earned = settled.settle(payout_kopecks=payout, won_side=won_side, at_ms=end_ms)
        return Held(
            slot=position.user_id,
            outcome=position.market_id,
            opened_ms=position.opened_at_ms,
            closed_ms=position.closed_at_ms,
            traded=position,
            settled=settled,
            settled_pnl_kopecks=earned,
        )


def _priors(rng: random.Random) -> tuple[float, ...]:
    count = rng.choices((1, 2, 4, 8), weights=(60, 20, 15, 5))[0]
    if count == 1:
        return (rng.randint(5, 95) / 100,)
    parts = [rng.randint(5, 30) for _ in range(count)]
    hundredths = [part * 1000 // sum(parts) for part in parts]
    hundredths[0] += 1000 - sum(hundredths)
    return tuple(part / 1000 for part in hundredths)


def _charts(
    tx: WriteTx, prior: tuple[float, ...], points: list[tuple[int, tuple[float, ...]]]
) -> tuple[dict[int, bytes], list[tuple[int, int, bytes]]]:
    """Let the service draw the charts, and return the points of the pool's life by ordinal, and its buckets."""
    charts.open_pool(tx, pool_id=_POOL_ID, probabilities=prior, at_ms=ORIGIN_MS)
    before = CurrentPrices(probabilities=prior, since_ms=ORIGIN_MS)
    charts.record_trades(tx, [PoolTrades(pool_id=_POOL_ID, first_ordinal=1, before=before, points=points)])
    points_of_life = sa.select(life_points.c.ordinal, life_points.c.probabilities)
    lives = {ordinal: bytes(packed) for ordinal, packed in tx.execute(points_of_life)}
    steps = {chart.step_ms: ORIGIN_MS // chart.step_ms for chart in CHARTS}
    rows = tx.execute(sa.select(chart_buckets.c.step_ms, chart_buckets.c.bucket, chart_buckets.c.probabilities))
    buckets = [(step_ms, bucket - steps[step_ms], bytes(packed)) for step_ms, bucket, packed in rows]
    for table in (life_points, chart_buckets):
        tx.execute(table.delete())
    return lives, buckets
