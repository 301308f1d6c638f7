"""However much goes wrong, and however deep down: what is written in one second is bounded."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Iterator
from typing import Any

import pytest
import structlog

from foreknow.kernel.logging import (
    LINES_MAX,
    LINES_OF_A_KIND_MAX,
    REQUESTS,
    TRACEBACK_CHARS_MAX,
    Form,
    configure_logging,
)
from tests.support.logs import log_aside


class Log:
    """Log lines on a clock that the test moves."""

    def __init__(self) -> None:
        self.now_s = 1_000.5
        self._buffer = io.StringIO()

    def configure(self, *, level: str = "info", form: Form = "json") -> None:
        configure_logging(level=level, form=form, stream=lambda: self._buffer, timer=lambda: self.now_s)

    def close(self) -> None:
        self._buffer.close()

    @property
    def text(self) -> str:
        return self._buffer.getvalue()

    @property
    def lines(self) -> list[Any]:
        return [json.loads(line) for line in self.text.splitlines()]


@pytest.fixture
def log() -> Iterator[Log]:
    root = logging.getLogger()
    handlers, level = root.handlers, root.level
    made = Log()
    made.configure()
    yield made
    root.handlers = handlers
    root.setLevel(level)
    log_aside()


def test_of_many_lines_of_a_kind_the_rest_of_the_second_is_counted(log: Log) -> None:
    ours = structlog.get_logger("foreknow.somewhere")
    for number in range(1_000):
        ours.error("it failed", number=number)
    ours.error("something else failed")
    assert [line["event"] for line in log.lines] == ["it failed"] * LINES_OF_A_KIND_MAX + ["something else failed"]

    log.now_s += 1
    ours.error("it failed")
    first, again = log.lines[-2:]
    left_out = 1_000 - LINES_OF_A_KIND_MAX
    assert (first["level"], first["event"]) == ("warning", f"{left_out} log lines dropped: too many in one second")
    assert again["event"] == "it failed"
    log.now_s += 1
    ours.error("it failed")
    assert len(log.lines) == LINES_OF_A_KIND_MAX + 4


def test_lines_of_all_kinds_together_are_bounded_too(log: Log) -> None:
    for number in range(1_000):
        logging.getLogger("some.library").warning(f"broken: {number}")  # noqa: G004 - as libraries do
    assert len(log.lines) == LINES_MAX


def test_what_libraries_repeat_is_of_one_kind(log: Log) -> None:
    for number in range(1_000):
        logging.getLogger("some.library").warning("broken: %d", number)
    assert len(log.lines) == LINES_OF_A_KIND_MAX


@pytest.mark.parametrize("logger", [REQUESTS, "foreknow.somewhere"])
def test_what_operators_configured_is_written_whole(log: Log, logger: str) -> None:
    log.configure(level="debug")
    ours = structlog.get_logger(logger)
    for _ in range(1_000):
        (ours.info if logger == REQUESTS else ours.debug)("request")
    assert len(log.lines) == 1_000


def fail(depth: int) -> None:
    if depth:
        # Two lines in turn, which the standard library does not gather as repeated.
        (fail if depth % 2 else _fail)(depth - 1)
    raise RuntimeError("the cause" + "x" * 50_000 + "its end")


def _fail(depth: int) -> None:
    fail(depth)


@pytest.mark.parametrize("form", ["json", "console"])
def test_a_traceback_keeps_its_beginning_and_its_end(log: Log, form: Form) -> None:
    log.configure(form=form)
    try:
        fail(400)
    except RuntimeError:
        structlog.get_logger("foreknow.somewhere").exception("a failure")
    assert len(log.text) < 2 * TRACEBACK_CHARS_MAX
    assert "Traceback (most recent call last)" in log.text
    assert "characters cut out" in log.text
    assert "its end" in log.text


def test_a_long_value_is_cut_wherever_it_stands(log: Log) -> None:
    long = "x" * 100_000
    structlog.get_logger("foreknow.somewhere").error("a failure", reason=long, about={"it": long})
    logging.getLogger("some.library").warning(long)
    assert len(log.text) < 20_000
    assert all("characters cut out" in line for line in log.text.splitlines())


def test_a_line_that_cannot_be_written_stops_nothing(log: Log, monkeypatch: pytest.MonkeyPatch) -> None:
    ours, errors = structlog.get_logger("foreknow.somewhere"), io.StringIO()
    errors.close()
    monkeypatch.setattr("sys.stderr", errors)
    log.close()

    ours.error("nowhere to go")
