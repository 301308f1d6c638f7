"""Setting prices and rates, and their priorities.

An admin's value holds against every provider for a time of the settings. A provider's value holds against providers
later in the settings until three of its intervals have passed without a new one; an earlier provider may replace it at
any time. So the second of two exchanges steps in where the first fails. A price whose request began before that of the
asset's present price replaces it never. Every price is kept as an observation, whether it became the asset's or not.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.market.assets import observations, store
from foreknow.market.assets.observations import ADMIN_SOURCE, NewObservation
from foreknow.market.assets.schemas import Asset, asset_view
from foreknow.market.assets.store import AssetRow, RateRow
from foreknow.people import admin_log
from foreknow.people.users import require_live_session
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: The source of what an admin set.
ADMIN = ""


@dataclass(frozen=True, slots=True)
class ProviderPriority:
    """A provider's name, and those of the providers before it in the settings."""

    name: str
    earlier: Sequence[str]

    def may_replace(self, source: str, holds_until_ms: int, *, now_ms: int) -> bool:
        """Return whether its value may replace that of `source`."""
        if source == self.name or holds_until_ms <= now_ms:
            return True
        return source != ADMIN and source not in self.earlier


@dataclass(frozen=True, slots=True)
class ObservedPrice:
    """A price in US dollars, and when the request for it began."""

    price_usd: float
    observed_at_ms: int


@dataclass(frozen=True, slots=True)
class NewAsset:
    """What a provider's asset is called where it is not known yet."""

    name: str
    asset_type: str


def set_asset(tx: WriteTx, admin: UserCaller, symbol: str, new: NewAsset, *, price_usd: float, hold_ms: int) -> Asset:
    """Let an admin set an asset's name, type and price."""
    require_live_session(tx, admin, AuthLevel.ADMIN)
    known = store.lock_assets(tx, [symbol])
    at_ms = now_ms(tx)
    values = {
        "name": new.name,
        "asset_type": new.asset_type,
        "price_usd": price_usd,
        "price_updated_at_ms": at_ms,
        "observed_at_ms": at_ms,
        "source": ADMIN,
        "holds_until_ms": at_ms + hold_ms,
    }
    if symbol in known:
        store.update_asset(tx, symbol, **values)
    else:
        store.insert_asset(tx, symbol=symbol, created_at_ms=at_ms, **values)
    observations.record(tx, [NewObservation(symbol, price_usd, at_ms, ADMIN_SOURCE, counts=True)])
    details = {"name": new.name, "asset_type": new.asset_type, "price": price_usd}
    admin_log.record(tx, admin, action="asset.set", target=f"asset:{symbol}", details=details, at_ms=at_ms)
    row = store.asset_by_symbol(tx, symbol)
    assert row is not None
    return asset_view(row)


def set_rate(tx: WriteTx, admin: UserCaller, *, source: str, target: str, rate: float, hold_ms: int) -> None:
    """Let an admin set the rate of two different currencies, in place of its inverse too."""
    require_live_session(tx, admin, AuthLevel.ADMIN)
    pair, inverted = pair_of(source, target)
    known = store.lock_rates(tx, [pair])
    at_ms = now_ms(tx)
    values = {
        "rate": rate,
        "inverted": inverted,
        "updated_at_ms": at_ms,
        "source": ADMIN,
        "holds_until_ms": at_ms + hold_ms,
    }
    if pair in known:
        store.update_rate(tx, pair, **values)
    else:
        store.insert_rate(tx, pair, **values)
    admin_log.record(
        tx,
        admin,
        action="currency_rate.set",
        target=f"currency_rate:{source}/{target}",
        details={"rate": rate},
        at_ms=at_ms,
    )


def rate_between(tx: ReadTx, *, source: str, target: str, now_ms: int) -> ExchangeRate | None:
    """Return the rate of two currencies, None for an unknown pair."""
    if source == target:
        return ExchangeRate(1.0, now_ms)
    return find_rate(store.rates_of(tx, [source, target]), source=source, target=target)


