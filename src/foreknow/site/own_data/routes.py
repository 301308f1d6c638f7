"""Endpoints of one's own data, and of admins who delete an account."""

from __future__ import annotations

from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import InvalidState, RateLimited
from foreknow.kernel.schema_types import TIME_EXAMPLE, Time
from foreknow.people.users.cookies import cleared_cookies
from foreknow.people.users.errors import InvalidCredentials, InvalidUserId, SignInAgain, UserNotFound
from foreknow.people.users.routes import SIGN_IN
from foreknow.people.users.schemas import CheckedPassword
from foreknow.people.users.sessions import require_live_session
from foreknow.platform.db.transactions import WriteTx
from foreknow.site.own_data import export
from foreknow.site.own_data.service import AccountDeletion
from foreknow.web.client_ip import rate_limit_key
from foreknow.web.context import RouteContext
from foreknow.web.downloads import Download
from foreknow.web.endpoint import BodyRequest, PathRequest, PlainRequest, get, post
from foreknow.web.params import parameters, path_id
from foreknow.web.responses import Empty, Response, json_response


class DeletionOrder(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The password, "" where the account has none."""

    password: CheckedPassword


class OwnData(msgspec.Struct, frozen=True):
    """All that is kept of a person, without secrets. Names are those of the database; times are UTC."""

    exported_at: Annotated[Time, Meta(description="When the export began, UTC.", examples=[TIME_EXAMPLE])]
    tables: Annotated[
        dict[str, list[dict[str, Any]]],
        Meta(
            description="Rows by table. Amounts of money end in `_kopecks`, times in `_at`.",
            examples=[{"balance": [{"balance_kopecks": 99000}], "comments": []}],
        ),
    ]


@parameters
class DeletedPath:
    user_id: int = path_id(InvalidUserId)


class OwnDataRoutes:
    """All that is kept of a person, and its deletion."""

    def __init__(self, context: RouteContext, deletion: AccountDeletion, *, secure_cookies: bool) -> None:
        """Mark cookies Secure where they must not travel in the clear."""
        self._context = context
        self._deletion = deletion
        self._secure = secure_cookies

    @get("/users/me/export", AuthLevel.REQUIRED, response=OwnData, errors=(RateLimited,), key_scope=None)
    async def get_my_data(self, request: PlainRequest) -> Download:
        """Take all that is kept of you, as one file.

        JSON without passwords, keys and other secrets. Once an hour.
        """
        user_id, db = request.user.user_id, self._context.db

        def begin(tx: WriteTx) -> int:
            require_live_session(tx, request.user)
            return export.take_turn(tx, user_id, is_kept=not request.is_head)

        rest = export.pieces(db, user_id, at_ms=await db.write_private(begin))
        return Download("my-data.json", await anext(rest), rest)

    @post(
        "/users/me/delete",
        AuthLevel.REQUIRED,
        response=Empty,
        errors=(InvalidCredentials, SignInAgain, InvalidState, RateLimited),
        rate_limit_group=SIGN_IN,
        unverified=True,
    )
    async def delete_my_account(self, request: BodyRequest[DeletionOrder]) -> Response:
        """Delete your account, for ever.

        Your sessions, API keys, sign-ins through providers and drafts end. Your e-mail address, names and picture go,
        and so do the texts of your comments and of your support chat. Events and trades stay, of a "Deleted trader".
        Your balance goes to the house, and so does what your open positions are paid later. Refused while an event of
        yours is active or closed, while a series of yours runs, and to the last admin. A wrong password counts as a
        failed sign-in. Who signs in through a provider only sends "" for it, within ten minutes of signing in.
        """
        await self._deletion.delete_own(
            request.user, request.body.password, rate_limit_key=rate_limit_key(request.client)
        )
        return json_response(Empty(), cookies=cleared_cookies(secure=self._secure))

    @post("/admin/users/{user_id}/delete", AuthLevel.ADMIN, errors=(UserNotFound, InvalidState))
    async def delete_user(self, request: PathRequest[DeletedPath]) -> Empty:
        """Delete a user's account, for ever.

        As users do it themselves, without their password. A deleted account is 404.
        """
        await self._deletion.delete_by_admin(request.user, request.path.user_id)
        return Empty()
