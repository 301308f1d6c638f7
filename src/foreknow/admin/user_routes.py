"""Endpoints of users' administration, the log and the statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from foreknow import admin_log, stats
from foreknow.access.levels import AuthLevel
from foreknow.admin import service
from foreknow.admin.schemas import (
    AdminLog,
    AdminLogEntry,
    Credit,
    CreditOrder,
    IssuedResetLink,
    Stats,
    UserChange,
    Users,
)
from foreknow.admin.statistics import stats_view
from foreknow.admin_log import LogEntry
from foreknow.db.clock import now_ms
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BadRequest, BalanceLimit, InsufficientFunds, InvalidState
from foreknow.ledger import AccountKind, balances_kopecks
from foreknow.users.authenticator import UserAuthenticator
from foreknow.users.errors import InvalidUserId, UserNotFound
from foreknow.users.profiles import managed_view
from foreknow.users.schemas import ManagedUser
from foreknow.users.store import UserRow, newest_people
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import (
    AnyRequest,
    Endpoint,
    PathRequest,
    PlainRequest,
    QueryRequest,
    Request,
    get,
    patch,
    post,
)
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery, parameters, path_id
from foreknow.web.responses import Response


@parameters
class UserPath:
    user_id: int = path_id(InvalidUserId)


class AdminRoutes:
    """People, their roles and credits; what admins did; how the service does."""

    def __init__(
        self, context: RouteContext, authenticator: UserAuthenticator, *, origin_of: Callable[[AnyRequest], str]
    ) -> None:
        """`authenticator` forgets an account whose roles change; `origin_of` gives the site's origin for links."""
        self._context = context
        self._authenticator = authenticator
        self._origin_of = origin_of

    def endpoints(self) -> list[Endpoint]:
        """List the endpoints."""
        return [
            get("/admin/users", self.users, AuthLevel.ADMIN, Users, "All people, newest first"),
            patch(
                "/admin/users/{user_id}",
                self.change_user,
                AuthLevel.ADMIN,
                ManagedUser,
                "Give and take roles, close an account and open it again",
                errors=(UserNotFound,),
                description="An account that is not active has no session and gets none. Its positions are settled.",
            ),
            post(
                "/admin/users/{user_id}/reset-link",
                self.reset_link,
                AuthLevel.ADMIN,
                IssuedResetLink,
                "Make a link that sets a new password",
                errors=(BadRequest, UserNotFound, InvalidState),
                description="It works once, within an hour; a newer one or a new password voids it. Where the site's "
                "address is not set, the link begins with the Host header, which must be host or host:port.",
            ),
            post(
                "/admin/users/{user_id}/credit",
                self.credit,
                AuthLevel.ADMIN,
                Credit,
                "Give a user money, or take it back",
                status=201,
                errors=(UserNotFound, InsufficientFunds, BalanceLimit),
                idempotent=True,
            ),
            get(
                "/admin/log",
                self.log,
                AuthLevel.ADMIN,
                AdminLog,
                "What admins did, newest first",
                description="Whatever was done on the command line stands here too. Entries never change or go away.",
            ),
            get(
                "/admin/stats",
                self.stats,
                AuthLevel.STATS_VIEWER,
                Stats,
                "Figures of the service, in total and by UTC day",
                description="Days without anything are listed too, from the first on which something happened.",
            ),
        ]

    async def users(self, request: QueryRequest[PageQuery]) -> Users:
        """List people with their balances."""
        page = await newest_first(self._context, request, "users", _people)
        return Users(list(page.rows), page.next_cursor, page.has_more)

    async def change_user(self, request: Request[UserPath, None, UserChange]) -> ManagedUser:
        """Change roles or close: what was taken away is refused by this process from the next request on."""
        user_id = request.path.user_id

        def work(tx: WriteTx) -> ManagedUser:
            at_ms = now_ms(tx)
            person = service.change_user(tx, request.user, user_id=user_id, change=request.body, at_ms=at_ms)
            return _with_balances(tx, [person])[0]

        try:
            return await self._context.db.write(work)
        finally:
            # Also after a commit with an unknown outcome: one more query costs nothing.
            self._authenticator.invalidate(user_id=user_id)

    async def reset_link(self, request: PathRequest[UserPath]) -> IssuedResetLink:
        """Make a link for a user who cannot sign in."""
        user_id = request.path.user_id
        # First: a link replaces an older one.
        origin = self._origin_of(request)
        link = await self._context.db.write_private(
            lambda tx: service.issue_reset_link(tx, request.user, user_id=user_id, at_ms=now_ms(tx)),
        )
        return IssuedResetLink(link.url(origin), iso(link.expires_at_ms))

    async def credit(self, request: Request[UserPath, None, CreditOrder]) -> Response:
        """Give or take money."""
        body = request.body
        return await self._context.run_idempotent(
            request.idempotency_key,
            lambda tx: service.credit(
                tx,
                request.user,
                user_id=request.path.user_id,
                amount_kopecks=body.amount_kopecks,
                note=body.note,
                at_ms=now_ms(tx),
            ),
            status=201,
        )

    async def log(self, request: QueryRequest[PageQuery]) -> AdminLog:
        """List the log."""
        page = await newest_first(self._context, request, "admin_log", _entries)
        return AdminLog([_entry(row) for row in page.rows], page.next_cursor, page.has_more)

    async def stats(self, _request: PlainRequest) -> Stats:
        """Show the figures."""
        days = await self._context.db.read(stats.daily_stats)
        return stats_view(days, now_ms=self._context.clock())


def _people(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[ManagedUser]:
    return _with_balances(tx, newest_people(tx, before_id=before_id, limit=limit))


def _with_balances(tx: ReadTx, people: Sequence[UserRow]) -> list[ManagedUser]:
    balances = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=[person.id for person in people])
    return [managed_view(person, balances[person.id]) for person in people]


def _entries(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[LogEntry]:
    return admin_log.newest_entries(tx, before_id=before_id, limit=limit)


def _entry(row: LogEntry) -> AdminLogEntry:
    return AdminLogEntry(row.id, row.who, row.action, row.target, row.details, iso(row.created_at_ms))
