"""Limits failed sign-ins, without revealing which logins exist or belong together.

Failures of the last minute are counted in the database, across all servers:

- **by login**, as typed, ignoring case: after 10 the login is locked, whether an account has it or not;
- **by account**, through either of its two logins: after 10 the account is locked;
- **by network** (`web.client_ip.rate_limit_key`: an IPv4 address or an IPv6 prefix): after 300 its sign-ins are locked,
  against guessing one password at many accounts. An office, or a town behind a carrier's gateway, shares one address;
- **by device**, a browser that has signed in to this account before (`users.devices`): 10. Only this count applies to
  it, so that strangers cannot lock it out.

**The link between a nickname and an e-mail address stays hidden.** If a wrong password at the other login of a locked
account got a 429, ten failures at a nickname would reveal its owner's address; so only a right password learns of the
lock. A guesser who continues at the other login must still be stopped after 10 in all. So the response to a *wrong*
password depends on the failures of its own network alone: 429 once those at this login, plus those at the login of the
other kind with the most failures, are 10 or more. If both belong to one account, it is locked, right passwords get 429
too, and nothing is revealed. If not, a right password signs in, so the guesser's neighbours are not locked out.

Remaining gap: a guesser with several networks has 10 guesses a minute at each of the two logins.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.kernel.email_addresses import address_key
from foreknow.kernel.errors import RateLimited
from foreknow.kernel.text import may_be_within
from foreknow.people.users.schemas import EMAIL_LENGTH_MAX
from foreknow.people.users.store import PasswordCredentials
from foreknow.people.users.tables import sign_in_failures
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Failures in a window by login, by account and by device.
FAILURES_MAX = 10
#: Failures in a window by network: 5 a second, or 30 people who each forgot their password.
NETWORK_FAILURES_MAX = 300
WINDOW_MS = MINUTE_MS
#: Expired rows deleted with each failure.
_SWEPT_ROWS = 100
#: Length of the hash prefix that distinguishes the logins of one network.
_TAG_LENGTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInAttempt:
    """The keys under which a failure of a password is counted."""

    account: str
    #: None for a signed-in user, like the network.
    login: str | None = None
    network: str | None = None
    #: None for a browser that has not signed in to this account before.
    device: str | None = None
    #: The login in the network's row; starts with its kind.
    tag: str = ""

    @classmethod
    def of(
        cls, credentials: PasswordCredentials | None, login: str, *, rate_limit_key: str, device_id: str | None = None
    ) -> SignInAttempt:
        """Return the keys of a sign-in with this login; `credentials` is None for an unknown login.

        Only hashes of logins are stored: an unknown one may be a password typed into the wrong field. An unknown login
        has a row in place of an account's, so that it takes the same time.
        """
        kind = "@" if "@" in login else "."
        hashed = _hash_login(login)
        return cls(
            account=f"unknown:{hashed}" if credentials is None else f"user:{credentials.user_id}",
            login=f"login:{hashed}",
            network=f"network:{_hash(rate_limit_key)}",
            device=None if device_id is None else f"device:{device_id}",
            tag=kind + hashed[:_TAG_LENGTH],
        )

    @classmethod
    def of_signed_in(cls, user_id: int) -> SignInAttempt:
        """Return the keys of a signed-in user's attempt, which is counted by account only."""
        return cls(account=f"user:{user_id}")

    @property
    def keys(self) -> list[str]:
        """All keys, in the order in which their rows are locked."""
        return sorted(filter(None, (self.account, self.login, self.network, self.device)))


@dataclass(frozen=True, slots=True)
class Counts:
    """The failures of the last minute by key, oldest first; None for a missing row.

    Each is a time in Unix milliseconds, in a network's row paired with the login's tag.
    """

    rows: Mapping[str, Sequence[Any] | None]

    def of(self, key: str | None) -> Sequence[Any]:
        """Return the failures of a key; empty for None."""
        return () if key is None else self.rows[key] or ()


def check(tx: ReadTx, attempt: SignInAttempt, *, now_ms: int) -> None:
    """Raise `RateLimited` for a locked login or network, before the password is compared."""
    _check_limits(attempt, _counts(tx, _rows_of(attempt), attempt, now_ms), now_ms)


def lock_and_check(tx: WriteTx, attempt: SignInAttempt, *, now_ms: int) -> Counts:
    """Do the same with the rows locked until the transaction ends.

    Concurrent guesses are thereby counted one by one, and the eleventh is rejected even if it is right.
    """
    # Locked in one order, to avoid deadlocks between sign-ins.
    rows = _rows_of(attempt).order_by(sign_in_failures.c.account).with_for_update()
    counts = _counts(tx, rows, attempt, now_ms)
    _check_limits(attempt, counts, now_ms)
    return counts


