"""An admin account that holds its role only while a replay needs it."""

from __future__ import annotations

import contextlib
import secrets
from collections.abc import AsyncIterator
from dataclasses import dataclass

from foreknow.commands.cli.accounts import issue_access_token
from foreknow.commands.cli.database import opened
from foreknow.kernel.settings import Settings
from foreknow.people.oauth.store import has_identity
from foreknow.people.users import create_user, store
from foreknow.people.users.accounts import NewPerson
from foreknow.people.users.sessions import open_session, revoke
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.admin import service
from foreknow.site.admin.schemas import UserChange

#: The account that gets the role and loses it again, the same one in every replay. No one can sign in to it.
EMAIL = "replay@foreknow.example"
NAME = "Replay"


@dataclass(frozen=True, slots=True)
class _TemporaryAdmin:
    """The account, and its open session."""

    user_id: int
    session_id: int
    token: str


@contextlib.asynccontextmanager
async def temporary_admin(settings: Settings) -> AsyncIterator[str]:
    """Make an account an admin while the block runs, and yield its access token; the admin log records both."""
    async with opened(settings.resolved_database_url) as db:
        admin = await db.write(lambda tx: _grant(tx, settings))
        try:
            yield admin.token
        finally:
            await db.write(lambda tx: _revoke(tx, admin))


def _grant(tx: WriteTx, settings: Settings) -> _TemporaryAdmin:
    at_ms = now_ms(tx)
    person, email = store.find_person_by_email(tx, EMAIL), EMAIL
    if person is not None and not _has_no_owner(tx, person.id):
        # A person signed up with the address, who does not become an admin.
        person, email = None, f"replay-{secrets.token_hex(8)}@foreknow.example"
    if person is None:
        new = NewPerson(email=email, password="", name=NAME, nickname="")
        person = create_user(tx, new, password_hash=None, at_ms=at_ms, email_verified=True)
    service.change_user(tx, None, user_id=person.id, change=UserChange(is_admin=True), at_ms=at_ms)
    session = open_session(tx, user_id=person.id, now_ms=at_ms)
    token = issue_access_token(tx, settings, session, at_ms=at_ms)
    return _TemporaryAdmin(person.id, session.id, token.text)


def _has_no_owner(tx: WriteTx, user_id: int) -> bool:
    return store.credentials(tx, user_id).password_hash is None and not has_identity(tx, user_id)


def _revoke(tx: WriteTx, admin: _TemporaryAdmin) -> None:
    at_ms = now_ms(tx)
    revoke(tx, admin.session_id, now_ms=at_ms)
    service.change_user(tx, None, user_id=admin.user_id, change=UserChange(is_admin=False), at_ms=at_ms)
