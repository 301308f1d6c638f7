"""Tests that can be long: they have a short form, which proves the same, and a long one, which `just long` runs.

The long form of a run leaves out nothing: PostgreSQL gets also what is proved once in each other run
(`tests.support.kinds`). It says at its end that it was the long form, and how long it took.
"""

from __future__ import annotations

import time
from typing import Final, TypeVar

import pytest

Length = TypeVar("Length")

#: Marks the tests that have both forms.
LONG: Final = pytest.mark.long
_OPTION: Final = "--long"
_is_long = False


def add_option(parser: pytest.Parser) -> None:
    """Let a run ask for the long forms."""
    parser.addoption(_OPTION, action="store_true", help="every test in its long form, on both databases (just long)")


def choose(config: pytest.Config) -> None:
    """Take the forms that a run asks for; call it before any test is collected."""
    global _is_long  # noqa: PLW0603 - parameters of tests are made while their modules are imported
    _is_long = bool(config.getoption(_OPTION))
    if _is_long:
        config.pluginmanager.register(_LongForm())


class _LongForm:
    """Says that a run was the long form."""

    def __init__(self) -> None:
        self._began_s = time.monotonic()

    @pytest.hookimpl()
    def pytest_terminal_summary(self, terminalreporter: pytest.TerminalReporter) -> None:
        """Say how long it took."""
        minutes, seconds = divmod(round(time.monotonic() - self._began_s), 60)
        terminalreporter.section("the long form")
        terminalreporter.line(f"Every test in its long form, all on both databases: {minutes} min {seconds} s.")


def length(*, short: Length, long: Length) -> Length:
    """Return how long a test marked `LONG` is to be in this run."""
    return long if _is_long else short