def record_prices(
    tx: WriteTx,
    provider: ProviderPriority,
    prices: Mapping[str, ObservedPrice],
    names: Mapping[str, NewAsset],
    *,
    hold_ms: int,
) -> None:
    """Write a provider's prices by symbol; `names` for assets that are not known yet."""
    known = store.lock_assets(tx, prices)
    at_ms = now_ms(tx)
    new: list[NewObservation] = []
    for symbol, price in sorted(prices.items()):
        values = {
            "price_usd": price.price_usd,
            "price_updated_at_ms": at_ms,
            "observed_at_ms": price.observed_at_ms,
            "source": provider.name,
            "holds_until_ms": at_ms + hold_ms,
        }
        row = known.get(symbol)
        counts = row is None or _becomes_the_price(provider, price, row, now_ms=at_ms)
        if row is None:
            about = names[symbol]
            store.insert_asset(
                tx, symbol=symbol, name=about.name, asset_type=about.asset_type, created_at_ms=at_ms, **values
            )
        elif counts:
            store.update_asset(tx, symbol, **values)
        new.append(NewObservation(symbol, price.price_usd, price.observed_at_ms, provider.name, counts=counts))
    # Last: an asset that another transaction inserts at the same moment sends this one back to its start.
    observations.record(tx, new)


def record_rates(
    tx: WriteTx, provider: ProviderPriority, rates: Mapping[tuple[str, str], float], *, hold_ms: int
) -> None:
    """Write a provider's rates by pair (from, to)."""
    stored = {pair_of(*pair): rate for pair, rate in rates.items()}
    known = store.lock_rates(tx, [pair for pair, _ in stored])
    at_ms = now_ms(tx)
    for (pair, inverted), rate in sorted(stored.items()):
        values = {
            "rate": rate,
            "inverted": inverted,
            "updated_at_ms": at_ms,
            "source": provider.name,
            "holds_until_ms": at_ms + hold_ms,
        }
        row = known.get(pair)
        if row is None:
            store.insert_rate(tx, pair, **values)
        elif provider.may_replace(row.source, row.holds_until_ms, now_ms=at_ms):
            store.update_rate(tx, pair, **values)


def _becomes_the_price(provider: ProviderPriority, price: ObservedPrice, row: AssetRow, *, now_ms: int) -> bool:
    # A present price from ahead of the clock means that the clock was set back; then the new one may be earlier.
    is_older = row.observed_at_ms is not None and price.observed_at_ms < row.observed_at_ms <= now_ms
    return not is_older and provider.may_replace(row.source, row.holds_until_ms, now_ms=now_ms)


@dataclass(frozen=True, slots=True)
class ExchangeRate:
    """What one unit of a currency is worth in another, and since when (the older of two rates multiplied)."""

    rate: float
    updated_at_ms: int


def pair_of(source: str, target: str) -> tuple[tuple[str, str], bool]:
    """Return a pair in the order in which it is stored, and whether its rate is then inverted."""
    return ((source, target), False) if source < target else ((target, source), True)


def find_rate(rows: Iterable[RateRow], *, source: str, target: str) -> ExchangeRate | None:
    """Return the rate of two different currencies from the pairs in which either stands.

    A rate means the shortest decimal that reads as the same double; rates multiply and divide exactly and are rounded
    once. None where the rows do not give it, or where it is too large or too small for a double.
    """
    source_to: dict[str, tuple[Fraction, int]] = {}
    to_target: dict[str, tuple[Fraction, int]] = {}
    for row in rows:
        for from_code, to_code, upside_down in (
            (row.low_code, row.high_code, row.inverted),
            (row.high_code, row.low_code, not row.inverted),
        ):
            stored = Fraction(repr(row.rate))
            worth = 1 / stored if upside_down else stored
            if from_code == source:
                source_to[to_code] = worth, row.updated_at_ms
            if to_code == target:
                to_target[from_code] = worth, row.updated_at_ms
    if target in source_to:
        return _rounded(*source_to[target])
    # Of several common bases the first by code counts.
    base = min(source_to.keys() & to_target.keys(), default=None)
    if base is None:
        return None
    (first, first_at_ms), (second, second_at_ms) = source_to[base], to_target[base]
    return _rounded(first * second, min(first_at_ms, second_at_ms))


def _rounded(exact: Fraction, updated_at_ms: int) -> ExchangeRate | None:
    try:
        rate = float(exact)
    except OverflowError:
        return None
    return ExchangeRate(rate, updated_at_ms) if rate > 0 else None
