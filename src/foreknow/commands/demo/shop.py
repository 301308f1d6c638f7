"""The demo's partner: a key to try the interface of partners with, and money on its float."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.kernel.access.api_keys import PARTNER_KEY, hash_key
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.people import admin_log
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.trading.partner import service, store
from foreknow.trading.partner.errors import PartnerNotFound, TooManyKeys
from foreknow.trading.partner.keys import find_holder, insert_key
from foreknow.trading.partner.tables import partner_keys

NAME = "demo-shop"
#: A float with less is given as much as in the beginning.
LEAST_KOPECKS = 1_000_000
FUNDS_KOPECKS = 10_000_000


def key_of(secret: str) -> str:
    """Return the key that is made of 64 hexadecimal digits: the same after a restart."""
    return PARTNER_KEY.of(secret)


def open_shop(tx: WriteTx, key: str) -> bool:
    """Make the partner where it is missing, with this key and money on its float; return whether the key is live.

    A key that was revoked stays so.
    """
    at_ms = now_ms(tx)
    try:
        partner = store.partner_by_name(tx, NAME)
    except PartnerNotFound:
        partner = store.insert_partner(tx, name=NAME, at_ms=at_ms)
        admin_log.record(tx, None, action="partner.add", target=f"partner:{NAME}", details={}, at_ms=at_ms)
    key_hash = hash_key(key)
    known = tx.execute(sa.select(partner_keys.c.id).where(partner_keys.c.key_hash == key_hash))
    try:
        if known.one_or_none() is None:
            insert_key(tx, partner_id=partner.id, key=key, at_ms=at_ms)
    except TooManyKeys:
        return False
    if balances_kopecks(tx, kind=AccountKind.FLOAT, owner_ids=[partner.id])[partner.id] < LEAST_KOPECKS:
        service.deposit(tx, partner, amount_kopecks=FUNDS_KOPECKS, at_ms=at_ms)
    return find_holder(tx, key_hash) is not None
