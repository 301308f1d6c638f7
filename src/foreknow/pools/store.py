"""Rows of pools with their markets, read or locked."""

from __future__ import annotations

import enum
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import msgspec
import sqlalchemy as sa

from foreknow.db.bulk import CompiledQuery, Fetch, Rows, in_array
from foreknow.db.metadata import Int64
from foreknow.db.row_locks import id_array
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.errors import DomainError
from foreknow.markets.store import MarketRow, markets_fetch, markets_of_pools, pool_ids_of_markets, write_names
from foreknow.pools.errors import MarketClosed, MarketPaused, MarketResolved
from foreknow.pools.liquidity import LiquidityStep, PastTrades, market_maker_at, publication_step
from foreknow.pools.resolutions import DecidedBy, Kind, Reason, Resolution, read_resolution
from foreknow.pools.tables import pools
from foreknow.pools.texts import PoolTexts
from foreknow.pricing import Lmsr

__all__ = ["PoolRow", "PoolState", "load_pools", "lock_pools", "pool_ids_of_markets"]


class PoolState(enum.StrEnum):
    """The life cycle of a pool."""

    #: Its event is not published.
    NEW = "new"
    #: Published and not finally resolved; it may be decided, with an open dispute window (`PoolRow.is_decided`).
    OPEN = "open"
    #: Finally resolved, forever; `PoolRow.paying` until every position is paid.
    RESOLVED = "resolved"


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolRow:
    """One question, priced as a whole; `markets` are in outcome order."""

    id: int
    event_id: int
    creator_id: int
    position: int
    name: str
    name_ru: str
    rules: str
    #: The fee fraction as sent; read as its shortest decimal.
    margin: float
    live_at_ms: int | None
    finish_at_ms: int | None
    metadata: dict[str, Any]
    b: int
    #: Integer prior weights, one per outcome, the implicit other of a single-market pool included.
    weights: tuple[int, ...]
    state: PoolState
    paused: bool
    published_at_ms: int | None
    resolved_at_ms: int | None
    won_side: int | None
    resolution: dict[str, Any] | None
    loss_bound_kopecks: int
    escrow_account_id: int
    fees_account_id: int
    volume_kopecks: int
    trade_count: int
    last_trade_at_ms: int | None
    markets: tuple[MarketRow, ...]
    resolution_kind: Kind = "manual"
    dispute_minutes: int = 0
    #: Texts as written, with their placeholders; None where none are read.
    templates: dict[str, Any] | None = None
    #: The publication and each addition of liquidity; empty before any addition.
    liquidity: tuple[LiquidityStep, ...] = ()
    strike: dict[str, Any] | None = None
    evidence: dict[str, Any] | None = None
    decided_at_ms: int | None = None
    decided_by: DecidedBy | None = None
    disputable_until_ms: int | None = None
    attention_reason: Reason | None = None
    void_at_ms: int | None = None
    #: What had been traded at `void_at_ms`; None for a void at the last prices.
    void_prices: PastTrades | None = None
    paying: bool = False
    paid_at_ms: int | None = None

    @property
    def is_decided(self) -> bool:
        """Whether it has a result, final or not."""
        return self.resolution is not None

    @property
    def result(self) -> Resolution | None:
        """Its result, final or not; None before a decision."""
        return None if self.resolution is None else read_resolution(self.resolution, outcomes=len(self.weights))

    def is_resolved(self, now_ms: int) -> bool:
        """Return whether its result is final: from the end of its dispute window on, whatever the row says."""
        if self.state is PoolState.RESOLVED:
            return True
        return self.disputable_until_ms is not None and self.disputable_until_ms <= now_ms

    def resolved_since_ms(self, now_ms: int) -> int | None:
        """Return when its result became final; None before."""
        if self.state is PoolState.RESOLVED:
            return self.resolved_at_ms
        return self.disputable_until_ms if self.is_resolved(now_ms) else None

    def won_side_at(self, now_ms: int) -> int | None:
        """Return the outcome that won once the result is final; -1 for none, None before."""
        return self.result.won_side if self.result is not None and self.is_resolved(now_ms) else None

    def is_over(self, at_ms: int) -> bool:
        """Return whether its trading has ended by its `finish_at`."""
        return self.finish_at_ms is not None and self.finish_at_ms <= at_ms

    def lmsr(self) -> Lmsr:
        """Return its market maker with the shares outstanding (if resolved: the last ones)."""
        return self._lmsr_at(None)

    def paying_lmsr(self) -> Lmsr:
        """Return the market maker whose probabilities a void pays: the last, or that of the moment it names."""
        return self._lmsr_at(self.void_prices)

    def _lmsr_at(self, then: PastTrades | None) -> Lmsr:
        return market_maker_at(
            then,
            b=self.b,
            weights=self.weights,
            q_yes=tuple(market.q_yes for market in self.markets),
            q_no=tuple(market.q_no for market in self.markets),
            steps=self.liquidity,
        )

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

    def trading_error(self, now_ms: int) -> type[DomainError] | None:
        """Return the error for trading its markets now, None if there is none; in the contract's order of checks."""
        if self.published_at_ms is None:
            # Also if cancelled before publication: the contract calls it closed, like a new one.
            return MarketClosed
        if self.is_resolved(now_ms):
            return MarketResolved
        if self.is_decided:
            return MarketClosed
        if self.live_at_ms is not None and now_ms < self.live_at_ms:
            return MarketClosed
        if self.finish_at_ms is not None and now_ms >= self.finish_at_ms:
            return MarketClosed
        return MarketPaused if self.paused else None


