"""A partner's statement as JSON pages or as CSV, filtered: for the partner itself and for admins."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any

import msgspec

from foreknow import statements
from foreknow.db.transactions import ReadTx
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.pagination import LIMIT_DEFAULT
from foreknow.kernel.units import INT64_MAX
from foreknow.partner.external_ids import LENGTH_MAX, InvalidExternalUserId, read_external_user_id
from foreknow.partner.schemas import PartnerTransaction, PartnerTransactions, transaction_view
from foreknow.statements import Place, StatementFilter, StatementRow, StatementType
from foreknow.statements.filters import TYPES
from foreknow.users.sub_accounts import find_sub_accounts
from foreknow.web.context import RouteContext
from foreknow.web.downloads import CsvDownload, csv_lines, prefers_csv
from foreknow.web.endpoint import Request
from foreknow.web.pagination import newest_first
from foreknow.web.params import CURSOR, LIMIT, Param, choice, defaulted, moment_ms, optional, parameters

#: Lines read and sent at a time: some 100 kB.
PIECE_LINES = 1_000
COLUMNS = PartnerTransaction.__struct_fields__
CSV_EXAMPLE = (
    ",".join(COLUMNS) + "\r\n"
    "8,settlement,customer-17,9,,,0,1650,2026-03-08T20:30:00.000Z\r\n"
    "7,bet,customer-17,9,101,,-1000,0,2026-03-01T18:00:00.000Z\r\n"
)
DESCRIPTION = (
    "With `Accept: text/csv` all lines that the filters show, as one file: the same fields, empty for null, a header "
    "row first; `limit` and `cursor` do not apply. A text that a spreadsheet would run as a formula has an apostrophe "
    "before it."
)

_encode = msgspec.json.Encoder().encode
TYPE: Param[StatementType] = choice("type", TYPES, "Only lines of this type.")
EXTERNAL_USER_ID = Param(
    "external_user_id",
    read_external_user_id,
    {"type": "string", "minLength": 1, "maxLength": LENGTH_MAX, "examples": ["customer-17"]},
    "Only lines of this user of the partner's.",
    InvalidExternalUserId,
)
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


#: Returns the id of the partner whose statement it is.
FindPartner = Callable[[ReadTx], int]


async def statement(
    context: RouteContext, request: Request[Any, StatementQuery, None], list_name: str, find_partner: FindPartner
) -> PartnerTransactions | CsvDownload:
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

    def read(tx: ReadTx, before_id: int | None, limit: int) -> Sequence[StatementRow]:
        return statements.page(tx, partner_id=find_partner(tx), before_id=before_id, limit=limit)

    page = await newest_first(context, request, list_name, read)
    return PartnerTransactions([transaction_view(row) for row in page.rows], page.next_cursor, page.has_more)


async def _filtered(
    context: RouteContext,
    request: Request[Any, StatementQuery, None],
    list_name: str,
    which: StatementFilter,
    find_partner: FindPartner,
) -> PartnerTransactions:
    assert request.caller is not None
    limit, cursor = request.query.limit, request.query.cursor
    filters = _encode([which.type, which.external_user_id, which.from_ms, which.to_ms]).decode()
    binding = f"{list_name}:{filters}:{request.caller.scope}"
    before: Place | None = None
    if cursor is not None:
        at_ms, line_id = context.cursors.decode(cursor, binding=binding)
        assert isinstance(at_ms, int)
        assert isinstance(line_id, int)
        before = Place(at_ms, line_id)
    rows = await context.db.lookup(lambda tx: _lines(tx, which, find_partner(tx), before=before, limit=limit + 1))
    page = context.cursors.slice(rows, limit=limit, binding=binding, position=statements.place_of)
    return PartnerTransactions([transaction_view(row) for row in page.rows], page.next_cursor, page.has_more)


async def _csv(context: RouteContext, which: StatementFilter, find_partner: FindPartner) -> CsvDownload:
    async def piece(before: Place | None) -> list[StatementRow]:
        return await context.db.read(lambda tx: _lines(tx, which, find_partner(tx), before=before, limit=PIECE_LINES))

    async def rest(rows: list[StatementRow]) -> AsyncIterator[bytes]:
        while len(rows) == PIECE_LINES:
            rows = await piece(statements.place_of(rows[-1]))
            yield _encoded(rows)

    first = await piece(None)
    return CsvDownload("transactions.csv", csv_lines([COLUMNS]) + _encoded(first), rest(first))


def _lines(
    tx: ReadTx, which: StatementFilter, partner_id: int, *, before: Place | None, limit: int
) -> list[StatementRow]:
    if which.shows_all:
        return statements.page(
            tx, partner_id=partner_id, before_id=INT64_MAX if before is None else before.id, limit=limit
        )
    user_id: int | None = None
    if which.external_user_id is not None:
        name = (partner_id, which.external_user_id)
        user = find_sub_accounts(tx, [name]).get(name)
        if user is None:
            return []
        user_id = user.user_id
    return statements.filtered_page(tx, which, partner_id=partner_id, user_id=user_id, before=before, limit=limit)


def _encoded(rows: Sequence[StatementRow]) -> bytes:
    return csv_lines(msgspec.structs.astuple(transaction_view(row)) for row in rows)
