"""Finding events by a part of a name, in about the same time among ten events and a million.

Every name is indexed from each of its letters on: "cup" as "cup", "up" and "p". A part of a name is then what one of
these begins with, so that an index of any database finds it, in every script and exactly, without an extension. They
are kept as UTF-8 bytes, whose order does not depend on how a database sorts text, and cut after `KEPT_LETTERS`.
"""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.events.tables import event_names_from, events
from foreknow.kernel.text import fold

#: Longer parts are looked for by their first letters; few names that have these in common have not the rest.
KEPT_LETTERS = 16
#: Between the two names in the search key: a code point that Unicode keeps out of text.
_NAMES_APART = "\uffff"
#: In UTF-8 no byte is as high.
_ABOVE = b"\xff"


def search_key(name: str, name_ru: str) -> str:
    """Return both names without regard to case, as the search looks into them."""
    return fold(name) + _NAMES_APART + fold(name_ru)


def beginnings(key: str) -> set[bytes]:
    """Return what the index holds for an event with this search key."""
    return {
        name[place : place + KEPT_LETTERS].encode() for name in key.split(_NAMES_APART) for place in range(len(name))
    }


def index_event(tx: WriteTx, event_id: int, key: str) -> None:
    """Let an event with this search key be found."""
    rows = [{"letters": letters, "event_id": event_id} for letters in sorted(beginnings(key))]
    if rows:
        tx.execute(event_names_from.insert(), rows)


def find_few(tx: ReadTx, part: str, *, most: int) -> Collection[int] | None:
    """Return the events whose names may hold `part` (folded, not empty); None where the index has over `most`."""
    first = part[:KEPT_LETTERS].encode()
    letters = event_names_from.c.letters
    query = sa.select(event_names_from.c.event_id).where(letters >= first, letters < first + _ABOVE).limit(most + 1)
    found = tx.execute(query).scalars().all()
    # One event may be there several times.
    return None if len(found) > most else set(found)


def holds(part: str) -> sa.ColumnElement[bool]:
    """Return the condition that one of an event's names has `part` (folded) in it."""
    return events.c.search_key.contains(part, autoescape=True)
