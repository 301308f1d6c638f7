"""How tests are shared out among the processes of a run: those of a file and a database together.

What a file sets up for all of its tests is then set up once, and not by each process. All tests on the cluster go to
one process, wherever they stand, and so do those that look into all modules: pytest 9.2 does not show the scheduler the
groups of `xdist_group` any more. Those in a browser go to half of the processes, from the beginning: each keeps a core
busy, where other tests wait for something, too.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from xdist.scheduler import LoadGroupScheduling

#: Of a larger file each part is a unit of its own, so that no process is still at one when the others are done.
TESTS_MAX = 140
#: Where tests in a browser are.
BROWSER: Final = "tests/browser/"
#: The group of all tests on the cluster.
CLUSTER: Final = "cluster"
_DATABASE = re.compile(r"\[(sqlite|postgres)\b|-(sqlite|postgres)\b")
_CLUSTER = re.compile(r"[\[-]cluster\b")
#: Words in a file whose tests share what is dear to make, and the unit of all such tests.
_SHARED = {"cluster_service": CLUSTER, "tests.support.modules": "modules"}


class Groups:
    """Tells which tests have something in common that is costly to set up."""

    def __init__(self, root: Path) -> None:
        """Know files by their paths below `root`."""
        self._root = root
        #: By file: the group that all of its tests belong to, if there is one.
        self._shared: dict[str, str | None] = {}

    def of(self, nodeid: str) -> str:
        """Return the group of a test: its file and database, the cluster, or what else is costly."""
        file, _, name = nodeid.partition("::")
        if file not in self._shared:
            text = (self._root / file).read_text()
            self._shared[file] = next((group for word, group in _SHARED.items() if word in text), None)
        if (shared := self._shared[file]) is not None:
            return shared
        if _CLUSTER.search(name):
            return CLUSTER
        found = _DATABASE.search(name)
        return f"{file} {found[0] if found else ''}"


class UnitScheduling(LoadGroupScheduling):  # type: ignore[misc] # xdist comes without types
    """Gives each process one unit after the other, in the order of the collection."""

    def __init__(self, config: Any, log: Any) -> None:
        config.option.loadscopereorder = False
        super().__init__(config, log)
        self._groups = Groups(config.rootpath)
        self._units: dict[str, str] = {}
        #: By file of the browser's tests: which of the processes that have such tests has it.
        self._browsers: dict[str, int] = {}
        self._counts: dict[str, int] = {}

    def _split_scope(self, nodeid: str) -> str:
        if nodeid not in self._units:
            self._units[nodeid] = self._unit_of(nodeid)
        return self._units[nodeid]

    def _unit_of(self, nodeid: str) -> str:
        if nodeid.startswith(BROWSER):
            file = nodeid.partition("::")[0]
            number = self._browsers.setdefault(file, len(self._browsers))
            return f"{BROWSER} {number % max(1, self.numnodes // 2)}"
        group = self._groups.of(nodeid)
        if group in _SHARED.values():
            return group
        self._counts[group] = count = self._counts.get(group, -1) + 1
        return f"{group} {count // TESTS_MAX}"
