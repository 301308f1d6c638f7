"""What the rows say of avatars before and after an upload. People change their own only."""

from __future__ import annotations

from collections.abc import Collection

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.errors import InternalError
from foreknow.market.images import store
from foreknow.market.images.store import UPLOAD_MS
from foreknow.people.users import require_live_session
from foreknow.people.users.accounts import with_balance
from foreknow.people.users.schemas import User
from foreknow.people.users.store import lock_person, person, show_avatar
from foreknow.platform.db.transactions import WriteTx


def begin_upload(tx: WriteTx, caller: UserCaller, *, object_name: str, now_ms: int) -> None:
    """Note an object before it is stored, so that it goes again unless the upload ends; `Unauthorized`."""
    require_live_session(tx, caller)
    store.note_avatar_upload(tx, object_name, user_id=caller.user_id, due_at_ms=now_ms + UPLOAD_MS)


def end_upload(
    tx: WriteTx, caller: UserCaller, *, object_name: str, avatar_url: str, now_ms: int
) -> tuple[User, Collection[str]]:
    """Let a person show an object that is stored by now; `Unauthorized`.

    Return their account, and the objects that they show no more, which go.
    """
    row = lock_person(tx, caller.user_id)
    require_live_session(tx, caller)
    if not store.take_avatar_into_use(tx, object_name):
        # The storage took an hour: the object has been given up, and goes.
        raise InternalError
    before = show_avatar(tx, row, url=avatar_url, object_name=object_name, at_ms=now_ms)
    return with_balance(tx, person(tx, caller.user_id)), () if before is None else (before,)
