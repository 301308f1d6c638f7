"""Whether a source was written to while it was read, so that the copy is behind it."""

from __future__ import annotations

from dataclasses import dataclass

from foreknow.platform.db.ids import has_own_ids, last_id
from foreknow.platform.db.transactions import WriteTx
from foreknow.service.tables import metadata
from foreknow.site.feed.copied_order import has_leader


@dataclass(frozen=True, slots=True)
class Moment:
    """The state of a database at one moment, to be compared with a later one."""

    #: SQLite's count of other connections' commits; PostgreSQL's highest ids, which ignore the snapshot.
    state: object
    #: A server was running on it.
    served: bool


def this_moment(tx: WriteTx) -> Moment:
    """Return the state at the start of a snapshot; its first statement."""
    return Moment(_state(tx), has_leader(tx))


def has_passed(tx: WriteTx, moment: Moment) -> bool:
    """Return whether the database was written since then, or a server runs on it. Ends the snapshot."""
    if tx.dialect.name == "sqlite":
        tx.rollback()
    return moment.served or _state(tx) != moment.state


def _state(tx: WriteTx) -> object:
    if tx.dialect.name == "sqlite":
        return tx.exec_driver_sql("PRAGMA data_version").scalar()
    return [last_id(tx, table) for table in metadata.sorted_tables if has_own_ids(table)]
