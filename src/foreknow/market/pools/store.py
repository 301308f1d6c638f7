"""Rows of pools with their markets, read or locked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from typing import Any, Generic, TypeVar

import msgspec
import sqlalchemy as sa

from foreknow.market.markets.store import MarketRow, markets_fetch, markets_of_pools, pool_ids_of_markets, write_names
from foreknow.market.pools.crowd_news import note_for_crowds
from foreknow.market.pools.liquidity import LiquidityStep, PastTrades
from foreknow.market.pools.resolutions import Decision, read_resolution
from foreknow.market.pools.rows import PoolRow, PoolState, PricedPool
from foreknow.market.pools.rules.family import RULE_TYPES
from foreknow.market.pools.splits import SplitStep
from foreknow.market.pools.standing import Standing
from foreknow.market.pools.tables import pools
from foreknow.market.pools.texts import PoolTexts
from foreknow.market.pools.verdicts import Verdict, verdict_of
from foreknow.platform.db.bulk import CompiledQuery, Fetch, fetch_together, in_array
from foreknow.platform.db.metadata import Int64
from foreknow.platform.db.statements.driver import Rows
from foreknow.platform.db.statements.row_locks import id_array, lock_rows
from foreknow.platform.db.transactions import ReadTx, WriteTx

__all__ = [
    "PoolRow",
    "PoolState",
    "PricedPool",
    "load_pools",
    "load_priced_pools",
    "lock_free_pools",
    "lock_pools",
    "lock_priced_pools",
    "pool_ids_of_markets",
]


AnyPool = TypeVar("AnyPool", PricedPool, PoolRow)

_DECISION_COLUMNS = ("resolution", "decided_at_ms", "decided_by", "void_at_ms", "void_prices")
_IS_DECIDED = sa.type_coerce(sa.case((pools.c.resolution.is_(None), 0), else_=1), Int64).label("is_decided")


class _Kind(Generic[AnyPool]):
    """Rows of pools of a type: which columns are read, and what is made of them."""

    def __init__(
        self, columns: Sequence[Any], make: Callable[[dict[str, Any], tuple[MarketRow, ...]], AnyPool]
    ) -> None:
        self._names = tuple(column.key for column in columns)
        self._make: Callable[[dict[str, Any], tuple[MarketRow, ...]], AnyPool] = make
        query = sa.select(*columns).where(in_array(pools.c.id)).order_by(pools.c.id)
        self.load = CompiledQuery(query)
        self.lock = _locking(query)

    def as_dicts(self, rows: Rows) -> list[dict[str, Any]]:
        """Name the columns of rows."""
        return [dict(zip(self._names, row, strict=True)) for row in rows]

    def with_markets(
        self, rows: Iterable[dict[str, Any]], outcomes: Mapping[int, tuple[MarketRow, ...]]
    ) -> dict[int, AnyPool]:
        """Return the pools by id."""
        return {row["id"]: self._make(row, outcomes[row["id"]]) for row in rows}

    def fetch(self, tx: ReadTx, query: CompiledQuery, pool_ids: Collection[int]) -> dict[int, AnyPool]:
        """Run one of the queries, and that of the markets."""
        rows = self.as_dicts(query.fetch(tx, {"ids": set(pool_ids)}))
        # Markets need a second query: under READ COMMITTED it sees what the previous holder of the lock wrote, while a
        # join in the locking query would return them as of the start of the wait.
        return self.with_markets(rows, markets_of_pools(tx, [row["id"] for row in rows]))


def _locking(query: sa.Select[Any]) -> CompiledQuery:
    return CompiledQuery(query.with_for_update())


def _priced_pool(row: dict[str, Any], outcomes: tuple[MarketRow, ...]) -> PricedPool:
    return PricedPool(**_priced(row), markets=outcomes)


def _pool(row: dict[str, Any], outcomes: tuple[MarketRow, ...]) -> PoolRow:
    row["rule_type"] = RULE_TYPES[row.pop("resolution_kind")]
    decision = _decision(row)
    row["splits"] = msgspec.convert(row["splits"] or (), tuple[SplitStep, ...])
    row["verdicts"] = _verdicts(row["verdicts"], decision)
    return PoolRow(**_priced(row), markets=outcomes, decision=decision)


def _decision(row: dict[str, Any]) -> Decision | None:
    requested, at_ms, by, void_at_ms, void_prices = map(row.pop, _DECISION_COLUMNS)
    if requested is None:
        return None
    return Decision(
        resolution=read_resolution(requested, outcomes=len(row["weights"])),
        # Pools that were resolved before decisions were noted show their resolution.
        at_ms=row["resolved_at_ms"] if at_ms is None else at_ms,
        by=by,
        disputable_until_ms=row["disputable_until_ms"],
        evidence=row.pop("evidence"),
        void_at_ms=void_at_ms,
        void_prices=msgspec.convert(void_prices, PastTrades | None),
    )


def _verdicts(stored: Any, decision: Decision | None) -> tuple[Verdict, ...]:
    verdicts = msgspec.convert(stored or (), tuple[Verdict, ...])
    if decision is None or (verdicts and verdicts[-1].at_ms == decision.at_ms):
        return verdicts
    # A process of the release before gave it, which keeps no verdicts.
    return (*verdicts, verdict_of(decision))


def _priced(row: dict[str, Any]) -> dict[str, Any]:
    # Weights are decimal text: they may exceed 64 bits, which JSON decoders turn into doubles.
    row["weights"] = tuple(map(int, row["weights"]))
    row["state"] = PoolState(row["state"])
    row["is_decided"] = bool(row["is_decided"])
    row["liquidity"] = msgspec.convert(row["liquidity"] or (), tuple[LiquidityStep, ...])
    return row


def _columns(kind: type[PricedPool]) -> list[Any]:
    """Return the columns that are fields as they are, and whether there is a decision."""
    return [*(pools.c[name] for name in kind.__struct_fields__ if name in pools.c), _IS_DECIDED]


_WHOLE = _Kind((*_columns(PoolRow), pools.c.resolution_kind, *(pools.c[name] for name in _DECISION_COLUMNS)), _pool)
_PRICED = _Kind(_columns(PricedPool), _priced_pool)


def load_pools(tx: ReadTx, pool_ids: Collection[int]) -> dict[int, PoolRow]:
    """Return the pools that exist, by id."""
    return _WHOLE.fetch(tx, _WHOLE.load, pool_ids)


def load_priced_pools(tx: ReadTx, pool_ids: Collection[int]) -> dict[int, PricedPool]:
    """Return what prices and orders depend on, of the pools that exist, by id."""
    return _PRICED.fetch(tx, _PRICED.load, pool_ids)


def load_pools_at_once(tx: ReadTx, pool_ids: Collection[int], *beside: Fetch[Any]) -> dict[int, PoolRow]:
    """Do the same on one snapshot, also in a transaction that writes and locks none of them: a split may commit."""
    rows, outcomes = Fetch(_WHOLE.load, {"ids": set(pool_ids)}, _WHOLE.as_dicts), markets_fetch(pool_ids)
    fetch_together(tx, (rows, outcomes, *beside))
    return _WHOLE.with_markets(rows.result, outcomes.result)


def lock_pools(tx: WriteTx, pool_ids: Collection[int]) -> dict[int, PoolRow]:
    """Lock pools in id order until the transaction ends; return those that exist, by id.

    Every change and trade holds this lock, and takes it before any other.
    """
    return _WHOLE.fetch(tx, _WHOLE.lock, pool_ids)


def lock_priced_pools(tx: WriteTx, pool_ids: Collection[int]) -> dict[int, PricedPool]:
    """Lock pools, as `lock_pools` does; return what prices and orders depend on."""
    return _PRICED.fetch(tx, _PRICED.lock, pool_ids)


def lock_free_pools(tx: WriteTx, pool_ids: Collection[int]) -> dict[int, PricedPool]:
    """Lock those of some pools that no other transaction has locked, as `lock_priced_pools` does; return them."""
    if tx.dialect.name == "sqlite":
        return lock_priced_pools(tx, pool_ids)
    lock_rows(tx, [lock_free_statement(pool_ids)])
    # After their locks: as their holders have left them.
    return load_priced_pools(tx, locked_ids_fetch().fetch(tx))


def lock_pools_of_event(tx: WriteTx, event_id: int) -> dict[int, PoolRow]:
    """Lock all pools of an event, as `lock_pools` does, and return them by id."""
    return lock_pools(tx, pool_ids_of_events(tx, [event_id])[event_id])


def lock_with_siblings(tx: WriteTx, pool_id: int) -> dict[int, PoolRow]:
    """Lock all pools of a pool's event, likewise."""
    event_id = tx.execute(sa.select(pools.c.event_id).where(pools.c.id == pool_id)).scalar_one()
    return lock_pools_of_event(tx, event_id)


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


