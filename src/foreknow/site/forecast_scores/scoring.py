"""A final pool while it is scored: what was said of it, and its trades, read in pieces from the first to the last."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from foreknow.market import charts
from foreknow.market.events.store import EventRow, load_events
from foreknow.market.events.tables import events
from foreknow.market.pools import past
from foreknow.market.pools.splits import winner_then
from foreknow.market.pools.store import PoolRow, load_pools
from foreknow.market.pools.tables import pools
from foreknow.money.pricing import Side
from foreknow.people.admin_log.tables import admin_log
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.forecast_scores.lives import PoolTimes, life_of
from foreknow.site.forecast_scores.prices import PastPrices
from foreknow.site.forecast_scores.score import ENOUGH, Opined, Sweep, log_price, said, standing
from foreknow.site.forecasts.reading import Earned
from foreknow.site.forecasts.tables import forecasts
from foreknow.site.record.moments import Horizon, RecordMoment, moments_of
from foreknow.trading.desk.tables import trade_legs, trades
from foreknow.trading.house import find_trader
from foreknow.trading.positions.tables import position_splits

#: Rows of a piece: some milliseconds, for which others wait on PostgreSQL.
PIECE_ROWS = 400

_F, _T, _S = forecasts.c, trades.c, position_splits.c


class Scoring:
    """A pool with one winner, from its publication to its end."""

    def __init__(self, tx: ReadTx, pool_id: int, *, trading: bool) -> None:
        """Read the pool; `trading`: whether its fifth trader counts, rather than its fifth forecaster."""
        self.pool: PoolRow = load_pools(tx, [pool_id])[pool_id]
        self.event: EventRow = load_events(tx, [self.pool.event_id])[self.pool.event_id]
        pool, decision = self.pool, self.pool.decision
        assert decision is not None
        assert decision.resolution.winner is not None
        self.winner: int = decision.resolution.winner
        self.event_pools = _published_pools(tx, self.event.id)
        #: Who takes no part.
        self.excluded = {self.event.creator_id, *_deciders(tx, pool)}
        self.moments: Sequence[RecordMoment] = moments_of(pool)
        self._trading = trading
        trader = find_trader(tx)
        self._uncounted = frozenset[int]() if trader is None else {trader.user_id}
        self._pauses = past.pauses_of(tx, pool_id)
        if self._pauses and self._pauses[-1][1] is None and not pool.paused:
            # The release before resumed it, and no one knows when.
            self._pauses.pop()
        self._splits = [split.charted for split in pool.splits]
        self._outcomes = {market.id: index for index, market in enumerate(pool.markets)}
        self._prices = PastPrices(pool, past.priors_of(tx, pool_id))
        self._said: list[Opined] = []
        #: When each person first said something.
        self._first_said: dict[int, int] = {}
        #: What people thought at the moments, by person.
        self._thought: dict[int, dict[Horizon, Sequence[float]]] = defaultdict(dict)
        self._market: dict[Horizon, Sequence[float]] = {}
        #: Moments that are not passed yet, the first one last.
        self._ahead = sorted(self.moments, key=lambda moment: moment.at_ms, reverse=True)
        self._last_row = (0, 0)
        self._sweep: Sweep | None = None
        self._last_trade_id = 0
        #: What happens besides trades, the first one last: positions that splits make (who, which, how many shares),
        #: and other prices.
        self._quiet: list[tuple[int, tuple[int, int, int] | None]] = []

    def read_some(self, tx: ReadTx) -> bool:
        """Read the next piece; return whether there may be more."""
        if self._sweep is None:
            if not self._read_forecasts(tx):
                self._begin(tx)
            return True
        return self._read_trades(tx)

    def earned(self) -> dict[int, Earned]:
        """Return what each forecaster earned, once all is read."""
        assert self._sweep is not None
        self._go(None)
        found = self._sweep.earned()
        return {user_id: Earned() if user_id in self.excluded else one for user_id, one in found.items()}

    @property
    def is_enough(self) -> bool:
        """Whether there were ever five traders, or five forecasters where these count."""
        return self._sweep is not None and self._sweep.is_enough

    def market_at(self, moment: RecordMoment) -> Sequence[float]:
        """Return the prices at a moment, once all is read."""
        return self._market[moment.horizon]

    def thought_at(self, moment: RecordMoment, user_id: int) -> Sequence[float] | None:
        """Return what a person thought at a moment; None where they said nothing."""
        return self._thought.get(user_id, {}).get(moment.horizon)

    def _read_forecasts(self, tx: ReadTx) -> bool:
        user_id, row_id = self._last_row
        query = (
            sa.select(_F.user_id, _F.id, _F.probabilities, _F.since_ms, _F.ended_at_ms)
            .where(_F.pool_id == self.pool.id, sa.tuple_(_F.user_id, _F.id) > (user_id, row_id))
            .order_by(_F.user_id, _F.id)
            .limit(PIECE_ROWS)
        )
        rows = tx.execute(query).all()
        for user_id, _, probabilities, since_ms, ended_at_ms in rows:
            self._note(user_id, probabilities, since_ms, ended_at_ms)
        if rows:
            self._last_row = rows[-1][:2]
        return len(rows) == PIECE_ROWS

    def _note(self, user_id: int, probabilities: Sequence[float], since_ms: int, ended_at_ms: int | None) -> None:
        stood = standing(probabilities, from_ms=since_ms, until_ms=ended_at_ms, splits=self._splits)
        other = self.pool.other_index
        self._said += said(user_id, stood, until_ms=ended_at_ms, winner=self.winner, other=other)
        self._first_said.setdefault(user_id, since_ms)
        for moment in self.moments:
            if since_ms <= moment.at_ms and (ended_at_ms is None or moment.at_ms < ended_at_ms):
                then = next(now for at_ms, now in reversed(stood) if at_ms <= moment.at_ms)
                whole = charts.as_then(then, self._splits, at_ms=moment.at_ms)
                self._thought[user_id][moment.horizon] = whole[: len(moment.won)]

    def _begin(self, tx: ReadTx) -> None:
        pool = self.pool
        decided_ms = pool.first_decided_at_ms
        assert pool.published_at_ms is not None
        assert decided_ms is not None
        enough_ms: int | None = -1
        if not self._trading:
            first = sorted(self._first_said.values())
            enough_ms = first[ENOUGH - 1] if len(first) >= ENOUGH else None
        times = PoolTimes(pool.published_at_ms, pool.live_at_ms, pool.finish_at_ms, pool.planned_end_ms, decided_ms)
        life = life_of(times, self._pauses, enough_ms=enough_ms)
        self._sweep = Sweep(life, self._said, uncounted=self._uncounted)
        self._said = []
        self._quiet = [(at_ms, None) for at_ms in self._prices.changes_besides_trades()]
        if pool.splits:
            query = sa.select(_S.created_at_ms, _S.user_id, _S.new_position_id, _S.shares)
            of_pool = query.where(_S.market_id.in_([split.market_id for split in pool.splits]))
            forecasters = sa.select(_F.user_id).where(_F.pool_id == pool.id)
            rows = tx.execute(of_pool.where(_S.user_id.in_(forecasters)))
            self._quiet += [(at_ms, (user_id, new_id, shares)) for at_ms, user_id, new_id, shares in rows]
        self._quiet.sort(key=lambda one: one[0], reverse=True)

    def _read_trades(self, tx: ReadTx) -> bool:
        query = (
            sa.select(
                _T.id,
                _T.created_at_ms,
                _T.user_id,
                _T.market_id,
                _T.position_id,
                _T.side,
                _T.action,
                _T.shares,
                _T.basket_id,
            )
            .where(_T.event_id == self.pool.event_id, _T.pool_id == self.pool.id, _T.id > self._last_trade_id)
            .order_by(_T.id)
            .limit(PIECE_ROWS)
        )
        rows = tx.execute(query).all()
        legs = _legs_of(tx, [row.id for row in rows if row.basket_id is not None])
        assert self._sweep is not None
        for index, row in enumerate(rows):
            at_ms = row.created_at_ms
            self._go(at_ms)
            sign = 1 if row.action == "buy" else -1
            parts = legs[row.id] if row.basket_id is not None else [(row.market_id, row.position_id, row.shares)]
            side = Side(row.side)
            self._prices.step()
            self._prices.trade([(self._outcomes[market_id], side, sign * shares) for market_id, _, shares in parts])
            self._sweep.trade(at_ms, row.user_id, [(position_id, sign * shares) for _, position_id, shares in parts])
            if index + 1 == len(rows) or rows[index + 1].created_at_ms != at_ms:
                self._prices.note()
                self._price(at_ms)
        if rows:
            self._last_trade_id = rows[-1].id
        return len(rows) == PIECE_ROWS

    def _go(self, to_ms: int | None) -> None:
        """Do what came up to a moment besides trades; None: up to the end."""
        assert self._sweep is not None
        while self._quiet and (to_ms is None or self._quiet[-1][0] <= to_ms):
            at_ms, turned = self._quiet.pop()
            if turned is None:
                self._price(at_ms)
            else:
                self._sweep.turn(at_ms, *turned)
        while self._ahead and (to_ms is None or self._ahead[-1].at_ms < to_ms):
            moment = self._ahead.pop()
            self._market[moment.horizon] = self._prices.at(moment.at_ms)

    def _price(self, at_ms: int) -> None:
        assert self._sweep is not None
        now = self._prices.at(at_ms)
        winner = winner_then(self.winner, max(2, len(now)), self.pool.other_index)
        self._sweep.price(at_ms, log_price(now, winner))


def _published_pools(tx: ReadTx, event_id: int) -> int:
    """Return how many pools an event was published with."""
    query = sa.select(sa.func.count()).select_from(pools.join(events, events.c.id == pools.c.event_id))
    as_published = pools.c.published_at_ms == events.c.published_at_ms
    return max(1, tx.execute(query.where(pools.c.event_id == event_id, as_published)).scalar_one())


def _deciders(tx: ReadTx, pool: PoolRow) -> set[int]:
    """Return who ever gave a pool a result, or confirmed one."""
    confirmed = sa.select(admin_log.c.user_id).where(
        admin_log.c.action == "pool.confirm", admin_log.c.target == f"pool:{pool.id}"
    )
    ids = {*(verdict.by_id for verdict in pool.verdicts), *tx.execute(confirmed).scalars()}
    return {user_id for user_id in ids if user_id is not None}


def _legs_of(tx: ReadTx, trade_ids: Sequence[int]) -> dict[int, list[tuple[int, int, int]]]:
    """Return what baskets' trades did, as (market, position, shares) by trade."""
    legs: dict[int, list[tuple[int, int, int]]] = defaultdict(list)
    columns = trade_legs.c
    query = sa.select(columns.trade_id, columns.market_id, columns.position_id, columns.shares)
    rows: Any = tx.execute(query.where(columns.trade_id.in_(trade_ids))) if trade_ids else ()
    for trade_id, *leg in rows:
        legs[trade_id].append(tuple(leg))
    return legs
