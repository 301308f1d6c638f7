"""Search of events by a part of a name, about as fast with ten events as with a million.

The index holds every suffix of every name ("cup", "up", "p"), and a part of a name is a prefix of one of them: an
ordinary index of any database finds it, in every script. Suffixes are UTF-8 bytes, whose order does not depend on the
collation, cut to `SUFFIX_LETTERS_MAX` letters.
"""

from __future__ import annotations

from collections.abc import Collection

import sqlalchemy as sa

from foreknow.kernel.chunks import chunks
from foreknow.kernel.text import search_fold
from foreknow.market.events.tables import event_names_from, events
from foreknow.platform.db.changes import insert_rows
from foreknow.platform.db.transactions import ReadTx, WriteTx

#: Longer parts are looked up by their first letters; few names share these without the rest.
SUFFIX_LETTERS_MAX = 16
#: Separates the two names in the search key: a noncharacter, which no text contains.
_NAME_SEPARATOR = "\uffff"
#: Above every UTF-8 byte.
_ABOVE = b"\xff"


def search_key(name: str, name_ru: str) -> str:
    """Return both names folded."""
    return search_fold(name) + _NAME_SEPARATOR + search_fold(name_ru)


def name_suffixes(key: str) -> set[bytes]:
    """Return the index entries of an event with this search key."""
    return {
        name[start : start + SUFFIX_LETTERS_MAX].encode()
        for name in key.split(_NAME_SEPARATOR)
        for start in range(len(name))
    }


def index_event(tx: WriteTx, event_id: int, key: str) -> None:
    """Add an event with this search key to the index."""
    _insert(tx, event_id, name_suffixes(key))


def reindex_event(tx: WriteTx, event_id: int, *, old_key: str, new_key: str) -> None:
    """Change the entries of an event in the index."""
    old, new = name_suffixes(old_key), name_suffixes(new_key)
    letters = event_names_from.c.letters
    for chunk in chunks(sorted(old - new)):
        tx.execute(event_names_from.delete().where(event_names_from.c.event_id == event_id, letters.in_(chunk)))
    _insert(tx, event_id, new - old)


def _insert(tx: WriteTx, event_id: int, suffixes: Collection[bytes]) -> None:
    insert_rows(tx, event_names_from, ("letters", "event_id"), [(letters, event_id) for letters in sorted(suffixes)])


def find_candidates(tx: ReadTx, part: str, *, limit: int) -> Collection[int] | None:
    """Return the events whose names may contain `part` (folded, not empty); None for more than `limit` entries."""
    first = part[:SUFFIX_LETTERS_MAX].encode()
    letters = event_names_from.c.letters
    query = sa.select(event_names_from.c.event_id).where(letters >= first, letters < first + _ABOVE).limit(limit + 1)
    found = tx.execute(query).scalars().all()
    # One event may have several entries.
    return None if len(found) > limit else set(found)


def name_contains(part: str) -> sa.ColumnElement[bool]:
    """Return the condition that one of an event's names contains `part` (folded)."""
    return events.c.search_key.contains(part, autoescape=True)
