"""Rows of assets, rates and providers' runs."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.assets.tables import assets, currency_rates, provider_runs
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import MINUTE_MS

#: So long whoever claimed a provider has to fetch from it; then others may. More than a run can take.
LEASE_MS = 2 * MINUTE_MS

_A, _R, _P = assets.c, currency_rates.c, provider_runs.c


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


@dataclass(frozen=True, slots=True)
class Run:
    """A provider that this process is to fetch from: which run it is, and how many have failed before in a row."""

    provider: str
    number: int
    failures: int


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


def is_due(tx: ReadTx, provider: str, now_ms: int) -> bool:
    """Tell whether a provider is to be fetched now; one never heard of is."""
    due_at_ms = tx.execute(sa.select(_P.due_at_ms).where(_P.provider == provider)).scalar()
    return due_at_ms is None or due_at_ms <= now_ms


def claim(tx: WriteTx, provider: str, now_ms: int) -> Run | None:
    """Take a provider that is due: until the lease ends nobody else gets it. None where it is somebody else's."""
    known = tx.execute(sa.select(_P.provider).where(_P.provider == provider)).first()
    if known is None:
        row = {"provider": provider, "due_at_ms": now_ms + LEASE_MS, "run": 1, "failures": 0}
        tx.execute(provider_runs.insert().values(**row))
        return Run(provider, 1, 0)
    taken = (
        provider_runs.update()
        .where(_P.provider == provider, _P.due_at_ms <= now_ms)
        .values(due_at_ms=now_ms + LEASE_MS, run=_P.run + 1)
        .returning(_P.run, _P.failures)
    )
    row_now = tx.execute(taken).one_or_none()
    return None if row_now is None else Run(provider, *row_now)


def note_success(tx: ReadTx, run: Run, *, at_ms: int, due_at_ms: int) -> bool:
    """Note that a run brought values; False where it outlived its lease and another has begun."""
    ours = _ours(run).values(due_at_ms=due_at_ms, failures=0, succeeded_at_ms=at_ms)
    return tx.execute(ours).rowcount == 1


def note_failure(tx: ReadTx, run: Run, *, due_at_ms: int) -> None:
    """Note that a run brought nothing."""
    tx.execute(_ours(run).values(due_at_ms=due_at_ms, failures=_P.failures + 1))


def _ours(run: Run) -> sa.Update:
    return provider_runs.update().where(_P.provider == run.provider, _P.run == run.number)
