"""A partner's statement as JSON pages or as CSV, filtered: for the partner itself and for admins."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import msgspec

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.pagination import LIMIT_DEFAULT, Slice
from foreknow.money import statements
from foreknow.money.statements import StatementFilter, StatementPlace, StatementRow, StatementType
from foreknow.money.statements.filters import TYPES
from foreknow.people.users.sub_accounts import find_sub_accounts
from foreknow.platform.db.transactions import ReadTx
from foreknow.trading.partner.routes import external_user
from foreknow.trading.statement.lines import (
    PartnerLine,
    PartnerTransaction,
    PartnerTransactionPage,
    detailed,
    newest_lines,
    transaction_view,
)
from foreknow.web.context import FeatureRoutes, RouteContext
from foreknow.web.downloads import CsvDownload, csv_lines, prefers_csv
from foreknow.web.endpoint import QueryRequest, Request, get
from foreknow.web.pagination import newest_first
from foreknow.web.params import CURSOR, LIMIT, Param, choice, defaulted, moment_ms, optional, parameters

#: Lines read and sent at a time: some 100 kB.
PIECE_LINES = 1_000
COLUMNS = PartnerTransaction.__struct_fields__
CSV_EXAMPLE = (
    ",".join(COLUMNS) + "\r\n"
    "8,settlement,customer-17,9,yes,1650,,,,,0,1650,2026-03-08T20:30:00.000Z\r\n"
    "7,bet,customer-17,9,yes,1538,101,,,,-1000,0,2026-03-01T18:00:00.000Z\r\n"
)
DESCRIPTION = (
    "With `Accept: text/csv` all lines that the filters show, as one file: the same fields, empty for null, a header "
    "row first; `limit` and `cursor` do not apply. A text that a spreadsheet would run as a formula has an apostrophe "
    "before it."
)

_encode = msgspec.json.Encoder().encode
TYPE: Param[StatementType] = choice("type", TYPES, "Only lines of this type.")
EXTERNAL_USER_ID = external_user("Only lines of this user of the partner's.")
FROM = moment_ms("from", "Only lines of this time and later.")
TO = moment_ms("to", "Only lines before this time.")


@parameters
class StatementQuery:
    type: StatementType | None = optional(TYPE)
    external_user_id: str | None = optional(EXTERNAL_USER_ID)
    from_ms: int | None = optional(FROM)
    to_ms: int | None = optional(TO)
    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)


class StatementRoutes(FeatureRoutes):
    """A partner's own statement."""

    @get(
        "/partner/transactions",
        AuthLevel.PARTNER,
        csv=CSV_EXAMPLE,
        description=f"From the first one on, the changes add up to the float and to the users' balances. {DESCRIPTION}",
    )
    async def list_statement(self, request: QueryRequest[StatementQuery]) -> PartnerTransactionPage | CsvDownload:
        """Every movement of your money, newest first."""
        partner_id = request.partner.partner_id
        return await statement(self._context, request, "partner_transactions", lambda _tx: partner_id)


#: Returns the id of the partner whose statement it is.
FindPartner = Callable[[ReadTx], int]


async def statement(
    context: RouteContext, request: Request[Any, StatementQuery, None], list_name: str, find_partner: FindPartner
) -> PartnerTransactionPage | CsvDownload:
    """Answer with a page of a statement, or with all of it as CSV; raises what `find_partner` does, `InvalidCursor`."""
    query = request.query
    if query.from_ms is not None and query.to_ms is not None and query.from_ms > query.to_ms:
        raise BadRequest("from is later than to.")
    which = StatementFilter(
        type=query.type, external_user_id=query.external_user_id, from_ms=query.from_ms, to_ms=query.to_ms
    )
    if prefers_csv(request.headers.get(b"accept")):
        return await _csv(context, which, find_partner)
    if not which.shows_all:
        return await _filtered(context, request, list_name, which, find_partner)

    def read(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[PartnerLine]:
        return newest_lines(tx, partner_id=find_partner(tx), before_id=before_id, limit=limit)

    return _page(await newest_first(context, request, list_name, read))


async def _filtered(
    context: RouteContext,
    request: Request[Any, StatementQuery, None],
    list_name: str,
    which: StatementFilter,
    find_partner: FindPartner,
) -> PartnerTransactionPage:
    assert request.caller is not None
    limit, cursor = request.query.limit, request.query.cursor
    filters = _encode([which.type, which.external_user_id, which.from_ms, which.to_ms]).decode()
    binding = f"{list_name}:{filters}:{request.caller.scope}"
    before: StatementPlace | None = None
    if cursor is not None:
        at_ms, line_id = context.cursors.decode(cursor, binding=binding)
        assert isinstance(at_ms, int)
        assert isinstance(line_id, int)
        before = StatementPlace(at_ms, line_id)
    rows = await context.db.lookup(lambda tx: _lines(tx, which, find_partner(tx), before=before, limit=limit + 1))
    return _page(context.cursors.slice(rows, limit=limit, binding=binding, position=_place_of))


def _page(found: Slice[PartnerLine]) -> PartnerTransactionPage:
    return PartnerTransactionPage([transaction_view(line) for line in found.rows], found.next_cursor, found.has_more)


async def _csv(context: RouteContext, which: StatementFilter, find_partner: FindPartner) -> CsvDownload:
    async def piece(before: StatementPlace | None) -> list[PartnerLine]:
        return await context.db.read(lambda tx: _lines(tx, which, find_partner(tx), before=before, limit=PIECE_LINES))

    async def rest(lines: list[PartnerLine]) -> AsyncIterator[bytes]:
        while len(lines) == PIECE_LINES:
            lines = await piece(_place_of(lines[-1]))
            yield _encoded(lines)

    first = await piece(None)
    return CsvDownload("transactions.csv", csv_lines([COLUMNS]) + _encoded(first), rest(first))


def _lines(
    tx: ReadTx, which: StatementFilter, partner_id: int, *, before: StatementPlace | None, limit: int
) -> list[PartnerLine]:
    if which.shows_all:
        return newest_lines(tx, partner_id=partner_id, before_id=None if before is None else before.id, limit=limit)
    return detailed(tx, _rows(tx, which, partner_id, before=before, limit=limit))


def _place_of(line: PartnerLine) -> StatementPlace:
    return statements.place_of(line.row)


def _rows(
    tx: ReadTx, which: StatementFilter, partner_id: int, *, before: StatementPlace | None, limit: int
) -> list[StatementRow]:
    user_id: int | None = None
    if which.external_user_id is not None:
        name = (partner_id, which.external_user_id)
        user = find_sub_accounts(tx, [name]).get(name)
        if user is None:
            return []
        user_id = user.user_id
    return statements.filtered_page(tx, which, partner_id=partner_id, user_id=user_id, before=before, limit=limit)


def _encoded(lines: Sequence[PartnerLine]) -> bytes:
    return csv_lines(msgspec.structs.astuple(transaction_view(line)) for line in lines)