_COLUMNS = tuple(pools.c.keys())
_BY_ID = sa.select(pools).where(in_array(pools.c.id)).order_by(pools.c.id)
_LOAD = CompiledQuery(lambda _dialect: _BY_ID)
_LOCK = CompiledQuery(lambda _dialect: _BY_ID.with_for_update())


def load_pools(tx: ReadTx, pool_ids: Collection[int]) -> dict[int, PoolRow]:
    """Return the pools that exist, by id."""
    return _pools(tx, pool_ids, for_update=False)


def lock_pools(tx: ReadTx, pool_ids: Collection[int]) -> dict[int, PoolRow]:
    """Lock pools in id order until the transaction ends; return those that exist, by id.

    Every change and trade holds this lock, and takes it before any other.
    """
    return _pools(tx, pool_ids, for_update=True)


def lock_statement(pool_ids: Collection[int]) -> str:
    """Return PostgreSQL's statement of `lock_pools`, for `lock_rows`."""
    return f"SELECT id FROM pools WHERE id = ANY({id_array(pool_ids)}) ORDER BY id FOR UPDATE"  # noqa: S608 # ids are integers


#: SQL, after `lock_free_statement`: the ids of the pools that the transaction has locked.
LOCKED_IDS = "string_to_array(current_setting('foreknow.pools'), ',')::bigint[]"


def lock_free_statement(pool_ids: Collection[int]) -> str:
    """Return PostgreSQL's statement that locks those pools that no other transaction has locked, for `lock_rows`.

    `locked_ids_fetch` returns which they are.
    """
    free = f"({lock_statement(pool_ids)} SKIP LOCKED) AS free"
    ids = f"SELECT string_agg(id::text, ',') FROM {free}"  # noqa: S608 # ids are integers
    return f"SELECT set_config('foreknow.pools', coalesce(({ids}), ''), true)"


def locked_ids_fetch() -> Fetch[set[int]]:
    """Return the query of the pools that `lock_free_statement` has locked."""
    return Fetch(_LOCKED, {}, lambda rows: {pool_id for (pool_id,) in rows})


_LOCKED = CompiledQuery(
    lambda _dialect: sa.select(sa.literal_column(f"unnest({LOCKED_IDS})", Int64).label("id")),
)


