"""Endpoints of users' administration (pages of people, and one file of all that match), the log and statistics."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from functools import partial
from typing import Any, NamedTuple

import msgspec

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.clock import iso
from foreknow.kernel.errors import BalanceLimit, InsufficientFunds, InvalidState, RateLimited
from foreknow.kernel.pagination import Slice
from foreknow.money.holds import held_kopecks
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.people import admin_log
from foreknow.people.admin_log import LogEntry
from foreknow.people.users.authenticator import UserAuthenticator
from foreknow.people.users.errors import (
    InvalidUserId,
    InvitingClosed,
    NicknameTaken,
    NoEmail,
    PasswordOff,
    UserNotFound,
)
from foreknow.people.users.profiles import managed_view
from foreknow.people.users.schemas import ManagedUser
from foreknow.people.users.store import SEARCHED_MAX, Role, UserRow, account, newest_people, search_people
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.activity.rankings import AllTime, all_time_of
from foreknow.site.admin import service
from foreknow.site.admin.member_schemas import MEMBERS_BYTES_MAX, MemberList, MemberResults
from foreknow.site.admin.members import MemberInvitations
from foreknow.site.admin.schemas import (
    AdminLogEntry,
    AdminLogPage,
    Credit,
    CreditOrder,
    IssuedResetLink,
    Stats,
    UserChange,
    UserPage,
)
from foreknow.site.admin.statistics import StatsHistory, read_stats
from foreknow.site.portfolio.schemas import TransactionPage
from foreknow.site.portfolio.transactions import TransactionRow, transaction_view, transactions_page
from foreknow.web.context import RouteContext
from foreknow.web.downloads import CsvDownload, csv_lines, prefers_csv
from foreknow.web.endpoint import (
    BodyRequest,
    PathRequest,
    QueryRequest,
    Request,
    get,
    patch,
    post,
)
from foreknow.web.pagination import newest_first
from foreknow.web.params import PageQuery, Param, choice, optional, parameters, path_id, whole_number
from foreknow.web.responses import Response, json_response

#: People read and sent at a time: some 100 kB.
PIECE_PEOPLE = 500
COLUMNS = (*ManagedUser.__struct_fields__, *AllTime._fields)

Cells = Sequence[str | int | None]


class PeoplePiece(NamedTuple):
    """Some people as rows of the file, and the id under which it goes on; None at the end."""

    rows: Sequence[Cells]
    before_id: int | None


def with_balances(tx: ReadTx, people: Sequence[UserRow]) -> list[ManagedUser]:
    """Return people as admins see them."""
    ids = [person.id for person in people]
    balances, held = balances_kopecks(tx, kind=AccountKind.USER, owner_ids=ids), held_kopecks(tx, ids)
    return [
        managed_view(person, balance_kopecks=balances[person.id], held_kopecks=held[person.id]) for person in people
    ]


def people_piece(tx: ReadTx, *, part: str | None, role: Role | None, before_id: int | None) -> PeoplePiece:
    """Return the newest people that match, those with ids under `before_id` where that is given."""
    if part is None and role is None:
        people = newest_people(tx, before_id=before_id, limit=PIECE_PEOPLE)
        next_id = people[-1].id if len(people) == PIECE_PEOPLE else None
    else:
        found = search_people(tx, part=part, role=role, before_id=before_id, limit=PIECE_PEOPLE)
        people, next_id = found.rows, found.before_id
    sums = all_time_of(tx, [person.id for person in people])
    shown = with_balances(tx, people)
    return PeoplePiece([_cells(person, sums.get(person.id, AllTime(0, 0))) for person in shown], next_id)


async def later_pieces(
    first: PeoplePiece, read: Callable[[int], Coroutine[Any, Any, PeoplePiece]]
) -> AsyncIterator[Sequence[Cells]]:
    """Read the pieces after the first one until the end."""
    piece = first
    while piece.before_id is not None:
        piece = await read(piece.before_id)
        yield piece.rows


def _cells(person: ManagedUser, sums: AllTime) -> Cells:
    # As JSON spells them.
    values = (str(value).lower() if isinstance(value, bool) else value for value in msgspec.structs.astuple(person))
    return (*values, *sums)


CSV_EXAMPLE = (
    ",".join(COLUMNS) + "\r\n"
    "42,ann@example.org,Ann,ann,,false,false,false,false,false,99000,2026-03-01T18:00:00.000Z,true,false,,en,UTC,,true,true,"
    "12,628\r\n"
)
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
        self, context: RouteContext, authenticator: UserAuthenticator, members: MemberInvitations, *, public_url: str
    ) -> None:
        """`authenticator` forgets an account whose roles change; links begin with `public_url`, "" where not set."""
        self._context = context
        self._authenticator = authenticator
        self._members = members
        self._public_url = public_url
        self._history = StatsHistory()

    @post(
        "/admin/members",
        AuthLevel.ADMIN,
        errors=(NoEmail, InvitingClosed, RateLimited),
        body_bytes=MEMBERS_BYTES_MAX,
    )
    async def invite_members(self, request: BodyRequest[MemberList]) -> MemberResults:
        """Invite people by mail.

        Each gets an invitation of one use for their address alone, good for 30 days, which verifies it. A newer one
        withdraws the older. A site invites at most 2,000 people in a UTC day. Sent again after it was broken off, a
        list goes on: who was invited in the last 7 days is `waiting`.
        """
        return MemberResults(await self._members.invite(request.user, request.body))

    @get(
        "/admin/users",
        AuthLevel.ADMIN,
        csv=CSV_EXAMPLE,
        description=f"With `q` or `role`, a page ends early once it has looked at {SEARCHED_MAX} people: "
        "`has_more` tells. With `Accept: text/csv` all that match, as one file: the same fields, and `trades` and "
        "`realized_kopecks` of all time; a header row first; `limit` and `cursor` do not apply.",
    )
    async def list_users(self, request: QueryRequest[UsersQuery]) -> UserPage | CsvDownload:
        """All people, newest first."""
        if prefers_csv(request.headers.get(b"accept")):
            return await self._csv(request.query)
        if request.query.q is not None or request.query.role is not None:
            return await self._search(request)
        page = await newest_first(self._context, request, "users", _people)
        return UserPage(list(page.rows), page.next_cursor, page.has_more)

    async def _csv(self, query: UsersQuery) -> CsvDownload:
        async def piece(before_id: int | None) -> PeoplePiece:
            return await self._context.db.read(
                lambda tx: people_piece(tx, part=query.q, role=query.role, before_id=before_id)
            )

        async def rest(first: PeoplePiece) -> AsyncIterator[bytes]:
            async for rows in later_pieces(first, piece):
                yield csv_lines(rows)

        first = await piece(None)
        return CsvDownload("users.csv", csv_lines([COLUMNS, *first.rows]), rest(first))

    async def _search(self, request: QueryRequest[UsersQuery]) -> UserPage:
        query, context = request.query, self._context
        # The role first: it has no colon.
        binding = f"users:{query.role or ''}:{request.user.scope}:{query.q or ''}"
        before_id = None if query.cursor is None else context.cursors.decode(query.cursor, binding=binding)[0]
        assert before_id is None or isinstance(before_id, int)

        def read(tx: ReadTx) -> tuple[list[ManagedUser], int | None]:
            found = search_people(tx, part=query.q, role=query.role, before_id=before_id, limit=query.limit)
            return with_balances(tx, found.rows), found.before_id

        people, next_id = await context.db.read(read)
        cursor = None if next_id is None else context.cursors.encode((next_id,), binding=binding)
        return UserPage(people, cursor, cursor is not None)

    @patch("/admin/users/{user_id}", AuthLevel.ADMIN, errors=(UserNotFound, NicknameTaken))
    async def update_user(self, request: Request[UserPath, None, UserChange]) -> ManagedUser:
        """Give and take roles, correct a profile, close an account and open it again.

        An account that is not active has no session and gets none. Its positions are settled.
        """
        user_id = request.path.user_id

        def work(tx: WriteTx) -> ManagedUser:
            at_ms = now_ms(tx)
            person = service.change_user(tx, request.user, user_id=user_id, change=request.body, at_ms=at_ms)
            return with_balances(tx, [person])[0]

        try:
            return await self._context.db.write(work)
        finally:
            # Also after a commit with an unknown outcome: one more query costs nothing.
            self._authenticator.invalidate(user_id=user_id)

    @post("/admin/users/{user_id}/reset-link", AuthLevel.ADMIN, errors=(UserNotFound, InvalidState, PasswordOff))
    async def create_reset_link(self, request: PathRequest[UserPath]) -> IssuedResetLink:
        """Make a link that sets a new password.

        It works once, within an hour; a newer one or a new password voids it. Where the site's address is not set, the
        link begins with `/`: complete it with the address at which people reach the site.
        """
        user_id = request.path.user_id
        link = await self._context.db.write_private(
            lambda tx: service.issue_reset_link(
                tx, request.user, user_id=user_id, at_ms=now_ms(tx), terms=self._context.terms
            )
        )
        return IssuedResetLink(link.url(self._public_url), iso(link.expires_at_ms))

    @post(
        "/admin/users/{user_id}/credit",
        AuthLevel.ADMIN,
        response=Credit,
        status=201,
        errors=(UserNotFound, InsufficientFunds, BalanceLimit),
        idempotent=True,
    )
    async def credit_user(self, request: Request[UserPath, None, CreditOrder]) -> Response:
        """Give a user money, or take it back."""
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

    @get("/admin/users/{user_id}/transactions", AuthLevel.ADMIN, errors=(UserNotFound,))
    async def list_user_transactions(self, request: Request[UserPath, PageQuery, None]) -> TransactionPage:
        """Every movement of a user's money.

        As the user sees them: newest first, and together the balance.
        """
        user_id, limit, cursor = request.path.user_id, request.query.limit, request.query.cursor

        def read(tx: ReadTx) -> Slice[TransactionRow]:
            account(tx, user_id)
            return transactions_page(tx, user_id, self._context.cursors, limit=limit, cursor=cursor)

        page = await self._context.db.lookup(read)
        return TransactionPage([transaction_view(row) for row in page.rows], page.next_cursor, page.has_more)

    @get("/admin/log", AuthLevel.ADMIN)
    async def list_admin_log(self, request: QueryRequest[LogQuery]) -> AdminLogPage:
        """What admins did, newest first.

        Whatever was done on the command line stands here too. Entries never change or go away.
        """
        action, target = request.query.action, request.query.target
        page = await newest_first(
            self._context,
            request,
            f"admin_log:{_encode([action, target]).decode()}",
            partial(_entries, action, target),
        )
        return AdminLogPage([_entry(row) for row in page.rows], page.next_cursor, page.has_more)

    @get("/admin/stats", AuthLevel.STATS_VIEWER, response=Stats)
    async def get_stats(self, request: QueryRequest[StatsQuery]) -> Response:
        """Figures of the service, in total and by UTC day.

        Days without anything are listed too, from the first on which something happened.
        """
        now_ms, count = self._context.clock(), request.query.days
        db = self._context.db
        if count is None:
            return Response(await db.read(lambda tx: self._history.encoded(tx, now_ms=now_ms)))
        return json_response(await db.read(lambda tx: read_stats(tx, now_ms=now_ms, count=count)))


def _people(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[ManagedUser]:
    return with_balances(tx, newest_people(tx, before_id=before_id, limit=limit))


def _entries(
    action: str | None, target: str | None, tx: ReadTx, before_id: int | None, limit: int
) -> Sequence[LogEntry]:
    return admin_log.newest_entries(tx, action=action, target=target, before_id=before_id, limit=limit)


def _entry(row: LogEntry) -> AdminLogEntry:
    return AdminLogEntry(row.id, row.who, row.action, row.target, row.details, iso(row.created_at_ms))
