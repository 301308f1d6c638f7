"""Cache of ids that never change (the pool of a market, the account of a user), and of who was counted when."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import sqlalchemy as sa

from foreknow.db.bulk import in_array
from foreknow.db.transactions import ReadTx
from foreknow.partner.tables import partners
from foreknow.pools.store import pool_ids_of_markets
from foreknow.users.sub_accounts import SubAccount, SubAccountName, find_sub_accounts
from foreknow.users.tables import users

_ACCOUNTS = sa.select(users.c.id, users.c.account_id).where(in_array(users.c.id))
_PARTNERS = sa.select(partners.c.id, partners.c.name, partners.c.float_account_id).where(in_array(partners.c.id))

#: Entries of each kind (100 bytes each); beyond, all entries of that kind are dropped.
ENTRIES_MAX = 200_000


@dataclass(frozen=True, slots=True)
class PartnerFloat:
    """A partner's name and float account."""

    name: str
    account_id: int


@dataclass(slots=True)
class IdCache:
    """Results of look-ups; all but `counted` never change."""

    #: market id → (pool id, outcome index)
    markets: dict[int, tuple[int, int]] = field(default_factory=dict)
    #: user id → account id
    accounts: dict[int, int] = field(default_factory=dict)
    partners: dict[int, PartnerFloat] = field(default_factory=dict)
    sub_accounts: dict[SubAccountName, SubAccount] = field(default_factory=dict)
    #: user id → newest UTC day on which the statistics counted the trader
    counted: dict[int, int] = field(default_factory=dict)

    def merge(self, other: IdCache) -> None:
        """Add what a committed batch found."""
        for own, added in (
            (self.markets, other.markets),
            (self.accounts, other.accounts),
            (self.partners, other.partners),
            (self.sub_accounts, other.sub_accounts),
            (self.counted, other.counted),
        ):
            if len(own) + len(added) > ENTRIES_MAX:
                own.clear()
            own.update(added)  # type: ignore[arg-type] # both of a pair have the same type


def find_markets(tx: ReadTx, known: IdCache, market_ids: Collection[int]) -> dict[int, tuple[int, int]]:
    """Return (pool id, outcome index) of the markets that exist."""
    unknown = [market_id for market_id in market_ids if market_id not in known.markets]
    found = pool_ids_of_markets(tx, unknown) if unknown else {}
    return found | {market_id: known.markets[market_id] for market_id in market_ids if market_id in known.markets}


def find_accounts(tx: ReadTx, known: IdCache, user_ids: Collection[int]) -> dict[int, int]:
    """Return the account id of each user."""
    found = {user_id: known.accounts[user_id] for user_id in user_ids if user_id in known.accounts}
    unknown = [user_id for user_id in user_ids if user_id not in found]
    if unknown:
        found.update(tx.execute(_ACCOUNTS, {"ids": unknown}).all())
    return found


def find_partners(tx: ReadTx, known: IdCache, partner_ids: Collection[int]) -> dict[int, PartnerFloat]:
    """Return name and float account of each partner."""
    found = {partner_id: known.partners[partner_id] for partner_id in partner_ids if partner_id in known.partners}
    unknown = [partner_id for partner_id in partner_ids if partner_id not in found]
    if unknown:
        rows = tx.execute(_PARTNERS, {"ids": unknown})
        found.update((partner_id, PartnerFloat(name, account_id)) for partner_id, name, account_id in rows)
    return found


def known_sub_accounts(
    tx: ReadTx, known: IdCache, names: Collection[SubAccountName]
) -> dict[SubAccountName, SubAccount]:
    """Return the sub-accounts that exist. Call it after locking the floats: a first bet creates one under this lock."""
    found = {name: known.sub_accounts[name] for name in names if name in known.sub_accounts}
    unknown = [name for name in names if name not in found]
    return found | (find_sub_accounts(tx, unknown) if unknown else {})
