"""Tries mutants in copies of a process of pytest that has imported and collected everything.

Of each mutant those tests are run that reach a line which it changes: those that name its module first, one of each
file and database before a second of any, on SQLite before PostgreSQL, those of its package before others, short ones
before long ones, until one fails. The other tests of its package follow: what is done once and kept, such as a
statement that is compiled, was reached by the first alone that needed it.
"""

from __future__ import annotations

import functools
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import pytest

from tests.mutants.copies import END_S, Copy, Say, ready, run
from tests.mutants.entries import ROOT
from tests.mutants.inplace import Change, Functions
from tests.mutants.making import Made
from tests.mutants.reached import FOLDER, Reached, Recorder
from tests.mutants.scratch import Outcome

#: What a mutant's tests take at most together, by what they took before, and one of them alone; others are left out.
TESTS_S: Final = 60.0
LONGEST_TEST_S: Final = 10.0
#: A test that takes longer, and longer by this factor than before, is one that the mutant has made endless.
SILENT_S: Final = 20.0
SILENT_TIMES: Final = 20.0
RECORDING_S: Final = 3_600.0


@dataclass(frozen=True, slots=True)
class Left:
    """A mutant that cannot be tried so, and the tests that reach it."""

    mutant: Made
    tests: tuple[str, ...]


class Trials:
    """A plugin of pytest that tries mutants by the tests that were collected, in place of running these."""

    def __init__(
        self, mutants: Sequence[Made], tell: Callable[[Made, Outcome], None], *, processes: int, folder: Path = FOLDER
    ) -> None:
        """`tell` gets what came of each that is not left. What tests reach is kept in `folder`."""
        self._mutants = mutants
        self._tell = tell
        self._processes = processes
        self._folder = folder
        self.left: list[Left] = []

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        """Try them."""
        if session.testsfailed:
            raise session.Interrupted("some tests cannot be collected")
        functions, reached = Functions(), Reached(self._folder)
        record(session, reached, self._processes)
        items = {item.nodeid: item for item in session.items}
        running: dict[Copy, _Trial] = {}
        for mutant in self._mutants:
            reaching_s = {test: s for test, s in reached.tests_s(mutant.path, mutant.lines).items() if test in items}
            source = (ROOT / mutant.path).read_text()
            change = functions.change(mutant.path, source, mutant.applied(source))
            if change is None or not reaching_s:
                # What is done while a module is imported is done before the first test.
                self.left.append(Left(mutant, tuple(chosen(mutant, reaching_s, {}, items)) or mutant.tests))
            else:
                tests_s = chosen(mutant, reaching_s, reached.of_folders(mutant.tests), items)
                while len(running) >= self._processes:
                    self._go_on(running)
                tests = [items[test] for test in tests_s]
                copy = Copy(partial(_try, session, tests, change), within_s=SILENT_S)
                running[copy] = _Trial(mutant, tests_s)
        while running:
            self._go_on(running)
        return True

    def _go_on(self, running: dict[Copy, _Trial]) -> None:
        """Wait until a copy says something."""
        for copy, has_said in ready(list(running)):
            trial = running[copy]
            if has_said:
                messages, is_over = copy.heard()
                for message in messages:
                    copy.ends_s = time.monotonic() + trial.hear(message)
                if not is_over:
                    continue
            del running[copy]
            self._tell(trial.mutant, trial.ended(copy.end(), is_silent=not has_said))


