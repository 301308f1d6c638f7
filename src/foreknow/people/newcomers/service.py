"""Grants to newcomers, in the transaction of their sign-up, or of their address's verification where that is asked.

An account is granted each thing once, and so is an e-mail address, also if its account was deleted meanwhile: what is
kept is a hash of the address under a key of the database. Upper and lower case, what follows a `+`, and another
spelling of the domain do not make another address.
"""

from __future__ import annotations

import hashlib
import hmac
from dataclasses import dataclass

from foreknow.kernel.clock import DAY_MS
from foreknow.kernel.email_addresses import address_key
from foreknow.money import stats
from foreknow.money.ledger import LedgerTransaction, Transfer, TransferKind, house_account
from foreknow.people.newcomers import store
from foreknow.platform.db.secrets import shared_secret
from foreknow.platform.db.transactions import WriteTx

WELCOME, INVITATION = "Welcome", "Invitation"
#: The name of the key in the database. No setting replaces it: what it has hashed must be known again for ever.
_KEY = "newcomers"


@dataclass(frozen=True, slots=True, kw_only=True)
class Newcomer:
    """A new account, or one whose address was verified now."""

    user_id: int
    #: The ledger account with the balance.
    account_id: int
    email: str
    email_verified: bool
    #: The network address of the request (`web.client_ip.rate_limit_key`); None for one that is not counted.
    network: str | None


class Newcomers:
    """Grants newcomers what the settings say."""

    def __init__(self, *, welcome_kopecks: int, per_network: int, verified_only: bool) -> None:
        """`per_network`: the most newcomers of a network address and UTC day that get `welcome_kopecks` uninvited.

        `verified_only`: only those with a verified e-mail address get anything.
        """
        self._verified_only = verified_only
        self._welcome_kopecks = welcome_kopecks
        self._per_network = per_network

    def arrive(
        self,
        tx: WriteTx,
        newcomer: Newcomer,
        *,
        at_ms: int,
        is_invited: bool = False,
        invitation_kopecks: int = 0,
    ) -> None:
        """Grant a new account what it gets, or let it wait until `verify`.

        Locks the house's account: call it after the sign-up's own rows.
        """
        if newcomer.email_verified or not self._verified_only:
            self._grant(tx, newcomer, is_invited=is_invited, invitation_kopecks=invitation_kopecks, at_ms=at_ms)
        elif invitation_kopecks or (self._welcome_kopecks and (is_invited or self._is_counted(tx, newcomer, at_ms))):
            store.let_wait(tx, newcomer.user_id, is_invited=is_invited, invitation_kopecks=invitation_kopecks)

    def verify(self, tx: WriteTx, newcomer: Newcomer, *, at_ms: int) -> None:
        """Grant an account whose address is verified now what it has waited for; nothing to all others.

        Their network addresses were counted when they arrived.

        Locks the house's account and the user's.
        """
        waited = store.take_waiting(tx, newcomer.user_id)
        if waited is not None:
            self._grant(tx, newcomer, is_invited=waited[0], invitation_kopecks=waited[1], at_ms=at_ms)

    def _grant(self, tx: WriteTx, newcomer: Newcomer, *, is_invited: bool, invitation_kopecks: int, at_ms: int) -> None:
        secret = b""
        transfers: list[Transfer] = []
        for note, amount_kopecks in ((WELCOME, self._welcome_kopecks), (INVITATION, invitation_kopecks)):
            if not amount_kopecks:
                continue
            secret = secret or shared_secret(tx, _KEY)
            keys = [f"{note} user:{newcomer.user_id}", f"{note} email:{_hash(secret, _mailbox(newcomer.email))}"]
            if store.is_any_granted(tx, keys):
                continue
            if note == WELCOME and not is_invited and not self._is_counted(tx, newcomer, at_ms):
                continue
            store.note_granted(tx, keys)
            house, account = house_account(tx), newcomer.account_id
            transfer = Transfer(
                kind=TransferKind.GRANT, source=house, target=account, amount_kopecks=amount_kopecks, note=note
            )
            transfers.append(transfer)
        if transfers:
            _post(tx, transfers, at_ms=at_ms)

    def _is_counted(self, tx: WriteTx, newcomer: Newcomer, at_ms: int) -> bool:
        """Count a newcomer of a network address; False where too many came on that day."""
        if newcomer.network is None:
            return True
        network = _hash(shared_secret(tx, _KEY), newcomer.network)
        return store.count_newcomer(tx, day=at_ms // DAY_MS, network=network, most=self._per_network)


def _post(tx: WriteTx, transfers: list[Transfer], *, at_ms: int) -> None:
    with LedgerTransaction(tx) as ledger_tx:
        ledger_tx.lock({account for transfer in transfers for account in (transfer.source, transfer.target)})
        for transfer in transfers:
            # Two grants of the largest amount are over the limit of a balance.
            ledger_tx.transfer(transfer, over_limit=True)
        ledger_tx.post(at_ms=at_ms)
    stats.record_grants(tx, at_ms=at_ms, amount_kopecks=sum(transfer.amount_kopecks for transfer in transfers))


def _mailbox(email: str) -> str:
    """Return an address as grants know it: its key (`address_key`), without what follows a `+`."""
    local, _, domain = address_key(email).rpartition("@")
    return f"{local.partition('+')[0] or local}@{domain}"


def _hash(secret: bytes, text: str) -> str:
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
