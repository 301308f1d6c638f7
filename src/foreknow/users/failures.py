"""Failed sign-ins: ten a minute on one account, and it is closed until the first of them is a minute old.

They are counted in the database, so that many servers are no way around it, by account, so that neither are an
account's two logins; a login that is nobody's is counted alike, or the limit would tell which accounts exist.
"""

from __future__ import annotations

import hashlib
from collections.abc import Sequence

import sqlalchemy as sa

from foreknow.kernel.clock import MINUTE_MS, SECOND_MS
from foreknow.kernel.errors import RateLimited
from foreknow.kernel.text import fold, may_be_within
from foreknow.users.schemas import EMAIL_LENGTH_MAX
from foreknow.users.store import Credentials
from foreknow.users.tables import sign_in_failures

FAILURES_MAX = 10
WINDOW_MS = MINUTE_MS
#: Rows that each failure sweeps out at most.
_SWEPT_ROWS = 100


def account_key(credentials: Credentials | None, login: str) -> str:
    """Return under which key a login's failures are counted.

    What is nobody's login may be somebody's password, typed into the wrong field: only its hash is kept.
    """
    if credentials is not None:
        return f"user:{credentials.user_id}"
    key = fold(login) if may_be_within(login, EMAIL_LENGTH_MAX) else login
    return "nobody:" + hashlib.sha256(key.encode()).hexdigest()


def check(tx: sa.Connection, account: str, *, now_ms: int) -> None:
    """Refuse with `RateLimited` where the account has had its failures."""
    _refuse(_recent(tx, account, now_ms) or (), now_ms)


def check_alone(tx: sa.Connection, account: str, *, now_ms: int) -> Sequence[int] | None:
    """Do the same, and let nobody else decide on a sign-in to a failing account until this transaction ends.

    Returns the failures of the last minute, None where the account has no row of them yet.

    Guesses sent all at once are thereby counted one by one, and the eleventh is refused even if it is right.
    """
    times = _recent(tx, account, now_ms, alone=True)
    _refuse(times or (), now_ms)
    return times


def record(tx: sa.Connection, account: str, times: Sequence[int] | None, *, now_ms: int) -> None:
    """Add a failure to those that `check_alone` returned in this transaction."""
    values = {"failed_at_ms": [*(times or ()), now_ms], "last_failed_at_ms": now_ms}
    if times is None:
        # Of several first failures at once one makes the row; the others' transactions run again and find it.
        tx.execute(sign_in_failures.insert().values(account=account, **values))
    else:
        tx.execute(sign_in_failures.update().where(sign_in_failures.c.account == account).values(values))
    _sweep(tx, now_ms)


def _recent(tx: sa.Connection, account: str, now_ms: int, *, alone: bool = False) -> Sequence[int] | None:
    query = sa.select(sign_in_failures.c.failed_at_ms).where(sign_in_failures.c.account == account)
    times = tx.execute(query.with_for_update() if alone else query).scalar()
    return None if times is None else [at_ms for at_ms in times if at_ms > now_ms - WINDOW_MS]


def _refuse(times: Sequence[int], now_ms: int) -> None:
    if len(times) >= FAILURES_MAX:
        wait_ms = times[-FAILURES_MAX] + WINDOW_MS - now_ms
        raise RateLimited(retry_after_s=-(-wait_ms // SECOND_MS))


def _sweep(tx: sa.Connection, now_ms: int) -> None:
    # Rows that another sweep or a failure holds are left to it: waiting for them could end in a deadlock.
    old = (
        sa.select(sign_in_failures.c.account)
        .where(sign_in_failures.c.last_failed_at_ms <= now_ms - WINDOW_MS)
        .order_by(sign_in_failures.c.last_failed_at_ms)
        .limit(_SWEPT_ROWS)
        .with_for_update(skip_locked=True)
    )
    tx.execute(sign_in_failures.delete().where(sign_in_failures.c.account.in_(old)))