@dataclass(slots=True)
class _Trial:
    """A mutant that is being tried."""

    mutant: Made
    tests_s: Mapping[str, float]
    test: str = ""
    outcome: Outcome | None = None

    def hear(self, message: Sequence[Any]) -> float:
        """Note what its copy said, and return how many seconds it may now be silent."""
        match message:
            case ["runs", test]:
                self.test = test
                return max(SILENT_S, SILENT_TIMES * self.tests_s[test])
            case ["failed", test, because]:
                self.outcome = Outcome("killed", 0.0, test, because)
            case ["passed"]:
                self.outcome = Outcome("survived", 0.0)
            case ["broke", because]:
                self.outcome = Outcome("killed", 0.0, self.test, because)
        return END_S

    def ended(self, cpu_s: float, *, is_silent: bool) -> Outcome:
        """Return what came of it, now that its copy is gone."""
        ended = Outcome("timed out" if is_silent else "killed", 0.0, self.test, "its process ended")
        return replace(self.outcome or ended, cpu_s=cpu_s)


def _try(session: pytest.Session, tests: Sequence[pytest.Item], change: Change, say: Say) -> None:
    for function, code in change:
        function.__code__ = code
    failures = run(session, tests, say, until_one_fails=True)
    if failures.first:
        say("failed", failures.first, failures.because)
    else:
        say("passed")


def chosen(
    mutant: Made, reaching_s: Mapping[str, float], others_s: Mapping[str, float], items: Mapping[str, pytest.Item]
) -> dict[str, float]:
    """Return the tests that are to notice a mutant, in the order in which they are run, and how long each takes."""
    own = tuple(f"{folder}/" for folder in mutant.tests)
    found = {**others_s, **reaching_s}
    counts: Counter[tuple[str, bool]] = Counter()
    turns: dict[str, tuple[int, bool]] = {}
    for test in sorted(found.keys() & items.keys(), key=found.__getitem__):
        is_on_postgres = items[test].get_closest_marker("postgres") is not None
        of_file = test.partition("::")[0], is_on_postgres
        turns[test] = counts[of_file], is_on_postgres
        counts[of_file] += 1

    def rank(test: str) -> tuple[bool, bool, tuple[int, bool], bool, float]:
        is_about_it = names(items[test].path, mutant.path.stem)
        return test not in reaching_s, not is_about_it, turns[test], not test.startswith(own), found[test]

    left_s, tests_s = TESTS_S, {}
    for test in sorted(turns, key=rank):
        if found[test] <= min(LONGEST_TEST_S, left_s):
            tests_s[test] = found[test]
            left_s -= found[test]
    return tests_s


@functools.cache
def names(file: Path, module: str) -> bool:
    """Return whether a file of tests imports a module, or from it."""
    return re.search(rf"^\s*(?:from|import) .*\b{module}\b", file.read_text(), re.MULTILINE) is not None


def record(session: pytest.Session, reached: Reached, processes: int) -> None:
    """Find out which lines the tests reach, where that is not known."""
    missing = reached.missing(session.items)
    by_file: dict[str, list[pytest.Item]] = {}
    for item in session.items:
        if (file := item.nodeid.partition("::")[0]) in missing:
            by_file.setdefault(file, []).append(item)
    shares: list[list[pytest.Item]] = [[] for _ in range(processes)]
    for items in sorted(by_file.values(), key=len, reverse=True):
        min(shares, key=len).extend(items)
    copies = [
        Copy(partial(_record, session, share, reached.new_data(number)), within_s=RECORDING_S)
        for number, share in enumerate(shares)
        if share
    ]
    said: list[Sequence[Any]] = []
    while copies:
        for copy, has_said in ready(copies):
            messages, is_over = copy.heard() if has_said else ([], True)
            said += messages
            if is_over:
                copies.remove(copy)
                copy.end()
    for what, *more in said:
        match what:
            case "recorded":
                reached.add(Path(more[0]))
            case "failed" | "broke":
                raise session.Failed(f"without any mutant, too: {' '.join(more)}")


def _record(session: pytest.Session, tests: Sequence[pytest.Item], data: Path, say: Say) -> None:
    recorder = Recorder(data)
    session.config.pluginmanager.register(recorder)
    failures = run(session, tests, say, until_one_fails=True)
    recorder.end()
    if failures.first:
        say("failed", failures.first, failures.because)
    else:
        say("recorded", str(data))
