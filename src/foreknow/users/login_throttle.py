"""Failed sign-ins: how often a password may be guessed, and what a guesser may learn from being stopped.

All is counted in the database, so that many servers are no way around it, over the last minute. A failure counts

- **by login**, as it was typed, without regard to case. After ten the login is closed, whatever is sent, whether it is
  somebody's or nobody's;
- **by account**, whichever of its two logins was used. After ten the account is closed;
- **by household** (`web.addresses.rate_limit_key`). After 300 its sign-ins are closed, whomever they mean: guessing one
  password at many accounts. It is that many because an office, or a whole town behind its provider's gateway, shares
  one address;
- **by device**, in a browser that has signed in to this account before (`users.devices`): ten as well. Such a browser
  is stopped by this count alone, so that no lock which strangers caused is its own.

**Nobody learns which nickname and which e-mail address belong together.** An account that is closed says so to
whoever knows its password, and to nobody else: were a wrong password at the other login told 429, ten failures at a
nickname would show which address is its owner's. Yet who goes on at the other login must be stopped after ten in all.
So a *wrong* password is answered by what its own household did, never by whose login it is: 429 as soon as the
household's failures at this login, with those at the login of the other kind at which it failed most, are ten or more.
If the two are one account's, these are all its failures from there, and it is closed: right passwords are 429 too, and
nothing is learnt from the answer. If they are not, wrong passwords are answered just the same, and a right one signs
in: neighbours of a guesser are not kept out.

What is left: whoever guesses from several households has ten guesses a minute at each of the two logins, since only
guesses from one household can be put together without telling who they mean.
"""

from __future__ import annotations

import hashlib
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import sqlalchemy as sa

from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.kernel.errors import RateLimited
from foreknow.kernel.text import fold, may_be_within
from foreknow.users.schemas import EMAIL_LENGTH_MAX
from foreknow.users.store import Credentials
from foreknow.users.tables import sign_in_failures

#: By login, by account and by device.
FAILURES_MAX = 10
#: By household: five a second; thirty people who each forgot their password.
HOUSEHOLD_FAILURES_MAX = 300
WINDOW_MS = MINUTE_MS
#: Rows that each failure sweeps out at most.
_SWEPT_ROWS = 100
#: So much of a login's hash tells a household's logins apart.
_TAG_LENGTH = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class SignInAttempt:
    """A password that is tried, by the keys under which a failure is counted."""

    account: str
    #: None for somebody who is signed in, as is the household.
    login: str | None = None
    rate_limit_key: str | None = None
    #: Where the browser has signed in to this account before.
    device: str | None = None
    #: The login in the household's row; begins with its kind.
    tag: str = ""

    @classmethod
    def of(
        cls, credentials: Credentials | None, login: str, *, rate_limit_key: str, device_id: str | None = None
    ) -> SignInAttempt:
        """Describe a sign-in with this login, which belongs to `credentials` or to nobody.

        What is nobody's login may be somebody's password, typed into the wrong field: only its hash is kept. A login
        that is nobody's has a row for the account that it does not have, so that it costs as much.
        """
        kind = "@" if "@" in login else "."
        # What is longer than any login is nobody's, and is not normalised, which could take long.
        hashed = _hash(fold(login) if may_be_within(login, EMAIL_LENGTH_MAX) else login)
        return cls(
            account=f"nobody:{hashed}" if credentials is None else f"user:{credentials.user_id}",
            login=f"login:{hashed}",
            rate_limit_key=f"household:{_hash(rate_limit_key)}",
            device=None if device_id is None else f"device:{device_id}",
            tag=kind + hashed[:_TAG_LENGTH],
        )

    @classmethod
    def of_signed_in(cls, user_id: int) -> SignInAttempt:
        """Describe what somebody who is signed in does with the password: it is counted by account alone."""
        return cls(account=f"user:{user_id}")

    @property
    def keys(self) -> list[str]:
        """The rows, in the order in which they are locked."""
        return sorted(filter(None, (self.account, self.login, self.rate_limit_key, self.device)))


@dataclass(frozen=True, slots=True)
class Counts:
    """The failures of the last minute, by the keys of an attempt, oldest first; None for a row that is not there.

    Each is the time in Unix milliseconds; a household's have the tags of their logins besides.
    """

    rows: Mapping[str, Sequence[Any] | None]

    def of(self, key: str | None) -> Sequence[Any]:
        """Return the failures under a key; none without one."""
        return () if key is None else self.rows[key] or ()


def check(tx: ReadTx, attempt: SignInAttempt, *, now_ms: int) -> None:
    """Refuse with `RateLimited` what is closed to whoever asks, before a password is compared."""
    _refuse_closed(attempt, _read(tx, attempt, now_ms), now_ms)


