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
from foreknow.kernel.email_addresses import mailbox_key
from foreknow.kernel.settings import Settings
from foreknow.money import stats
from foreknow.money.ledger import LedgerTransaction, Transfer, TransferKind, house_account
from foreknow.people.newcomers import store
from foreknow.platform.db.secrets import shared_secret
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.settings import LiveSettings

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
    """Grants newcomers what the settings say in the transaction of the grant."""

    def __init__(self, settings: LiveSettings) -> None:
        """Where the settings ask for verified e-mail addresses, only those with one get anything."""
        self._settings = settings

    def arrive(
        self,
        tx: WriteTx,
        newcomer: Newcomer,
        settings: Settings,
        *,
        at_ms: int,
        is_invited: bool = False,
        invitation_kopecks: int = 0,
    ) -> None:
        """Grant a new account what it gets by the settings that let it in, or let it wait until `verify`;
        nothing where no one trades.

        Locks the house's account: call it after the sign-up's own rows.
        """
        if not settings.takes_orders:
            return
        welcome_kopecks, most = settings.sign_up_kopecks, None if is_invited else settings.grants_per_address
        if settings.counts_as_verified(email_verified=newcomer.email_verified):
            _grant(
                tx,
                newcomer,
                welcome_kopecks=welcome_kopecks,
                invitation_kopecks=invitation_kopecks,
                most=most,
                at_ms=at_ms,
            )
        elif invitation_kopecks or (welcome_kopecks and _is_counted(tx, newcomer, most, at_ms)):
            store.let_wait(
                tx,
                newcomer.user_id,
                is_invited=is_invited,
                welcome_kopecks=welcome_kopecks,
                invitation_kopecks=invitation_kopecks,
            )

    def verify(self, tx: WriteTx, newcomer: Newcomer, *, at_ms: int) -> None:
        """Grant an account whose address is verified now what it has waited for; nothing to all others.

        Their network addresses were counted when they arrived.

        Locks the house's account and the user's.
        """
        waited = store.take_waiting(tx, newcomer.user_id)
        if waited is None:
            return
        welcome_kopecks, invitation_kopecks = waited
        if welcome_kopecks is None:
            welcome_kopecks = self._settings.at(tx).welcome_kopecks
        _grant(
            tx,
            newcomer,
            welcome_kopecks=welcome_kopecks,
            invitation_kopecks=invitation_kopecks,
            most=None,
            at_ms=at_ms,
        )


def _grant(
    tx: WriteTx, newcomer: Newcomer, *, welcome_kopecks: int, invitation_kopecks: int, most: int | None, at_ms: int
) -> None:
    """Grant what was not granted before; the welcome only if no more than `most` came from the network on that day."""
    secret = b""
    transfers: list[Transfer] = []
    for note, amount_kopecks in ((WELCOME, welcome_kopecks), (INVITATION, invitation_kopecks)):
        if not amount_kopecks:
            continue
        secret = secret or shared_secret(tx, _KEY)
        keys = [f"{note} user:{newcomer.user_id}", f"{note} email:{_hash(secret, mailbox_key(newcomer.email))}"]
        if store.is_any_granted(tx, keys):
            continue
        if note == WELCOME and not _is_counted(tx, newcomer, most, at_ms):
            continue
        store.note_granted(tx, keys)
        house, account = house_account(tx), newcomer.account_id
        transfer = Transfer(
            kind=TransferKind.GRANT, source=house, target=account, amount_kopecks=amount_kopecks, note=note
        )
        transfers.append(transfer)
    if transfers:
        _post(tx, transfers, at_ms=at_ms)


def _is_counted(tx: WriteTx, newcomer: Newcomer, most: int | None, at_ms: int) -> bool:
    """Count a newcomer of a network address; False where over `most` came on that day. None: they are not counted."""
    if most is None or newcomer.network is None:
        return True
    network = _hash(shared_secret(tx, _KEY), newcomer.network)
    return store.count_newcomer(tx, day=at_ms // DAY_MS, network=network, most=most)


def _post(tx: WriteTx, transfers: list[Transfer], *, at_ms: int) -> None:
    with LedgerTransaction(tx) as ledger_tx:
        ledger_tx.lock({account for transfer in transfers for account in (transfer.source, transfer.target)})
        for transfer in transfers:
            # Two grants of the largest amount are over the limit of a balance.
            ledger_tx.transfer(transfer, over_limit=True)
        ledger_tx.post(at_ms=at_ms)
    stats.record_grants(tx, at_ms=at_ms, amount_kopecks=sum(transfer.amount_kopecks for transfer in transfers))


def _hash(secret: bytes, text: str) -> str:
    return hmac.new(secret, text.encode(), hashlib.sha256).hexdigest()
