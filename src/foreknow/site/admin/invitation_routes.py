"""Endpoints of invitations: their administration, and what one offers to who holds its link."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.pagination import LIMIT_DEFAULT
from foreknow.people import invitations
from foreknow.people.invitations.errors import InvalidInvitationId, InvitationNotFound, InvitationUsed
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.admin import service
from foreknow.site.admin.invitation_schemas import (
    Invitation,
    InvitationOffer,
    InvitationOrder,
    InvitationPage,
    InvitationToken,
    IssuedInvitation,
    invitation_view,
    issued_view,
    offer_view,
)
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, PathRequest, QueryRequest, delete, get, post
from foreknow.web.pagination import newest_first
from foreknow.web.params import CURSOR, LIMIT, choice, defaulted, optional, parameters, path_id

EMAIL = choice("email", ("true", "false"), "Only those that are for one address, or only the others.")


@parameters
class InvitationPath:
    invitation_id: int = path_id(InvalidInvitationId)


@parameters
class InvitationsQuery:
    email: str | None = optional(EMAIL)
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


class InvitationRoutes:
    """Inviting people, withdrawing that, and saying what is offered."""

    def __init__(self, context: RouteContext, *, public_url: str, welcome_kopecks: int) -> None:
        """Answer from `context`; links begin with `public_url`, "" where it is not set."""
        self._context = context
        self._public_url = public_url
        self._welcome_kopecks = welcome_kopecks

    @post("/admin/invitations", AuthLevel.ADMIN, status=201)
    async def create_invitation(self, request: BodyRequest[InvitationOrder]) -> IssuedInvitation:
        """Invite people.

        The link is shown in this answer and never again. People who open it may make accounts, `uses` of them, also
        where there is no other way in. Where the site's address is not set, it begins with `/`: complete it with
        the address at which people reach the site.
        """
        new = await self._context.db.write_private(
            lambda tx: service.add_invitation(tx, request.user, order=request.body, at_ms=now_ms(tx))
        )
        return issued_view(new, origin=self._public_url)

    @post("/auth/invitation", AuthLevel.NONE, errors=(InvitationUsed,), for_strangers=True)
    async def get_invitation(self, request: BodyRequest[InvitationToken]) -> InvitationOffer:
        """What an invitation offers.

        For the page that its link opens. Nothing is counted; the same holds when an account is made with it, unless it
        is used up or withdrawn meanwhile. An address that had a grant before gets none again.
        """

        def read(tx: ReadTx) -> InvitationOffer:
            row, maker = service.offered_invitation(tx, request.body.token, at_ms=now_ms(tx))
            terms = self._context.terms
            return offer_view(row, maker, grant_kopecks=self._welcome_kopecks, credited=terms.takes_orders)

        return await self._context.db.read(read)

    @get("/admin/invitations", AuthLevel.ADMIN)
    async def list_invitations(self, request: QueryRequest[InvitationsQuery]) -> InvitationPage:
        """All invitations, newest first."""
        wanted = request.query.email
        has_email = None if wanted is None else wanted == "true"
        page = await newest_first(
            self._context,
            request,
            "invitations" if wanted is None else f"invitations:{wanted}",
            lambda tx, before_id, limit: invitations.newest(tx, before_id=before_id, limit=limit, has_email=has_email),
        )
        return InvitationPage(list(map(invitation_view, page.rows)), page.next_cursor, page.has_more)

    @delete("/admin/invitations/{invitation_id}", AuthLevel.ADMIN, errors=(InvitationNotFound,))
    async def withdraw_invitation(self, request: PathRequest[InvitationPath]) -> Invitation:
        """Withdraw an invitation.

        No account is made with it any more; those that were stay. Again, that changes nothing.
        """
        invitation_id = request.path.invitation_id
        return invitation_view(
            await self._context.db.write_private(
                lambda tx: service.withdraw_invitation(tx, request.user, invitation_id=invitation_id, at_ms=now_ms(tx))
            )
        )
