"""People as GET /admin/users lists them: pages, and one file of all that match."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Coroutine, Sequence
from typing import Any, NamedTuple

import msgspec

from foreknow.money.holds import held_kopecks
from foreknow.money.ledger import AccountKind, balances_kopecks
from foreknow.people.users.profiles import managed_view
from foreknow.people.users.schemas import ManagedUser
from foreknow.people.users.store import Role, UserRow, newest_people, search_people
from foreknow.platform.db.transactions import ReadTx
from foreknow.site.activity.rankings import AllTime, all_time_of

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