_LOCKED = CompiledQuery(sa.select(sa.literal_column(f"unnest({LOCKED_IDS})", Int64).label("id")))


class PricedPoolsFetch:
    """The queries of locked pools, to be fetched with others."""

    def __init__(self, pool_ids: Collection[int]) -> None:
        """Read the pools of these ids that exist."""
        self._pools = Fetch(_PRICED.load, {"ids": pool_ids}, _PRICED.as_dicts, is_empty=not pool_ids)
        self._markets = markets_fetch(pool_ids)
        self.fetches: tuple[Fetch[Any], ...] = (self._pools, self._markets)

    @property
    def result(self) -> dict[int, PricedPool]:
        """The pools that exist, by id."""
        return _PRICED.with_markets(self._pools.result, self._markets.result)


def update_pool(tx: WriteTx, pool_id: int, **values: Any) -> None:
    """Change columns of a locked pool."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(**values))


def set_paused(tx: WriteTx, pool_id: int, *, paused: bool, by_creator: bool) -> None:
    """Pause or resume a locked pool; that its event's creator has paused it is kept."""
    change = {"paused": paused}
    if paused and by_creator:
        change["creator_has_paused"] = True
    tx.execute(pools.update().where(pools.c.id == pool_id).values(**change))


def raise_liquidity(tx: WriteTx, row: PoolRow, step: LiquidityStep) -> None:
    """Write an addition to a locked, published pool."""
    change = {
        "b": step.b,
        "liquidity": [*row.liquidity_steps(), step],
        "loss_bound_kopecks": row.loss_bound_kopecks + step.subsidy_kopecks,
    }
    tx.execute(pools.update().where(pools.c.id == row.id).values(**change))


