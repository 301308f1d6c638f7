"""Services whose log lines are caught."""

from __future__ import annotations

import io
import logging
from collections.abc import Iterator

import pytest

from foreknow.kernel.logging import OUR_LOGGERS, Form, configure_logging
from tests.support.logs import log_aside


class Caught:
    """Everything that was logged."""

    def __init__(self) -> None:
        self._buffer = io.StringIO()

    def configure(self, *, level: str, form: Form = "json") -> None:
        """Log from here on at `level`."""
        configure_logging(level=level, form=form, stream=lambda: self._buffer)

    @property
    def text(self) -> str:
        """All lines."""
        return self._buffer.getvalue()


@pytest.fixture
def caught() -> Iterator[Caught]:
    """Catches every line of this process, at debug unless a test says otherwise."""
    root, ours = logging.getLogger(), logging.getLogger(OUR_LOGGERS)
    before = (root.handlers, root.level, ours.level)
    lines = Caught()
    lines.configure(level="debug")
    yield lines
    root.handlers, root.level, ours.level = before
    # Levels are remembered by every logger that was asked; setting one forgets them.
    ours.setLevel(before[2])
    log_aside()
