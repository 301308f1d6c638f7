"""`bin/test --cpu`: which folders and files of tests take how much CPU time, of the test's process and all below it,
and which folders take more than their budget (`budgets.toml`).

CPU time, not how long: tests wait, and run beside others. A process that outlives its parent below ours is left out.
"""

from __future__ import annotations

import contextlib
import json
import os
import time
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Final

import pytest

from tests.support import budgets

_OPTION: Final = "--cpu"
_FILE_OPTION: Final = "--cpu-file"
_PROPERTY: Final = "cpu_s"
_TICKS_PER_S: Final = os.sysconf("SC_CLK_TCK")
FILES_SHOWN, TESTS_SHOWN = 40, 40


def add_option(parser: pytest.Parser) -> None:
    """Let a run ask for CPU times."""
    parser.addoption(_OPTION, action="store_true", help="say at the end which tests took how much CPU time")
    parser.addoption(_FILE_OPTION, type=Path, help="the same, and write what each test took to this file, as JSON")


def register(config: pytest.Config) -> None:
    """Measure, in the process that runs tests, and add up, in the one that reports."""
    path: Path | None = config.getoption(_FILE_OPTION)
    if config.getoption(_OPTION) or path is not None:
        config.pluginmanager.register(_CpuTimes(path))


class _CpuTimes:
    def __init__(self, path: Path | None) -> None:
        self._path = path
        self._before_s = 0.0
        self._by_test: dict[str, float] = defaultdict(float)

    @pytest.hookimpl(wrapper=True, tryfirst=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        """Note what was used before a test."""
        self._before_s = used_s()
        return (yield)

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtest_makereport(self, item: pytest.Item, call: pytest.CallInfo[None]) -> None:
        """Put what was used since into the last report of a test."""
        if call.when == "teardown":
            # What ends leaves with what was below it, as a browser with its pages: no test gives time back.
            item.user_properties.append((_PROPERTY, max(0.0, used_s() - self._before_s)))

    @pytest.hookimpl()
    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        """Add up."""
        for name, cpu_s in report.user_properties:
            if report.when == "teardown" and name == _PROPERTY and isinstance(cpu_s, float):
                self._by_test[report.nodeid] += cpu_s

    @pytest.hookimpl()
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say what each folder, and what the costliest files and tests took."""
        by_folder: dict[str, float] = defaultdict(float)
        by_file: dict[str, float] = defaultdict(float)
        for test, cpu_s in self._by_test.items():
            file = test.partition("::")[0]
            by_file[file] += cpu_s
            by_folder[budgets.folder_of(test)] += cpu_s
        reference_s = budgets.reference_s()
        terminalreporter.section("CPU seconds")
        terminalreporter.line(f"{reference_s:8.2f}  the reference; folders are in seconds of it, of their budgets")
        for line in budgets.table(by_folder, budgets.budgets_s(), reference_s=reference_s):
            terminalreporter.line(line)
        terminalreporter.line("")
        for costs, shown in ((by_file, FILES_SHOWN), (self._by_test, TESTS_SHOWN)):
            for name, cpu_s in sorted(costs.items(), key=lambda cost: -cost[1])[:shown]:
                terminalreporter.line(f"{cpu_s:8.1f}  {name}")
            terminalreporter.line("")
        terminalreporter.line(f"{sum(by_file.values()):8.1f}  all tests, without the collection")
        if self._path is not None:
            self._path.write_text(json.dumps(self._by_test, indent=0))


def used_s() -> float:
    """Return the CPU seconds that this process has used, and all processes below it, ended or not."""
    times = os.times()
    return time.process_time() + times.children_user + times.children_system + sum(map(_used_s, _below(os.getpid())))


def _below(pid: int) -> Iterator[int]:
    for task in _tasks(pid):
        with contextlib.suppress(OSError):
            for child in map(int, (task / "children").read_text().split()):
                yield child
                yield from _below(child)


def _tasks(pid: int) -> list[Path]:
    with contextlib.suppress(OSError):
        return list(Path(f"/proc/{pid}/task").iterdir())
    return []


def _used_s(pid: int) -> float:
    """Return what a process and those of its children that have ended used."""
    with contextlib.suppress(OSError):
        # After the command in parentheses: utime, stime, cutime and cstime are the 12th to the 15th field.
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return sum(map(int, fields[11:15])) / _TICKS_PER_S
    return 0.0