def write_split(tx: WriteTx, row: PoolRow, step: SplitStep, *, weights: Sequence[int], turning: bool) -> None:
    """Write a split to a locked, published pool, whose new market is written."""
    change = {
        "weights": [str(weight) for weight in weights],
        # What follows from the row alone before any addition does not from now on.
        "liquidity": row.liquidity_steps(),
        "splits": [*row.splits, step],
        "turning": turning,
        "loss_bound_kopecks": row.loss_bound_kopecks + step.subsidy_kopecks,
    }
    tx.execute(pools.update().where(pools.c.id == row.id).values(**change))
    note_for_crowds(tx, [row.id])


def mark_turned(tx: WriteTx, pool_id: int) -> None:
    """Note that all positions of Other of a locked pool are turned."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(turning=False))


def move_prior(tx: WriteTx, pool_id: int, *, weights: Sequence[int], loss_bound_kopecks: int) -> None:
    """Change the prior weights of a locked pool without trades, and the loss bound that follows from them."""
    change = {"weights": [str(weight) for weight in weights], "loss_bound_kopecks": loss_bound_kopecks}
    tx.execute(pools.update().where(pools.c.id == pool_id).values(**change))


_FIRST_FINISH = sa.func.coalesce(pools.c.finish_at_ms, 0)


def mark_published(tx: WriteTx, pool_ids: Collection[int], *, at_ms: int) -> None:
    """Open locked pools for trading."""
    change = {"state": PoolState.OPEN.value, "published_at_ms": at_ms}
    tx.execute(pools.update().where(pools.c.id.in_(pool_ids)).values(first_finish_at_ms=_FIRST_FINISH, **change))


def write_strike(tx: WriteTx, pool_id: int, strike: Mapping[str, Any]) -> None:
    """Store the observation that a locked pool's rule or texts refer to: `{price, observed_at, source}`."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(strike=strike))


