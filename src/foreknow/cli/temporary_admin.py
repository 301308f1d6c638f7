"""An admin for as long as a replay needs one, on a database that is ours to write."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass

from foreknow.admin import service
from foreknow.admin.schemas import UserChange
from foreknow.db.engine import Database
from foreknow.db.transactions import WriteTx
from foreknow.kernel.clock import system_clock
from foreknow.settings import Settings
from foreknow.users import create_user, store
from foreknow.users.accounts import NewPerson
from foreknow.users.sessions import open_session, revoke
from foreknow.users.tokens import AccessTokens, TokenKeys

#: The account that is given the role and loses it again, the same for every replay. It has no password, so that nobody
#: can ever sign in as it.
EMAIL = "replay@foreknow.example"
NAME = "Replay"


@dataclass(frozen=True, slots=True)
class _Lent:
    """A session of an account that is an admin now."""

    user_id: int
    session_id: int
    token: str


@contextlib.asynccontextmanager
async def borrowed_admin(db: Database, settings: Settings) -> AsyncIterator[str]:
    """Make an account an admin while the block runs, and yield an access token of it; the admins' log tells both."""
    lent = await db.write(lambda tx: _lend(tx, settings))
    try:
        yield lent.token
    finally:
        await db.write(lambda tx: _take_back(tx, lent))


def _lend(tx: WriteTx, settings: Settings) -> _Lent:
    now_ms = system_clock()
    person = store.find_person_by_email(tx, EMAIL)
    if person is None:
        new = NewPerson(email=EMAIL, password="", name=NAME, nickname="")
        person = create_user(tx, new, password_hash=None, at_ms=now_ms)
    service.change_user(tx, None, user_id=person.id, change=UserChange(is_admin=True), at_ms=now_ms)
    session = open_session(tx, user_id=person.id, now_ms=now_ms)
    keys = TokenKeys.shared(tx, settings.token_secret.get_secret_value())
    token = AccessTokens(keys.access).issue(
        session.refresh_claim, user_id=person.id, session_ends_at_ms=session.expires_at_ms, now_ms=now_ms
    )
    return _Lent(person.id, session.id, token.text)


def _take_back(tx: WriteTx, lent: _Lent) -> None:
    now_ms = system_clock()
    revoke(tx, lent.session_id, now_ms=now_ms)
    service.change_user(tx, None, user_id=lent.user_id, change=UserChange(is_admin=False), at_ms=now_ms)
