"""The demo's partner: a key to try the interface of partners with, and money on its float."""

from __future__ import annotations

from foreknow import admin_log
from foreknow.access.api_keys import PARTNER_KEY
from foreknow.db.clock import now_ms
from foreknow.db.transactions import WriteTx
from foreknow.ledger import AccountKind, balances_kopecks
from foreknow.partner import service, store
from foreknow.partner.errors import PartnerNotFound, TooManyKeys
from foreknow.partner.keys import is_live, keep_key

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
    try:
        keep_key(tx, partner_id=partner.id, key=key, at_ms=at_ms)
    except TooManyKeys:
        return False
    if balances_kopecks(tx, kind=AccountKind.FLOAT, owner_ids=[partner.id])[partner.id] < LEAST_KOPECKS:
        service.deposit(tx, partner, amount_kopecks=FUNDS_KOPECKS, at_ms=at_ms)
    return is_live(tx, key)
