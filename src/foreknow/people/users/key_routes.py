"""A user's own API keys: for bots and scripts, which need no password then."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso, iso_or_none
from foreknow.people.users import keys
from foreknow.people.users.authenticator import UserAuthenticator
from foreknow.people.users.errors import InvalidUserKeyId, TooManyUserKeys, UserKeyNotFound
from foreknow.people.users.schemas import KeyOrder, NewOwnKey, OwnKey, OwnKeys
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, PathRequest, PlainRequest, delete, get, post
from foreknow.web.params import parameters, path_id
from foreknow.web.responses import Empty


@parameters
class KeyPath:
    key_id: int = path_id(InvalidUserKeyId)


class KeyRoutes:
    """A user's own API keys."""

    def __init__(self, context: RouteContext, authenticator: UserAuthenticator) -> None:
        """Answer from `context`; `authenticator` forgets keys that end."""
        self._context = context
        self._authenticator = authenticator

    @post("/users/me/keys", AuthLevel.REQUIRED, status=201, errors=(TooManyUserKeys,))
    async def create_my_key(self, request: BodyRequest[KeyOrder]) -> NewOwnKey:
        """Make an API key.

        The key is shown in this answer and never again. Send it as a Bearer token. It acts as you without your roles:
        `read` on what only reads, `trade` on bets and sales, too; on nothing of your account. It ends when you delete
        it, when your account is deactivated and when you set a new password, not when you sign out.
        """
        name, scope = request.body.name, request.body.scope
        made = await self._context.db.write_private(
            lambda tx: keys.issue(tx, request.user, name=name, scope=scope, at_ms=now_ms(tx))
        )
        stored = made.stored
        return NewOwnKey(stored.id, stored.name, stored.scope, made.key, iso(stored.created_at_ms))

    @get("/users/me/keys", AuthLevel.REQUIRED, key_scope=None)
    async def list_my_keys(self, request: PlainRequest) -> OwnKeys:
        """Your live API keys."""
        found = await self._context.db.read(lambda tx: keys.live_keys(tx, request.user.user_id))
        return OwnKeys(
            [
                OwnKey(key.id, key.name, key.scope, iso(key.created_at_ms), iso_or_none(key.last_used_at_ms))
                for key in found
            ]
        )

    @delete("/users/me/keys/{key_id}", AuthLevel.REQUIRED, errors=(UserKeyNotFound,), unverified=True)
    async def revoke_my_key(self, request: PathRequest[KeyPath]) -> Empty:
        """Delete an API key."""

        def work(tx: WriteTx) -> None:
            keys.revoke(tx, request.user, request.path.key_id, at_ms=now_ms(tx))

        try:
            await self._context.db.write_private(work)
        finally:
            # Also after a commit with an unknown outcome: one more query costs nothing.
            self._authenticator.invalidate(user_id=request.user.user_id)
        return Empty()