def check_account(attempt: SignInAttempt, counts: Counts, *, now_ms: int) -> None:
    """Raise `RateLimited` for a locked account. Call it only after a right password."""
    if attempt.device is None:
        _raise_if_limited(counts.of(attempt.account), FAILURES_MAX, now_ms)


def record(tx: WriteTx, attempt: SignInAttempt, counts: Counts, *, now_ms: int) -> RateLimited | None:
    """Add a failure to the counts that `lock_and_check` returned in this transaction.

    Return the error to raise after the commit instead of `InvalidCredentials`, if any.
    """
    new = []
    for key in attempt.keys:
        failed: Any = [now_ms, attempt.tag] if key == attempt.network else now_ms
        row = {"account": key, "failed_at_ms": [*counts.of(key), failed], "last_failed_at_ms": now_ms}
        if counts.rows[key] is None:
            new.append(row)
        else:
            tx.execute(sign_in_failures.update().where(sign_in_failures.c.account == key).values(row))
    if new:
        # Of concurrent first failures, one inserts the rows; the other transactions run again and find them.
        tx.execute(sign_in_failures.insert(), new)
    _sweep(tx, now_ms)
    return None if attempt.device is not None else _limit(_in_pair(attempt, counts), FAILURES_MAX, now_ms)


def clear(tx: WriteTx, user_id: int, logins: Sequence[str]) -> None:
    """Forget the failures of an account and its logins, after its password was reset; not those by network or device.

    Call it before locking the account's row, as a sign-in locks these rows first.
    """
    columns = sign_in_failures.c
    keys = [f"user:{user_id}", *(f"login:{_hash_login(login)}" for login in logins)]
    found = sa.select(columns.account).where(columns.account.in_(keys)).order_by(columns.account).with_for_update()
    tx.execute(sign_in_failures.delete().where(columns.account.in_(tx.execute(found).scalars().all())))


def _rows_of(attempt: SignInAttempt) -> sa.Select[Any]:
    columns = sign_in_failures.c
    return sa.select(columns.account, columns.failed_at_ms).where(columns.account.in_(attempt.keys))


def _counts(tx: ReadTx, rows: sa.Select[Any], attempt: SignInAttempt, now_ms: int) -> Counts:
    found = {key: _recent(failed, now_ms) for key, failed in tx.execute(rows)}
    return Counts({key: found.get(key) for key in attempt.keys})


def _recent(failed: Iterable[Any], now_ms: int) -> Sequence[Any]:
    return [failure for failure in failed if _at_ms(failure) > now_ms - WINDOW_MS]


def _at_ms(failed: Any) -> int:
    return int(failed[0] if isinstance(failed, list) else failed)


def _check_limits(attempt: SignInAttempt, counts: Counts, now_ms: int) -> None:
    if attempt.device is not None:
        _raise_if_limited(counts.of(attempt.device), FAILURES_MAX, now_ms)
        return
    # A signed-in user, who has no login here, may learn that the account is locked.
    _raise_if_limited(counts.of(attempt.login or attempt.account), FAILURES_MAX, now_ms)
    _raise_if_limited([at_ms for at_ms, _ in counts.of(attempt.network)], NETWORK_FAILURES_MAX, now_ms)


def _in_pair(attempt: SignInAttempt, counts: Counts) -> Sequence[int]:
    """Return the network's failures at this login, and at the login of the other kind with the most failures."""
    failed = counts.of(attempt.network)
    others = Counter(tag for _, tag in failed if tag[0] != attempt.tag[0])
    pair = {attempt.tag, *(tag for tag, _ in others.most_common(1))}
    return [at_ms for at_ms, tag in failed if tag in pair]


def _raise_if_limited(times: Sequence[int], most: int, now_ms: int) -> None:
    error = _limit(times, most, now_ms)
    if error is not None:
        raise error


def _limit(times: Sequence[int], most: int, now_ms: int) -> RateLimited | None:
    if len(times) < most:
        return None
    wait_ms = times[-most] + WINDOW_MS - now_ms
    return RateLimited(retry_after_s=-(-wait_ms // SECOND_MS))


def _hash_login(login: str) -> str:
    # A text longer than any login is not normalised, which could take long.
    return _hash(address_key(login) if may_be_within(login, EMAIL_LENGTH_MAX) else login)


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _sweep(tx: WriteTx, now_ms: int) -> None:
    # Skips rows that another transaction holds: waiting for them could deadlock.
    old = (
        sa.select(sign_in_failures.c.account)
        .where(sign_in_failures.c.last_failed_at_ms <= now_ms - WINDOW_MS)
        .order_by(sign_in_failures.c.last_failed_at_ms)
        .limit(_SWEPT_ROWS)
        .with_for_update(skip_locked=True)
    )
    tx.execute(sign_in_failures.delete().where(sign_in_failures.c.account.in_(old)))
