"""Partners' API keys: shown once, stored as hashes, at most two live at a time for rotation.

Partners are authenticated by them, with a short cache.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial

import sqlalchemy as sa

from foreknow.kernel.access.api_keys import PARTNER_KEY, hash_key
from foreknow.kernel.access.callers import PartnerCaller
from foreknow.kernel.cache import BoundedCache, SingleFlight, in_entries
from foreknow.kernel.clock import Clock
from foreknow.kernel.errors import InvalidPartnerKey
from foreknow.platform.db.bulk import CompiledQuery, Fetch, in_array
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs.use_recorder import UseRecorder
from foreknow.trading.partner.errors import KeyNotFound, TooManyKeys
from foreknow.trading.partner.tables import partner_keys, partners

LIVE_KEYS_MAX = 2
#: The condition of a live key, for all queries.
_LIVE = partner_keys.c.revoked_at_ms.is_(None)
_LIVE_IDS = CompiledQuery(sa.select(partner_keys.c.id).where(in_array(partner_keys.c.id), _LIVE))


@dataclass(frozen=True, slots=True)
class IssuedKey:
    """A new key. `key` is what the partner sends; it cannot be shown again."""

    id: int
    key: str


@dataclass(frozen=True, slots=True)
class LiveKey:
    """A live key. `last_used_at_ms` lags by up to a minute."""

    id: int
    created_at_ms: int
    last_used_at_ms: int | None


@dataclass(frozen=True, slots=True)
class KeyHolder:
    """The partner of a key, and the key's last recorded use."""

    caller: PartnerCaller
    last_used_at_ms: int | None


def issue_key(tx: WriteTx, *, partner_id: int, at_ms: int) -> IssuedKey:
    """Create a key for a partner; `TooManyKeys` if it has two live ones."""
    key = PARTNER_KEY.new()
    return IssuedKey(insert_key(tx, partner_id=partner_id, key=key, at_ms=at_ms), key)


def insert_key(tx: WriteTx, *, partner_id: int, key: str, at_ms: int) -> int:
    """Store a new key, and return its id; `TooManyKeys`."""
    # Lock the partner's row, or two servers could each count one live key and add a second. This lock does not block
    # rows that refer to the partner (sub-accounts, transactions).
    partner = sa.select(partners.c.id).where(partners.c.id == partner_id)
    tx.execute(partner.with_for_update(key_share=True))
    if len(live_keys(tx, partner_id)) >= LIVE_KEYS_MAX:
        raise TooManyKeys
    row = partner_keys.insert().values(partner_id=partner_id, key_hash=hash_key(key), created_at_ms=at_ms)
    return int(tx.execute(row.returning(partner_keys.c.id)).scalar_one())


def revoke_key(tx: WriteTx, *, partner_id: int, key_id: int, at_ms: int) -> None:
    """Revoke a live key of the partner; `KeyNotFound` if it has none with this id."""
    table = partner_keys.c
    live_key_of_partner = sa.and_(table.id == key_id, table.partner_id == partner_id, _LIVE)
    if tx.execute(partner_keys.update().where(live_key_of_partner).values(revoked_at_ms=at_ms)).rowcount == 0:
        raise KeyNotFound


def live_keys(tx: ReadTx, partner_id: int) -> Sequence[LiveKey]:
    """Return a partner's live keys, oldest first."""
    table = partner_keys.c
    query = (
        sa.select(table.id, table.created_at_ms, table.last_used_at_ms)
        .where(table.partner_id == partner_id, _LIVE)
        .order_by(table.id)
    )
    return [LiveKey(*row) for row in tx.execute(query)]


def find_holder(tx: ReadTx, key_hash: str) -> KeyHolder | None:
    """Return the holder of the live key with this hash, or None."""
    table = partner_keys.c
    query = (
        sa.select(table.partner_id, partners.c.name, table.id, table.last_used_at_ms)
        .join_from(partner_keys, partners)
        .where(table.key_hash == key_hash, _LIVE)
    )
    row = tx.execute(query).one_or_none()
    return None if row is None else KeyHolder(PartnerCaller(row.partner_id, row.name, row.id), row.last_used_at_ms)


def live_key_ids(tx: ReadTx, key_ids: Collection[int]) -> set[int]:
    """Return which of these keys are live, for transactions that move money."""
    return live_keys_fetch(key_ids).fetch(tx)


def live_keys_fetch(key_ids: Collection[int]) -> Fetch[set[int]]:
    """Return `live_key_ids` as a query to be fetched with others."""
    return Fetch(_LIVE_IDS, {"ids": key_ids}, lambda rows: {key_id for (key_id,) in rows}, is_empty=not key_ids)


def require_live_key(tx: ReadTx, caller: PartnerCaller) -> None:
    """Raise `InvalidPartnerKey` if the key was revoked; for transactions that move money."""
    if caller.key_id not in live_key_ids(tx, [caller.key_id]):
        raise InvalidPartnerKey


#: Cache time of a key. A revocation by another process takes effect within this time after its commit; the contract
#: allows 1 s (decisions.md, "Freshness"), the rest is for requests under way. Transactions that move money do not rely
#: on the cache: they call `require_live_key`.
CACHE_TTL_S = 0.9
#: Keys cached, some 4 MB: more than there are partners.
CACHED_MAX = 16_384


class PartnerAuthenticator:
    """Authenticates partners by key, with at most one database query per second and key."""

    def __init__(self, db: Database, clock: Clock, *, timer: Callable[[], float] = time.monotonic) -> None:
        """`clock` (Unix milliseconds) dates the use of keys; `timer` (seconds, monotonic) ages the cache."""
        self._db = db
        self._timer = timer
        #: By the hash of the key.
        self._cache: BoundedCache[str, PartnerCaller] = BoundedCache(CACHED_MAX, in_entries, timer=timer)
        self._lookups: SingleFlight[str, PartnerCaller | None] = SingleFlight("partner-key")
        self._uses = UseRecorder(db, clock, partner_keys, kind="partner-key")

    def known(self, key: str) -> PartnerCaller | None:
        """Return the partner of a live key in memory; None where `check` has to look."""
        return self._cache.get(hash_key(key)) if PARTNER_KEY.fits(key) else None

    async def check(self, key: str) -> PartnerCaller | None:
        """Return the partner of a live key, or None."""
        if not PARTNER_KEY.fits(key):
            return None
        key_hash = hash_key(key)
        cached = self._cache.get(key_hash)
        if cached is not None:
            return cached
        # Hundreds of requests with one key may find it stale in the same moment: one read serves them all.
        keep = partial(self._keep, key_hash, self._timer() + CACHE_TTL_S)
        return await self._lookups.run(key_hash, partial(self._look_up, key_hash), keep=keep)

    def forget(self) -> None:
        """Drop the cache. Call it after the commit of a key's revocation, before responding."""
        self._cache.clear()
        # A lookup under way may be from before the revocation.
        self._lookups.forget()

    async def stop(self) -> None:
        """Finish what is under way, before the database closes."""
        await self._lookups.drain()
        await self._uses.stop()

    async def _look_up(self, key_hash: str) -> PartnerCaller | None:
        holder = await self._db.lookup(lambda tx: find_holder(tx, key_hash))
        if holder is None:
            return None
        self._uses.note(holder.caller.key_id, last_used_at_ms=holder.last_used_at_ms)
        return holder.caller

    def _keep(self, key_hash: str, until_s: float, caller: PartnerCaller | None) -> None:
        if caller is not None:
            self._cache.put(key_hash, caller, until=until_s)
