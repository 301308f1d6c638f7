"""How tests are shared out among the processes of a run: those of a file and a database together.

What a file sets up for all of its tests is then set up once, and not by each process.
"""

from __future__ import annotations

import re
from typing import Any

from xdist.scheduler import LoadGroupScheduling

#: Of a larger file each part is a unit of its own, so that no process is still at one when the others are done.
TESTS_MAX = 140
_DATABASE = re.compile(r"\[(sqlite|postgres|cluster)\b|-(sqlite|postgres)\b")


class UnitScheduling(LoadGroupScheduling):  # type: ignore[misc] # xdist comes without types
    """Gives each process one unit after the other, in the order of the collection."""

    def __init__(self, config: Any, log: Any) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)
        self._units: dict[str, str] = {}
        self._counts: dict[str, int] = {}

    def _split_scope(self, nodeid: str) -> str:
        if nodeid not in self._units:
            self._units[nodeid] = self._unit_of(nodeid)
        return self._units[nodeid]

    def _unit_of(self, nodeid: str) -> str:
        group = str(super()._split_scope(nodeid))
        if group != nodeid:
            return group
        file, _, name = nodeid.partition("::")
        found = _DATABASE.search(name)
        unit = f"{file} {found[0] if found else ''}"
        self._counts[unit] = count = self._counts.get(unit, -1) + 1
        return f"{unit} {count // TESTS_MAX}"
