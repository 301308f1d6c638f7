"""Endpoints of users' administration, the log and the statistics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import msgspec

from foreknow import admin_log
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
from foreknow.admin.statistics import read_stats
from foreknow.admin_log import LogEntry
from foreknow.db.clock import now_ms
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BadRequest, BalanceLimit, InsufficientFunds, InvalidState
from foreknow.kernel.pagination import Slice
from foreknow.ledger import AccountKind, balances_kopecks
from foreknow.portfolio.schemas import TransactionPage
from foreknow.portfolio.transactions import TransactionRow, transaction_view, transactions_page
from foreknow.users.authenticator import UserAuthenticator
from foreknow.users.errors import InvalidUserId, UserNotFound
from foreknow.users.profiles import managed_view
from foreknow.users.schemas import ManagedUser
from foreknow.users.store import SEARCHED_MAX, Role, UserRow, newest_people, person, search_people
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import (
    AnyRequest,
    Endpoint,
    PathRequest,
    QueryRequest,
    Request,
    get,
    patch,
    post,
)
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery, Param, choice, optional, parameters, path_id, whole_number
from foreknow.web.responses import Response

_encode = msgspec.json.Encoder().encode
PART = Param("q", str, {"type": "string"}, "A part of name, e-mail or nickname, without regard to case, or the id.")
ROLE: Param[Role] = choice("role", ("creator", "admin", "stats_viewer", "operator"), "Only people with this role.")
ACTION = Param("action", str, {"type": "string"}, "Only entries of this action, such as user.credit.")
TARGET = Param("target", str, {"type": "string"}, "Only entries on this target, such as user:42.")
DAYS = whole_number("days", "Only the last days, today included; without it all.", most=366)


@parameters
class UserPath:
    user_id: int = path_id(InvalidUserId)


@parameters
class UsersQuery(PageQuery):
    q: str | None = optional(PART)
    role: Role | None = optional(ROLE)


@parameters
class LogQuery(PageQuery):
    action: str | None = optional(ACTION)
    target: str | None = optional(TARGET)


@parameters
class StatsQuery:
    days: int | None = optional(DAYS)


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
        return [*self._of_users(), *self._of_log_and_stats()]

    def _of_users(self) -> list[Endpoint]:
        return [
            get(
                "/admin/users",
                self.users,
                AuthLevel.ADMIN,
                Users,
                "All people, newest first",
                operation_id="list_users",
                description=f"With `q` or `role`, a page ends early once it has looked at {SEARCHED_MAX} people: "
                "`has_more` tells.",
            ),
            patch(
                "/admin/users/{user_id}",
                self.change_user,
                AuthLevel.ADMIN,
                ManagedUser,
                "Give and take roles, close an account and open it again",
                operation_id="update_user",
                errors=(UserNotFound,),
                description="An account that is not active has no session and gets none. Its positions are settled.",
            ),
            post(
                "/admin/users/{user_id}/reset-link",
                self.reset_link,
                AuthLevel.ADMIN,
                IssuedResetLink,
                "Make a link that sets a new password",
                operation_id="create_reset_link",
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
                operation_id="credit_user",
                status=201,
                errors=(UserNotFound, InsufficientFunds, BalanceLimit),
                idempotent=True,
            ),
            get(
                "/admin/users/{user_id}/transactions",
                self.transactions,
                AuthLevel.ADMIN,
                TransactionPage,
                "Every movement of a user's money",
                operation_id="list_user_transactions",
                errors=(UserNotFound,),
                description="As the user sees them: newest first, and together the balance.",
            ),
        ]

    def _of_log_and_stats(self) -> list[Endpoint]:
        return [
            get(
                "/admin/log",
                self.log,
                AuthLevel.ADMIN,
                AdminLog,
                "What admins did, newest first",
                operation_id="list_admin_log",
                description="Whatever was done on the command line stands here too. Entries never change or go away.",
            ),
            get(
                "/admin/stats",
                self.stats,
                AuthLevel.STATS_VIEWER,
                Stats,
                "Figures of the service, in total and by UTC day",
                operation_id="get_stats",
                description="Days without anything are listed too, from the first on which something happened.",
            ),
        ]

    async def users(self, request: QueryRequest[UsersQuery]) -> Users:
        """List people with their balances."""
        if request.query.q is not None or request.query.role is not None:
            return await self._search(request)
        page = await newest_first(self._context, request, "users", _people)
        return Users(list(page.rows), page.next_cursor, page.has_more)

    async def _search(self, request: QueryRequest[UsersQuery]) -> Users:
        query, context = request.query, self._context
        # The role first: it has no colon.
        binding = f"users:{query.role or ''}:{request.user.scope}:{query.q or ''}"
        before_id = None if query.cursor is None else context.cursors.decode(query.cursor, binding=binding)[0]
        assert before_id is None or isinstance(before_id, int)

        def read(tx: ReadTx) -> tuple[list[ManagedUser], int | None]:
            found = search_people(tx, part=query.q, role=query.role, before_id=before_id, limit=query.limit)
            return _with_balances(tx, found.rows), found.before_id

        people, next_id = await context.db.read(read)
        cursor = None if next_id is None else context.cursors.encode((next_id,), binding=binding)
        return Users(people, cursor, cursor is not None)

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

    async def transactions(self, request: Request[UserPath, PageQuery, None]) -> TransactionPage:
        """List the movements of a user's money."""
        user_id, limit, cursor = request.path.user_id, request.query.limit, request.query.cursor

        def read(tx: ReadTx) -> Slice[TransactionRow]:
            person(tx, user_id)
            return transactions_page(tx, user_id, self._context.cursors, limit=limit, cursor=cursor)

        page = await self._context.db.lookup(read)
        return TransactionPage([transaction_view(row) for row in page.rows], page.next_cursor, page.has_more)

    async def log(self, request: QueryRequest[LogQuery]) -> AdminLog:
        """List the log."""
        action, target = request.query.action, request.query.target
        page = await newest_first(
            self._context,
            request,
            f"admin_log:{_encode([action, target]).decode()}",
            partial(_entries, action, target),
        )
        return AdminLog([_entry(row) for row in page.rows], page.next_cursor, page.has_more)

    async def stats(self, request: QueryRequest[StatsQuery]) -> Stats:
        """Show the figures."""
        now_ms, count = self._context.clock(), request.query.days
        return await self._context.db.read(lambda tx: read_stats(tx, now_ms=now_ms, count=count))


def _people(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[ManagedUser]:
    return _with_balances(tx, newest_people(tx, before_id=before_id, limit=limit))


def _with_balances(tx: ReadTx, people: Sequence[UserRow]) -> list[ManagedUser]:
    balances = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=[person.id for person in people])
    return [managed_view(person, balances[person.id]) for person in people]


def _entries(
    action: str | None, target: str | None, tx: ReadTx, before_id: int | None, limit: int
) -> Sequence[LogEntry]:
    return admin_log.newest_entries(tx, action=action, target=target, before_id=before_id, limit=limit)


def _entry(row: LogEntry) -> AdminLogEntry:
    return AdminLogEntry(row.id, row.who, row.action, row.target, row.details, iso(row.created_at_ms))
