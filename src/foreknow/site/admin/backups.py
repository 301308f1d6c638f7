"""When the newest backup was finished: of this database, or of the one that it was restored from."""

from __future__ import annotations

import sqlalchemy as sa

from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.admin.tables import newest_backup

_ROW_ID = 1


def newest_backup_at_ms(tx: ReadTx) -> int | None:
    """Return when the newest backup was finished; None for none."""
    found = tx.execute(sa.select(newest_backup.c.finished_at_ms)).scalar()
    return None if found is None else int(found)


def note_backup(tx: WriteTx, *, at_ms: int) -> None:
    """Note that a backup is finished."""
    if not tx.execute(newest_backup.update().values(finished_at_ms=at_ms)).rowcount:
        tx.execute(newest_backup.insert().values(id=_ROW_ID, finished_at_ms=at_ms))
