"""Cache of ids that never change (the pool of a market, the account of a user), and of who was counted when."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import sqlalchemy as sa

from foreknow.market.markets.tables import markets
from foreknow.market.pools.tables import pools
from foreknow.people.users.sub_accounts import SubAccount, SubAccountName, sub_accounts_fetch
from foreknow.people.users.tables import users
from foreknow.platform.db.bulk import CompiledQuery, Fetch, fetch_together, in_array
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.partner.tables import partners

#: Entries of each kind (100 bytes each); beyond, all entries of that kind are dropped. Dictionaries, not a
#: `BoundedCache`: nothing expires, and a batch compares and joins its keys with them as a whole.
ENTRIES_MAX = 200_000


class MarketPlace(NamedTuple):
    """Where a market's orders go: its pool, its outcome there, and the pool's accounts."""

    pool_id: int
    outcome_index: int
    escrow_account_id: int
    fees_account_id: int


@dataclass(frozen=True, slots=True)
class PartnerFloat:
    """A partner's name and float account."""

    name: str
    account_id: int


@dataclass(slots=True)
class IdCache:
    """Results of look-ups; all but `counted` and `booked_markets` never change."""

    #: by market id
    markets: dict[int, MarketPlace] = field(default_factory=dict)
    #: Of users, by id.
    accounts: dict[int, SubAccount] = field(default_factory=dict)
    partners: dict[int, PartnerFloat] = field(default_factory=dict)
    sub_accounts: dict[SubAccountName, SubAccount] = field(default_factory=dict)
    #: By id of the pools in which an order has ever rested: in how many markets orders might rest when it was last
    #: seen, 0 where none did.
    booked_markets: dict[int, int] = field(default_factory=dict)
    #: user id → newest UTC day on which the statistics counted the trader
    counted: dict[int, int] = field(default_factory=dict)
    #: The newest of these days.
    newest_day: int = -1

    def is_within(self, known: IdCache) -> bool:
        """Return whether `known` has all these ids."""
        return (
            self.markets.keys() <= known.markets.keys()
            and self.accounts.keys() <= known.accounts.keys()
            and self.partners.keys() <= known.partners.keys()
            and self.sub_accounts.keys() <= known.sub_accounts.keys()
        )

    def merge(self, other: IdCache) -> None:
        """Add what a committed batch found."""
        self.newest_day = max(self.newest_day, *other.counted.values()) if other.counted else self.newest_day
        for own, added in (
            (self.markets, other.markets),
            (self.accounts, other.accounts),
            (self.partners, other.partners),
            (self.sub_accounts, other.sub_accounts),
            (self.booked_markets, other.booked_markets),
            (self.counted, other.counted),
        ):
            if len(own) + len(added) > ENTRIES_MAX:
                own.clear()
            own.update(added)  # type: ignore[arg-type] # both of a pair have the same type


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a batch's orders name."""

    market_ids: Collection[int]
    user_ids: Collection[int]
    partner_ids: Collection[int]
    sub_accounts: Collection[SubAccountName]


def find_ids(tx: ReadTx, known: IdCache, wanted: Wanted) -> IdCache:
    """Return what exists of `wanted`, from `known` or else from the database, which is asked at most once.

    A sub-account that another transaction creates meanwhile is missing; creating it again then fails.
    """
    found = IdCache(
        markets=_known(known.markets, wanted.market_ids),
        accounts=_known(known.accounts, wanted.user_ids),
        partners=_known(known.partners, wanted.partner_ids),
        sub_accounts=_known(known.sub_accounts, wanted.sub_accounts),
    )
    asked: list[tuple[dict[Any, Any], Fetch[Any]]] = []
    if unknown := _unknown(found.markets, wanted.market_ids):
        asked.append((found.markets, Fetch(_MARKETS, {"ids": unknown}, _places)))
    if unknown := _unknown(found.accounts, wanted.user_ids):
        asked.append((found.accounts, Fetch(_ACCOUNTS, {"ids": unknown}, _holders)))
    if unknown := _unknown(found.partners, wanted.partner_ids):
        asked.append((found.partners, Fetch(_PARTNERS, {"ids": unknown}, _floats)))
    if names := _unknown(found.sub_accounts, wanted.sub_accounts):
        asked.append((found.sub_accounts, sub_accounts_fetch(names)))
    fetch_together(tx, [fetch for _, fetch in asked])
    for kept, fetch in asked:
        kept.update(fetch.result)
    return found


def _known(known: dict[Any, Any], wanted: Collection[Any]) -> dict[Any, Any]:
    return {key: known[key] for key in wanted if key in known}


def _unknown(found: dict[Any, Any], wanted: Collection[Any]) -> list[Any]:
    return [key for key in wanted if key not in found]


def _places(rows: Any) -> dict[int, MarketPlace]:
    return {market_id: MarketPlace(*place) for market_id, *place in rows}


def _holders(rows: Any) -> dict[int, SubAccount]:
    return {row[0]: SubAccount(*row) for row in rows}


def _floats(rows: Any) -> dict[int, PartnerFloat]:
    return {partner_id: PartnerFloat(name, account_id) for partner_id, name, account_id in rows}


_MARKETS = CompiledQuery(
    sa.select(
        markets.c.id,
        markets.c.pool_id,
        markets.c.outcome_index,
        pools.c.escrow_account_id,
        pools.c.fees_account_id,
    )
    .join_from(markets, pools, pools.c.id == markets.c.pool_id)
    .where(in_array(markets.c.id))
)
_ACCOUNTS = CompiledQuery(sa.select(users.c.id, users.c.account_id).where(in_array(users.c.id)))
_PARTNERS = CompiledQuery(
    sa.select(partners.c.id, partners.c.name, partners.c.float_account_id).where(in_array(partners.c.id))
)
