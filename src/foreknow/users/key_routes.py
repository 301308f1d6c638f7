"""A user's own API keys: for bots and scripts, which need no password then."""

from __future__ import annotations

from foreknow.access.levels import AuthLevel
from foreknow.db.clock import now_ms
from foreknow.db.transactions import WriteTx
from foreknow.kernel.clock import iso, iso_or_none
from foreknow.users import keys
from foreknow.users.authenticator import UserAuthenticator
from foreknow.users.errors import InvalidUserKeyId, TooManyUserKeys, UserKeyNotFound
from foreknow.users.schemas import KeyOrder, NewOwnKey, OwnKey, OwnKeys
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, Endpoint, PathRequest, PlainRequest, delete, get, post
from foreknow.web.params import parameters, path_id
from foreknow.web.responses import Empty


@parameters
class KeyPath:
    key_id: int = path_id(InvalidUserKeyId)


class KeyRoutes:
    """POST, GET and DELETE /users/me/keys."""

    def __init__(self, context: RouteContext, authenticator: UserAuthenticator) -> None:
        """Answer from `context`; `authenticator` forgets keys that end."""
        self._context = context
        self._authenticator = authenticator

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            post(
                "/users/me/keys",
                self.issue,
                AuthLevel.REQUIRED,
                NewOwnKey,
                "Make an API key",
                operation_id="create_my_key",
                status=201,
                errors=(TooManyUserKeys,),
                description="The key is shown in this answer and never again. Send it as a Bearer token. It acts as "
                "you without your roles: `read` on what only reads, `trade` on bets and sales, too; on nothing of your "
                "account. It ends when you delete it, when your account is deactivated and when your password is "
                "reset, not when you sign out.",
            ),
            get(
                "/users/me/keys",
                self.listed,
                AuthLevel.REQUIRED,
                OwnKeys,
                "Your live API keys",
                operation_id="list_my_keys",
                key_scope=None,
            ),
            delete(
                "/users/me/keys/{key_id}",
                self.revoke,
                AuthLevel.REQUIRED,
                Empty,
                "Delete an API key",
                operation_id="revoke_my_key",
                errors=(UserKeyNotFound,),
            ),
        ]

    async def issue(self, request: BodyRequest[KeyOrder]) -> NewOwnKey:
        """Make a key."""
        name, scope = request.body.name, request.body.scope
        made = await self._context.db.write_private(
            lambda tx: keys.issue(tx, request.user, name=name, scope=scope, at_ms=now_ms(tx))
        )
        stored = made.stored
        return NewOwnKey(stored.id, stored.name, stored.scope, made.key, iso(stored.created_at_ms))

    async def listed(self, request: PlainRequest) -> OwnKeys:
        """List the caller's keys, without the keys themselves."""
        found = await self._context.db.read(lambda tx: keys.live_keys(tx, request.user.user_id))
        return OwnKeys(
            [
                OwnKey(key.id, key.name, key.scope, iso(key.created_at_ms), iso_or_none(key.last_used_at_ms))
                for key in found
            ]
        )

    async def revoke(self, request: PathRequest[KeyPath]) -> Empty:
        """End a key: this process refuses it from the next request on."""

        def work(tx: WriteTx) -> None:
            keys.revoke(tx, request.user, request.path.key_id, at_ms=now_ms(tx))

        try:
            await self._context.db.write_private(work)
        finally:
            # Also after a commit with an unknown outcome: one more query costs nothing.
            self._authenticator.invalidate(user_id=request.user.user_id)
        return Empty()