class PoolsFetch:
    """The queries of locked pools, to be fetched with others."""

    def __init__(self, pool_ids: Collection[int]) -> None:
        """Read the pools of these ids that exist."""
        self._pools = Fetch(_LOAD, {"ids": pool_ids}, _as_dicts)
        self._markets = markets_fetch(pool_ids)
        self.fetches: tuple[Fetch[Any], ...] = (self._pools, self._markets)

    @property
    def result(self) -> dict[int, PoolRow]:
        """The pools that exist, by id."""
        outcomes = self._markets.result
        return {row["id"]: _pool(row, outcomes[row["id"]]) for row in self._pools.result}


def _pools(tx: ReadTx, pool_ids: Collection[int], *, for_update: bool) -> dict[int, PoolRow]:
    rows = _as_dicts((_LOCK if for_update else _LOAD).fetch(tx, {"ids": set(pool_ids)}))
    # Markets need a second query: under READ COMMITTED it sees what the previous holder of the lock wrote, while a join
    # in the locking query would return them as of the start of the wait.
    outcomes = markets_of_pools(tx, [row["id"] for row in rows])
    return {row["id"]: _pool(row, outcomes[row["id"]]) for row in rows}


def _as_dicts(rows: Rows) -> list[dict[str, Any]]:
    return [dict(zip(_COLUMNS, row, strict=True)) for row in rows]


def _pool(row: dict[str, Any], outcomes: tuple[MarketRow, ...]) -> PoolRow:
    # Weights are decimal text: they may exceed 64 bits, which JSON decoders turn into doubles.
    row["weights"] = tuple(map(int, row["weights"]))
    row["state"] = PoolState(row["state"])
    row["void_prices"] = msgspec.convert(row["void_prices"], PastTrades | None)
    row["liquidity"] = msgspec.convert(row["liquidity"] or (), tuple[LiquidityStep, ...])
    return PoolRow(**row, markets=outcomes)


def update_pool(tx: WriteTx, pool_id: int, **values: Any) -> None:
    """Change columns of a locked pool."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(**values))


def set_paused(tx: WriteTx, pool_id: int, *, paused: bool) -> None:
    """Pause or resume a locked pool."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(paused=paused))


def raise_liquidity(tx: WriteTx, row: PoolRow, step: LiquidityStep) -> None:
    """Write an addition to a locked, published pool."""
    change = {
        "b": step.b,
        "liquidity": [*row.liquidity_steps(), step],
        "loss_bound_kopecks": row.loss_bound_kopecks + step.subsidy_kopecks,
    }
    tx.execute(pools.update().where(pools.c.id == row.id).values(**change))


def move_prior(tx: WriteTx, pool_id: int, *, weights: Sequence[int], loss_bound_kopecks: int) -> None:
    """Change the prior weights of a locked pool without trades, and the loss bound that follows from them."""
    change = {"weights": [str(weight) for weight in weights], "loss_bound_kopecks": loss_bound_kopecks}
    tx.execute(pools.update().where(pools.c.id == pool_id).values(**change))


def mark_published(tx: WriteTx, pool_ids: Collection[int], *, at_ms: int) -> None:
    """Open locked pools for trading."""
    change = {"state": PoolState.OPEN.value, "published_at_ms": at_ms}
    tx.execute(pools.update().where(pools.c.id.in_(pool_ids)).values(**change))


def write_strike(tx: WriteTx, pool_id: int, strike: Mapping[str, Any]) -> None:
    """Store the observation that a locked pool's rule or texts refer to: `{price, observed_at, source}`."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(strike=strike))


def write_attention_reason(tx: WriteTx, pool_id: int, reason: str) -> None:
    """Store why a locked pool's rule gives no result."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(attention_reason=reason))


