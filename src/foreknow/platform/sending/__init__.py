"""Whether this database may send anything: only where an operator serves it as the site.

A database that was restored or copied knows so by its place, and sends nothing until `foreknow site confirm`. Its ids
leap then, so that none is given out again that was given out after the backup (ADR 0021).

    tables    one row: the place where the database was last, and whether sending is held
    places    where a database is: its file, or its PostgreSQL cluster and row
    service   comparing, holding, confirming; the same at the start and every few seconds
"""

from foreknow.platform.sending.service import Guard, Hold, IdsUsed, SendingWatch, mark_copy
from foreknow.platform.sending.tables import HELD_TEXT, SENDS, is_held

__all__ = [
    "HELD_TEXT",
    "SENDS",
    "Guard",
    "Hold",
    "IdsUsed",
    "SendingWatch",
    "is_held",
    "mark_copy",
]
