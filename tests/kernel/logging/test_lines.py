"""What a log line looks like, and what it never holds."""

from __future__ import annotations

import io
import json
import logging
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import sqlalchemy as sa
import structlog
from sqlalchemy.exc import DBAPIError

from foreknow.kernel.errors import Unavailable
from foreknow.kernel.logging import configure_logging
from foreknow.platform.db.transactions import ReadTx
from tests.support.logs import log_aside

CANARY = "canary-5f3a"


@pytest.fixture
def lines() -> Iterator[Callable[..., list[Any]]]:
    """Configures logging into a buffer and reads the lines that came."""
    root, buffer = logging.getLogger(), io.StringIO()
    handlers, level = root.handlers, root.level
    configure_logging(level="info", form="json", stream=lambda: buffer)
    yield lambda: [json.loads(line) for line in buffer.getvalue().splitlines()]
    root.handlers = handlers
    root.setLevel(level)
    log_aside()


def test_a_line_begins_with_when_and_what(lines: Callable[..., list[Any]]) -> None:
    structlog.get_logger("foreknow.somewhere").info("it happened", pool_id=7)
    (line,) = lines()
    assert list(line)[:3] == ["at", "level", "event"]
    assert (line["level"], line["event"], line["pool_id"]) == ("info", "it happened", 7)
    assert line["logger"] == "foreknow.somewhere"


def test_what_is_below_the_level_is_not_logged(lines: Callable[..., list[Any]]) -> None:
    structlog.get_logger("foreknow.somewhere").debug("a detail")
    assert lines() == []


def test_libraries_join_the_same_stream(lines: Callable[..., list[Any]]) -> None:
    logging.getLogger("some.library").warning("%s broke", "it")
    (line,) = lines()
    assert (line["level"], line["event"], line["logger"]) == ("warning", "it broke", "some.library")


def test_secrets_are_cut_out_wherever_they_stand(lines: Callable[..., list[Any]]) -> None:
    structlog.get_logger().error(
        "a careless line",
        password=CANARY,
        access_token=CANARY,
        headers={"Authorization": CANARY, "Cookie": CANARY, "X-Partner-Key": CANARY, "Accept": "text/html"},
        request_body=CANARY,
    )
    assert CANARY not in json.dumps(lines())
    assert lines()[0]["headers"]["Accept"] == "text/html"


def test_a_traceback_tells_where_and_not_with_what(lines: Callable[..., list[Any]]) -> None:
    def fail(argument: str) -> None:
        raise RuntimeError("something broke")

    try:
        fail(CANARY)
    except RuntimeError:
        structlog.get_logger().exception("a failure")
    (line,) = lines()
    assert "RuntimeError: something broke" in line["exception"]
    assert CANARY not in json.dumps(line)


async def test_database_errors_do_not_show_values(lines: Callable[..., list[Any]], db: Any) -> None:
    log = structlog.get_logger()

    def work(tx: ReadTx) -> None:
        tx.execute(sa.text("SELECT * FROM nowhere WHERE secret = :value"), {"value": CANARY})

    with pytest.raises((DBAPIError, Unavailable)) as failed:
        await db.write(work)
    log.error("a failure", exc_info=failed.value)
    # Where this is the first test, the database was migrated before.
    line = lines()[-1]
    assert "nowhere" in line["exception"]
    assert CANARY not in json.dumps(line)