def write_evidence(tx: WriteTx, pool_id: int, evidence: Mapping[str, Any] | None) -> None:
    """Store what a locked pool's result was read from; of one that is not decided, what the last round read."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(evidence=evidence))


def write_texts(tx: WriteTx, pool: PoolRow, texts: PoolTexts) -> None:
    """Change the texts of a locked pool and the names of its markets."""
    change = {"name": texts.name, "name_ru": texts.name_ru, "rules": texts.rules}
    tx.execute(pools.update().where(pools.c.id == pool.id).values(**change))
    names = zip(pool.markets, texts.market_names, strict=True)
    write_names(tx, {market.id: name for market, name in names if market.name != name})


@dataclass(frozen=True, slots=True, kw_only=True)
class Decision:
    """A pool's result, and when and by whom it was given."""

    resolution: Mapping[str, Any]
    at_ms: int
    by: DecidedBy
    #: End of the dispute window; None for none.
    disputable_until_ms: int | None
    evidence: Mapping[str, Any] | None = None
    void_at_ms: int | None = None
    void_prices: PastTrades | None = None


def mark_decided(tx: WriteTx, pool_ids: Collection[int], decision: Decision) -> None:
    """Give locked pools a result, or another one within their dispute window."""
    change = {
        "resolution": decision.resolution,
        "decided_at_ms": decision.at_ms,
        "decided_by": decision.by,
        "evidence": decision.evidence,
        "disputable_until_ms": decision.disputable_until_ms,
        "void_at_ms": decision.void_at_ms,
        "void_prices": decision.void_prices,
    }
    tx.execute(pools.update().where(pools.c.id.in_(pool_ids)).values(**change))


def mark_resolved(tx: WriteTx, pool_ids: Collection[int], *, won_side: int, at_ms: int, paying: bool) -> None:
    """Make the results of locked, decided pools final; `paying` where positions and escrow are to be paid."""
    change = {
        "state": PoolState.RESOLVED.value,
        "won_side": won_side,
        "resolved_at_ms": at_ms,
        "paying": paying,
        "paid_at_ms": None if paying else at_ms,
    }
    tx.execute(pools.update().where(pools.c.id.in_(pool_ids)).values(**change))


def mark_paid(tx: WriteTx, pool_id: int, *, at_ms: int) -> None:
    """Note that a locked pool's positions are paid and the rest of its escrow is returned."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(paying=False, paid_at_ms=at_ms))


def open_loss_bounds_kopecks(tx: ReadTx, creator_id: int) -> int:
    """Return the most the house can lose on all open pools of a creator."""
    query = sa.select(sa.func.coalesce(sa.func.sum(pools.c.loss_bound_kopecks), 0)).where(
        pools.c.creator_id == creator_id,
        # A literal, so that the partial index of open pools matches.
        pools.c.state == sa.literal(PoolState.OPEN.value, literal_execute=True),
    )
    return int(tx.execute(query).scalar_one())


def pool_ids_of_events(tx: ReadTx, event_ids: Collection[int]) -> dict[int, list[int]]:
    """Return the ids of each event's pools, in their order within the event."""
    found: dict[int, list[int]] = {event_id: [] for event_id in event_ids}
    query = sa.select(pools.c.event_id, pools.c.id).where(in_array(pools.c.event_id))
    for event_id, pool_id in tx.execute(query.order_by(pools.c.event_id, pools.c.position), {"ids": event_ids}):
        found[event_id].append(pool_id)
    return found


def resolution_times(tx: ReadTx, event_ids: Collection[int]) -> dict[int, int]:
    """Return when the last result of each of these resolved events became final."""
    final_ms = sa.func.coalesce(pools.c.resolved_at_ms, pools.c.disputable_until_ms)
    query = sa.select(pools.c.event_id, sa.func.max(final_ms)).where(in_array(pools.c.event_id))
    rows = tx.execute(query.group_by(pools.c.event_id), {"ids": event_ids}) if event_ids else ()
    return {event_id: at_ms for event_id, at_ms in rows}  # noqa: C416 - rows