def check_for_update(tx: WriteTx, attempt: SignInAttempt, *, now_ms: int) -> Counts:
    """Do the same, and let nobody else decide on such a sign-in until this transaction ends.

    Guesses sent all at once are thereby counted one by one, and the eleventh is refused even if it is right.
    """
    counts = _read(tx, attempt, now_ms, for_update=True)
    _refuse_closed(attempt, counts, now_ms)
    return counts


def check_account(attempt: SignInAttempt, counts: Counts, *, now_ms: int) -> None:
    """Refuse with `RateLimited` where the account is closed. Only whoever has the right password may be told."""
    if attempt.device is None:
        _refuse(counts.of(attempt.account), FAILURES_MAX, now_ms)


def record(tx: WriteTx, attempt: SignInAttempt, counts: Counts, *, now_ms: int) -> RateLimited | None:
    """Add a failure to those that `check_for_update` returned in this transaction.

    Return how a wrong password is to be refused if not as one: the failure has to be committed all the same.
    """
    new = []
    for key in attempt.keys:
        failed: Any = [now_ms, attempt.tag] if key == attempt.rate_limit_key else now_ms
        row = {"account": key, "failed_at_ms": [*counts.of(key), failed], "last_failed_at_ms": now_ms}
        if counts.rows[key] is None:
            new.append(row)
        else:
            tx.execute(sign_in_failures.update().where(sign_in_failures.c.account == key).values(row))
    if new:
        # Of several first failures at once one makes the rows; the others' transactions run again and find them.
        tx.execute(sign_in_failures.insert(), new)
    _sweep(tx, now_ms)
    return None if attempt.device is not None else _limit(_in_pair(attempt, counts), FAILURES_MAX, now_ms)


def _read(tx: ReadTx, attempt: SignInAttempt, now_ms: int, *, for_update: bool = False) -> Counts:
    columns = sign_in_failures.c
    query = sa.select(columns.account, columns.failed_at_ms).where(columns.account.in_(attempt.keys))
    if for_update:
        # In one order, or two sign-ins could wait for each other.
        query = query.order_by(columns.account).with_for_update()
    found = {key: _recent(failed, now_ms) for key, failed in tx.execute(query)}
    return Counts({key: found.get(key) for key in attempt.keys})


def _recent(failed: Iterable[Any], now_ms: int) -> Sequence[Any]:
    return [one for one in failed if _at_ms(one) > now_ms - WINDOW_MS]


def _at_ms(failed: Any) -> int:
    return int(failed[0] if isinstance(failed, list) else failed)


def _refuse_closed(attempt: SignInAttempt, counts: Counts, now_ms: int) -> None:
    if attempt.device is not None:
        _refuse(counts.of(attempt.device), FAILURES_MAX, now_ms)
        return
    # Whoever is signed in to an account may know that it is closed.
    _refuse(counts.of(attempt.login or attempt.account), FAILURES_MAX, now_ms)
    _refuse([at_ms for at_ms, _ in counts.of(attempt.rate_limit_key)], HOUSEHOLD_FAILURES_MAX, now_ms)


def _in_pair(attempt: SignInAttempt, counts: Counts) -> Sequence[int]:
    """Return when this household failed at this login, or at the one of the other kind at which it failed most."""
    failed = counts.of(attempt.rate_limit_key)
    others = Counter(tag for _, tag in failed if tag[0] != attempt.tag[0])
    pair = {attempt.tag, *(tag for tag, _ in others.most_common(1))}
    return [at_ms for at_ms, tag in failed if tag in pair]


def _refuse(times: Sequence[int], most: int, now_ms: int) -> None:
    error = _limit(times, most, now_ms)
    if error is not None:
        raise error


def _limit(times: Sequence[int], most: int, now_ms: int) -> RateLimited | None:
    if len(times) < most:
        return None
    wait_ms = times[-most] + WINDOW_MS - now_ms
    return RateLimited(retry_after_s=-(-wait_ms // SECOND_MS))


def _hash(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _sweep(tx: WriteTx, now_ms: int) -> None:
    # Rows that another sweep or a failure holds are left to it: waiting for them could end in a deadlock.
    old = (
        sa.select(sign_in_failures.c.account)
        .where(sign_in_failures.c.last_failed_at_ms <= now_ms - WINDOW_MS)
        .order_by(sign_in_failures.c.last_failed_at_ms)
        .limit(_SWEPT_ROWS)
        .with_for_update(skip_locked=True)
    )
    tx.execute(sign_in_failures.delete().where(sign_in_failures.c.account.in_(old)))
