"""Which tests run which lines of the source, kept in `build/reached/` by the source and each file of tests.

A test that does not run a line cannot notice a change of it. Only what runs in the process of the tests counts: not
what the processes run that some of them start.
"""

from __future__ import annotations

import hashlib
import json
import time
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Final

import coverage
import pytest

from tests.mutants.entries import ROOT, SOURCE

FOLDER: Final = ROOT / "build" / "reached"
#: What tests of all files use.
_USED_BY_ALL: Final = ("tests/support", "tests/conftest.py")


@dataclass
class _File:
    """A file of tests as it was when it was recorded: where its lines stand, and how long each test took."""

    digest: str
    data: str
    tests_s: dict[str, float] = field(default_factory=dict)


class Reached:
    """Which tests run a line."""

    def __init__(self, folder: Path = FOLDER) -> None:
        """Read what was recorded of this very source."""
        self._folder = folder / digest_of("src", *_USED_BY_ALL)
        self._folder.mkdir(parents=True, exist_ok=True)
        self._index = self._folder / "index.json"
        found = json.loads(self._index.read_text()) if self._index.exists() else {}
        self._files = {file: _File(**one) for file, one in found.items()}
        self._lines: dict[Path, dict[int, set[str]]] = {}

    def missing(self, items: Iterable[pytest.Item]) -> set[str]:
        """Return the files of tests, as they begin the ids of these, of which not all were recorded as they are."""
        by_file: defaultdict[str, set[str]] = defaultdict(set)
        for item in items:
            by_file[item.nodeid.partition("::")[0]].add(item.nodeid)
        return {file for file, tests in by_file.items() if not self._knows(file, tests)}

    def _knows(self, file: str, tests: set[str]) -> bool:
        known = self._files.get(file)
        return known is not None and tests <= known.tests_s.keys() and known.digest == _digest([ROOT / file])

    def new_data(self, number: int) -> Path:
        """Return where the recording of a process is to be kept."""
        return self._folder / f"{time.time_ns()}-{number}.coverage"

    def add(self, data: Path) -> None:
        """Take what a process recorded."""
        tests_s: dict[str, float] = json.loads(_times(data).read_text())
        of_files: defaultdict[str, dict[str, float]] = defaultdict(dict)
        for test, took_s in tests_s.items():
            of_files[test.partition("::")[0]][test] = took_s
        for file, tests in of_files.items():
            self._files[file] = _File(_digest([ROOT / file]), data.name, tests)
        self._lines.clear()
        self._index.write_text(json.dumps({file: asdict(one) for file, one in self._files.items()}))

    def tests_s(self, path: Path, lines: range) -> dict[str, float]:
        """Return the tests that run one of these lines of a source file, and how long each takes, in seconds."""
        if path not in self._lines:
            self._lines[path] = self._read(path)
        found = self._lines[path]
        tests = set().union(*(found.get(line, ()) for line in lines))
        return {test: self._files[test.partition("::")[0]].tests_s[test] for test in sorted(tests)}

    def of_folders(self, folders: Sequence[str]) -> dict[str, float]:
        """Return the recorded tests below folders, and how long each takes, in seconds."""
        below = tuple(f"{folder}/" for folder in folders)
        return {
            test: s for file, one in self._files.items() if file.startswith(below) for test, s in one.tests_s.items()
        }

    def _read(self, path: Path) -> dict[int, set[str]]:
        found: defaultdict[int, set[str]] = defaultdict(set)
        for name in {one.data for one in self._files.values()}:
            data = coverage.CoverageData(str(self._folder / name))
            data.read()
            for line, tests in data.contexts_by_lineno(str(path)).items():
                found[line].update(test for test in tests if self._is_of(test, name))
        return found

    def _is_of(self, test: str, data: str) -> bool:
        known = self._files.get(test.partition("::")[0])
        return known is not None and known.data == data and test in known.tests_s


class Recorder:
    """A plugin of pytest that notes which lines each test runs, its preparations included."""

    def __init__(self, data: Path) -> None:
        """Begin; `data` is the file to be written, with one of the tests' seconds beside it."""
        self.tests_s: dict[str, float] = {}
        self._data = data
        self._began_s = 0.0
        self._coverage = coverage.Coverage(
            data_file=str(data),
            config_file=False,
            source=[str(ROOT / SOURCE)],
            concurrency=["thread", "greenlet"],
            messages=False,
        )
        self._coverage.set_option("run:relative_files", value=True)
        self._coverage.start()

    def pytest_runtest_logstart(self, nodeid: str) -> None:
        self._coverage.switch_context(nodeid)
        self._began_s = time.process_time()

    def pytest_runtest_logfinish(self, nodeid: str) -> None:
        self.tests_s[nodeid] = round(time.process_time() - self._began_s, 3)

    def end(self) -> None:
        """Write what was noted."""
        self._coverage.stop()
        self._coverage.save()
        _times(self._data).write_text(json.dumps(self.tests_s))


def digest_of(*places: str) -> str:
    """Return what tells the Python files of these places, from the root, from others."""
    return _digest(_files(places))


def _times(data: Path) -> Path:
    return data.with_suffix(".json")


def _digest(paths: Sequence[Path]) -> str:
    digest = hashlib.sha256()
    for path in sorted(paths):
        digest.update(f"{path.relative_to(ROOT)}\n".encode() + path.read_bytes())
    return digest.hexdigest()[:16]


def _files(places: Iterable[str]) -> list[Path]:
    found = [ROOT / place for place in places]
    return [file for place in found for file in ([place] if place.is_file() else sorted(place.rglob("*.py")))]
