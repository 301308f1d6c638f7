"""Find events by either spelling of ё."""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0098"
down_revision = "0097"

#: How the search key separates the two names, and how long the suffixes in the index are.
_SEPARATOR, _SUFFIX_LETTERS = "\uffff", 16
#: Rows in one statement.
_ROWS_MAX = 500
_events = sa.table("events", sa.column("id", sa.BigInteger()), sa.column("search_key", sa.Text()))
_index = sa.table("event_names_from", sa.column("letters", sa.LargeBinary()), sa.column("event_id", sa.BigInteger()))


def upgrade() -> None:
    """Lead there, an event at a time: on PostgreSQL each is committed, and one that was interrupted is done again."""
    if op.get_context().dialect.name == "sqlite":
        _fold_all()
        return
    with op.get_context().autocommit_block():
        _fold_all()


def _fold_all() -> None:
    connection = op.get_bind()
    with_yo = sa.select(_events).where(_events.c.search_key.contains("ё")).order_by(_events.c.id).limit(_ROWS_MAX)
    while found := connection.execute(with_yo).all():
        for event_id, key in found:
            _fold(connection, event_id, key)


def _fold(connection: sa.Connection, event_id: int, key: str) -> None:
    folded = key.replace("ё", "е")
    new = _suffixes(folded)
    # Those of an attempt that was interrupted, too.
    known = sorted(new | _suffixes(key))
    for start in range(0, len(known), _ROWS_MAX):
        letters = _index.c.letters.in_(known[start : start + _ROWS_MAX])
        connection.execute(_index.delete().where(_index.c.event_id == event_id, letters))
    connection.execute(_index.insert(), [{"letters": letters, "event_id": event_id} for letters in sorted(new)])
    # Last: with it the event is done.
    connection.execute(_events.update().where(_events.c.id == event_id).values(search_key=folded))


def _suffixes(key: str) -> set[bytes]:
    return {
        name[start : start + _SUFFIX_LETTERS].encode() for name in key.split(_SEPARATOR) for start in range(len(name))
    }
