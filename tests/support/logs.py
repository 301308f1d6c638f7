"""Where the log lines of services that run in a process of the tests go."""

from __future__ import annotations

import sys

import structlog


def log_aside() -> None:
    """Write them to this process's own standard error: pytest shows them with a failure, and no command's output has
    lines of a server beside it.
    """
    structlog.reset_defaults()
    *before, renderer = structlog.get_config()["processors"]
    assert isinstance(renderer, structlog.dev.ConsoleRenderer)
    structlog.configure(
        # As a service writes tracebacks: to colour one, with the variables of each frame, takes longer than most tests.
        processors=[*before, structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)],
        logger_factory=structlog.PrintLoggerFactory(file=sys.__stderr__),
    )