def write_attention_reason(tx: WriteTx, pool_id: int, reason: str) -> None:
    """Store why a locked pool's rule gives no result."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(attention_reason=reason))


def write_evidence(tx: WriteTx, pool_id: int, evidence: Mapping[str, Any] | None) -> None:
    """Store what a locked pool's result was read from; of one that is not decided, what the last round read."""
    tx.execute(pools.update().where(pools.c.id == pool_id).values(evidence=evidence))


def write_texts(tx: WriteTx, pool: PricedPool, texts: PoolTexts) -> None:
    """Change the texts of a locked pool and the names of its markets."""
    change = {"name": texts.name, "name_ru": texts.name_ru, "rules": texts.rules}
    tx.execute(pools.update().where(pools.c.id == pool.id).values(**change))
    # Markets that were added later keep their names.
    names = zip(pool.markets[: len(texts.market_names)], texts.market_names, strict=True)
    write_names(tx, {market.id: name for market, name in names if market.name != name})


def mark_decided(tx: WriteTx, pool: PoolRow, decision: Decision, verdict: Verdict) -> None:
    """Give a locked pool a result, or another one until it is final; `verdict` says the same for all to see."""
    first_ms = pool.first_decided_at_ms
    change = {
        "first_verdict_at_ms": decision.at_ms if first_ms is None else first_ms,
        "window_ends_ms": decision.disputable_until_ms,
        "open_objections": 0,
        "holding_objections": 0,
        "verdicts": [*pool.verdicts, verdict],
        "resolution": decision.resolution.stored,
        "decided_at_ms": decision.at_ms,
        "decided_by": decision.by,
        "evidence": decision.evidence,
        "disputable_until_ms": decision.disputable_until_ms,
        "void_at_ms": decision.void_at_ms,
        "void_prices": decision.void_prices,
    }
    tx.execute(pools.update().where(pools.c.id == pool.id).values(**change))


def write_standing(tx: WriteTx, pool: PoolRow, standing: Standing) -> None:
    """Change how a locked pool with a result stands."""
    change = {
        "first_verdict_at_ms": standing.first_at_ms,
        "window_ends_ms": standing.window_ends_ms,
        "disputable_until_ms": standing.final_at_ms,
        "confirmed_number": standing.number if standing.is_confirmed else pool.confirmed_number,
        "open_objections": standing.open_objections,
        "holding_objections": standing.holding_objections,
    }
    tx.execute(pools.update().where(pools.c.id == pool.id).values(**change))


def write_reasons(tx: WriteTx, pool: PoolRow, verdict: Verdict) -> None:
    """Change what the present verdict of a locked pool gives as its reasons."""
    tx.execute(pools.update().where(pools.c.id == pool.id).values(verdicts=[*pool.verdicts[:-1], verdict]))


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
    for event_id, pool_id in _IDS_OF_EVENTS.fetch(tx, {"ids": event_ids}):
        found[event_id].append(pool_id)
    return found


_IDS_OF_EVENTS = CompiledQuery(
    sa.select(pools.c.event_id, pools.c.id)
    .where(in_array(pools.c.event_id))
    .order_by(pools.c.event_id, pools.c.position)
)


def resolution_times(tx: ReadTx, event_ids: Collection[int]) -> dict[int, int]:
    """Return when the last result of each of these resolved events became final."""
    final_ms = sa.func.coalesce(pools.c.resolved_at_ms, pools.c.disputable_until_ms)
    query = sa.select(pools.c.event_id, sa.func.max(final_ms)).where(in_array(pools.c.event_id))
    rows = tx.execute(query.group_by(pools.c.event_id), {"ids": event_ids}) if event_ids else ()
    return {event_id: at_ms for event_id, at_ms in rows}  # noqa: C416 - rows
