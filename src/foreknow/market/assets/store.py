"""Rows of assets, rates and providers' runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS
from foreknow.market.assets.tables import assets, currency_rates, provider_runs
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import JobTable

#: Lease of a provider that a process fetches from: longer than a run can take.
LEASE_MS = 2 * MINUTE_MS

_A, _R, _P = assets.c, currency_rates.c, provider_runs.c

#: Runs of providers, one row each, due again after each run.
RUNS = JobTable(
    _P.provider,
    _P.due_at_ms,
    lease_ms=LEASE_MS,
    claims=_P.run,
    failures=_P.failures,
    claimed_at_ms=_P.began_at_ms,
)


@dataclass(frozen=True, slots=True)
class AssetRow:
    """An asset."""

    id: int
    symbol: str
    name: str
    asset_type: str
    price_usd: float
    price_updated_at_ms: int
    source: str
    holds_until_ms: int
    created_at_ms: int
    observed_at_ms: int | None


@dataclass(frozen=True, slots=True)
class RateRow:
    """A pair of currencies; see the table."""

    low_code: str
    high_code: str
    rate: float
    inverted: bool
    updated_at_ms: int
    source: str
    holds_until_ms: int


def asset_by_symbol(tx: ReadTx, symbol: str) -> AssetRow | None:
    """Return an asset."""
    row = tx.execute(sa.select(assets).where(_A.symbol == symbol)).one_or_none()
    return None if row is None else AssetRow(*row)


def newest_assets(tx: ReadTx, *, before_id: int | None, limit: int) -> Sequence[AssetRow]:
    """Return the newest assets, of those with ids under `before_id` where it is given."""
    query = sa.select(assets).order_by(_A.id.desc()).limit(limit)
    if before_id is not None:
        query = query.where(_A.id < before_id)
    return [AssetRow(*row) for row in tx.execute(query)]


def lock_assets(tx: WriteTx, symbols: Collection[str]) -> dict[str, AssetRow]:
    """Lock those of the assets that exist, in one order, and return them by symbol."""
    query = sa.select(assets).where(_A.symbol.in_(symbols)).order_by(_A.symbol).with_for_update()
    return {row.symbol: AssetRow(*row) for row in tx.execute(query)}


def insert_asset(tx: WriteTx, **values: Any) -> None:
    """Write a new asset; loses a race against another writer of the same symbol, and is then run again."""
    tx.execute(assets.insert().values(**values))


def update_asset(tx: WriteTx, symbol: str, **values: Any) -> None:
    """Change a locked asset."""
    tx.execute(assets.update().where(_A.symbol == symbol).values(**values))


def rates_of(tx: ReadTx, codes: Collection[str]) -> Sequence[RateRow]:
    """Return all pairs in which one of the codes stands."""
    query = sa.select(currency_rates).where(sa.or_(_R.low_code.in_(codes), _R.high_code.in_(codes)))
    return [RateRow(*row) for row in tx.execute(query)]


def rates_after(tx: ReadTx, pair: tuple[str, str], *, limit: int) -> Sequence[RateRow]:
    """Return the next pairs after one, in the order of their codes."""
    key = sa.tuple_(_R.low_code, _R.high_code)
    query = sa.select(currency_rates).where(key > sa.tuple_(*map(sa.literal, pair)))
    return [RateRow(*row) for row in tx.execute(query.order_by(_R.low_code, _R.high_code).limit(limit))]


def lock_rates(tx: WriteTx, pairs: Collection[tuple[str, str]]) -> dict[tuple[str, str], RateRow]:
    """Lock those of the pairs (low, high) that exist, in one order, and return them."""
    query = (
        sa.select(currency_rates)
        .where(_R.low_code.in_({low for low, _ in pairs}), _R.high_code.in_({high for _, high in pairs}))
        .order_by(_R.low_code, _R.high_code)
        .with_for_update()
    )
    return {(row.low_code, row.high_code): RateRow(*row) for row in tx.execute(query)}


def insert_rate(tx: WriteTx, pair: tuple[str, str], **values: Any) -> None:
    """Write a new pair (low, high); loses a race against another writer of it, and is then run again."""
    tx.execute(currency_rates.insert().values(low_code=pair[0], high_code=pair[1], **values))


def update_rate(tx: WriteTx, pair: tuple[str, str], **values: Any) -> None:
    """Change a locked pair."""
    tx.execute(currency_rates.update().where(_R.low_code == pair[0], _R.high_code == pair[1]).values(**values))


def request_runs(tx: WriteTx, providers: Collection[str], *, since_ms: int) -> None:
    """Let providers be due at once whose newest run began before `since_ms`, even while that run is under way."""
    named = _P.provider.in_(providers)
    tx.execute(sa.select(_P.provider).where(named).order_by(_P.provider).with_for_update())
    # Under the lock: a run that began while this waited for it is not one from ahead of the clock.
    at_ms = now_ms(tx)
    # Such a one began before the clock was set back.
    is_old = sa.or_(_P.began_at_ms.is_(None), _P.began_at_ms < since_ms, _P.began_at_ms > at_ms)
    tx.execute(provider_runs.update().where(named, _P.due_at_ms > at_ms, is_old).values(due_at_ms=at_ms))
