"""Tests that can be long: they have a short form, which proves the same, and a long one, which `just long` runs."""

from __future__ import annotations

from typing import Final, TypeVar

import pytest

Length = TypeVar("Length")

#: Marks the tests that have both forms.
LONG: Final = pytest.mark.long
_OPTION: Final = "--long"
_is_long = False


def add_option(parser: pytest.Parser) -> None:
    """Let a run ask for the long forms."""
    parser.addoption(_OPTION, action="store_true", help="run tests that have a long form in that form (just long)")


def choose(config: pytest.Config) -> None:
    """Take the forms that a run asks for; call it before any test is collected."""
    global _is_long  # noqa: PLW0603 - parameters of tests are made while their modules are imported
    _is_long = bool(config.getoption(_OPTION))


def length(*, short: Length, long: Length) -> Length:
    """Return how long a test marked `LONG` is to be in this run."""
    return long if _is_long else short
