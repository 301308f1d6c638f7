"""Endpoints of reports, and of muting."""

from __future__ import annotations

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso_or_none
from foreknow.kernel.errors import Forbidden, Muted, RateLimited
from foreknow.kernel.pagination import LIMIT_DEFAULT
from foreknow.market.events.errors import EventNotFound
from foreknow.people.users.authenticator import UserAuthenticator
from foreknow.people.users.errors import InvalidUserId, UserNotFound
from foreknow.site.comments.errors import CommentNotFound
from foreknow.site.comments.routes import COMMENTS
from foreknow.site.moderation import service
from foreknow.site.moderation.errors import InvalidReportId, ReportNotFound
from foreknow.site.moderation.schemas import (
    ClosingBody,
    FiledReport,
    Muting,
    MutingBody,
    ReportBody,
    ReportCase,
    ReportPage,
    WhatWaits,
)
from foreknow.trading.settlement.objections import ObjectionNotFound
from foreknow.web.context import FeatureRoutes, RouteContext
from foreknow.web.endpoint import BodyRequest, PlainRequest, QueryRequest, Request, get, post, put
from foreknow.web.pagination import newest_first
from foreknow.web.params import CURSOR, LIMIT, choice, defaulted, optional, parameters, path_id
from foreknow.web.responses import Response, json_response

OPEN = choice("open", ("true", "false"), "Only what is open, or only what is closed; by default both.")


@parameters
class ReportPath:
    report_id: int = path_id(InvalidReportId)


@parameters
class ReportsQuery:
    open: str | None = optional(OPEN)
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


@parameters
class MutedPath:
    user_id: int = path_id(InvalidUserId)


class ModerationRoutes(FeatureRoutes):
    """Reporting; listing and closing reports; muting users."""

    def __init__(self, context: RouteContext, authenticator: UserAuthenticator) -> None:
        """Answer from `context`; `authenticator` forgets users who are muted."""
        super().__init__(context)
        self._authenticator = authenticator

    @post(
        "/reports",
        AuthLevel.REQUIRED,
        response=FiledReport,
        status=201,
        other_statuses={200: "You have reported it before, and that is still open."},
        bound_options=FeatureRoutes.for_unmuted,
        errors=(Muted, CommentNotFound, EventNotFound, UserNotFound, ObjectionNotFound, RateLimited),
        rate_limit_group=COMMENTS,
        description=f"Operators see who reports what, and why. At most {service.REPORTS_MAX} in 24 hours.",
    )
    async def create_report(self, request: BodyRequest[ReportBody]) -> Response:
        """Report a comment, an event, a user or an objection."""
        body, text = request.body, service.check_text(request.body)
        filing = await self._context.db.write_private(lambda tx: service.file(tx, body, request.user, text=text))
        return json_response(FiledReport(filing.case_id), status=201 if filing.is_new else 200)

    @get("/admin/reports", AuthLevel.OPERATOR)
    async def list_reports(self, request: QueryRequest[ReportsQuery]) -> ReportPage:
        """List what is reported, newest first.

        The open reports of one comment, event, user or objection are one.
        """
        wanted = request.query.open
        is_open = None if wanted is None else wanted == "true"
        found = await newest_first(
            self._context,
            request,
            f"reports:{wanted or ''}",
            lambda tx, before_id, limit: service.page(
                tx, request.user, is_open=is_open, before_id=before_id, limit=limit
            ),
        )
        return ReportPage(list(found.rows), found.next_cursor, found.has_more)

    @get("/admin/waiting", AuthLevel.OPERATOR)
    async def get_waiting(self, _request: PlainRequest) -> WhatWaits:
        """How much waits for operators and admins."""
        return await self._context.db.lookup(service.waiting)

    @post(
        "/admin/reports/{report_id}/close",
        AuthLevel.OPERATOR,
        errors=(ReportNotFound,),
        body_optional=True,
    )
    async def close_report(self, request: Request[ReportPath, None, ClosingBody]) -> ReportCase:
        """Close a report.

        A later report of the same comment, event or user is another one. Closing it again changes nothing.
        """
        note = service.check_note(request.body.note)
        return await self._context.db.write_private(
            lambda tx: service.close(tx, request.path.report_id, request.user, note=note)
        )

    @put("/admin/users/{user_id}/muted", AuthLevel.OPERATOR, errors=(UserNotFound, Forbidden))
    async def mute_user(self, request: Request[MutedPath, None, MutingBody]) -> Muting:
        """Mute a user until a time, or let them write again.

        Who is muted reads and trades, but writes no comments, reactions or reports, makes no events, and keeps name,
        nickname and avatar: 403 `muted`. Operators and admins are muted by admins only.
        """
        user_id, note = request.path.user_id, service.check_note(request.body.note)
        try:
            until_ms = await self._context.db.write_private(
                lambda tx: service.mute(tx, user_id, request.user, request.body, note=note)
            )
        finally:
            # Also after a commit with an unknown outcome: one more query costs nothing.
            self._authenticator.invalidate(user_id=user_id)
        return Muting(iso_or_none(until_ms))
