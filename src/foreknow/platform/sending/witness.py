"""How far this machine has seen a database come: a small file for each database, in the data folder.

A database that was put back in its place, by a copy into the same file or by archive recovery, has what it stores about
itself put back, too. What was seen of it lies beside it.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path

import structlog

from foreknow.kernel.private_files import FILE_MODE, FOLDER_MODE
from foreknow.platform.sending.places import Place

log = structlog.get_logger("foreknow.sending")

_NAME = "seen-{}.txt"


class Witness:
    """Remembers the highest id that each database has had."""

    def __init__(self, folder: Path) -> None:
        """Keep the files in `folder`. One that cannot be written is remembered by this process alone."""
        self._folder = folder
        self._seen: dict[str, int] = {}

    def seen(self, place: Place) -> int | None:
        """Return the highest id seen of a database; None if it was never seen here."""
        if place.seen_as not in self._seen:
            try:
                self._seen[place.seen_as] = int(self._file(place).read_text())
            except (OSError, ValueError):
                return None
        return self._seen[place.seen_as]

    def knows_any(self) -> bool:
        """Return whether any database was seen here."""
        return any(self._folder.glob(_NAME.format("*")))

    def note(self, place: Place, newest_id: int) -> None:
        """Remember how far a database has come."""
        if self.seen(place) == newest_id:
            return
        self._seen[place.seen_as] = newest_id
        file = self._file(place)
        partial = file.with_suffix(f".{os.getpid()}")
        try:
            self._folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
            partial.touch(mode=FILE_MODE)
            partial.write_text(str(newest_id))
            partial.replace(file)
        except OSError as failure:
            log.debug("not remembered", file=str(file), reason=str(failure))

    def _file(self, place: Place) -> Path:
        return self._folder / _NAME.format(hashlib.sha256(place.seen_as.encode()).hexdigest()[:16])
