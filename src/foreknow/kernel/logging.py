"""Logs: one line per event, as JSON or for a console, without secrets.

Our code logs through structlog; log records of libraries join the same stream. Values of keys that suggest credentials
are removed, and database errors have no parameters (`hide_parameters` in `foreknow.platform.db`).

Limits keep clients from filling the log with errors: long values and tracebacks are cut, and lines over a rate are
counted and dropped. They do not apply to what operators turn on: request lines (`FOREKNOW_LOG_REQUESTS`) and level
debug.
"""

from __future__ import annotations

import contextlib
import logging
import sys
import time
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Literal, TextIO

import structlog
from structlog.typing import EventDict, ExcInfo, Processor, WrappedLogger

#: `auto`: console on a terminal, else JSON.
Form = Literal["auto", "console", "json"]

#: Words in a key whose value is removed.
SECRET_WORDS = ("password", "secret", "token", "cookie", "authorization", "partner_key", "api_key", "body")
CUT_OUT = "[cut out]"
#: The parent of all our loggers.
OUR_LOGGERS = "foreknow"
#: The logger of request lines.
REQUESTS = "foreknow.requests"

#: Limit the length of a value and of a traceback; the middle of longer ones is cut out.
VALUE_CHARS_MAX = 2_000
TRACEBACK_CHARS_MAX = 8_000
#: Limit the lines in one second: of the same logger and event, and in all.
LINES_OF_A_KIND_MAX = 20
LINES_MAX = 100

#: The id of the current request, inherited by tasks started for it.
REQUEST_ID: ContextVar[bytes | None] = ContextVar("request_id", default=None)


def configure_logging(
    *,
    level: str,
    form: Form = "auto",
    stream: Callable[[], TextIO] = lambda: sys.stdout,
    timer: Callable[[], float] = time.monotonic,
) -> None:
    """Write log lines of `level` (debug, info, warning, error) and above to `stream`; `timer` returns seconds."""
    pretty = form == "console" or (form == "auto" and stream().isatty())
    number = logging.getLevelNamesMapping()[level.upper()]
    shared: list[Processor] = [
        add_request_id,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True, key="at"),
        structlog.processors.StackInfoRenderer(),
        cut_out_secrets,
    ]
    structlog.configure(
        processors=[
            structlog.stdlib.filter_by_level,
            *shared,
            structlog.stdlib.ProcessorFormatter.wrap_for_formatter,
        ],
        logger_factory=structlog.stdlib.LoggerFactory(),
        cache_logger_on_first_use=False,
    )
    handler = _RateLimitedHandler(stream(), timer)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.PositionalArgumentsFormatter(), *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendering(pretty=pretty)],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    # Lower levels of libraries may contain secrets: websockets logs all headers of a handshake at debug.
    root.setLevel(max(number, logging.WARNING))
    logging.getLogger(OUR_LOGGERS).setLevel(number)
    logging.getLogger("uvicorn.error").addFilter(_is_no_false_alarm)


class _RateLimitedHandler(logging.StreamHandler[TextIO]):
    """Drops lines over the rate, and reports their number with the first line of a later second."""

    def __init__(self, stream: TextIO, timer: Callable[[], float]) -> None:
        super().__init__(stream)
        self._timer = timer
        self._second = int(timer())
        self._lines: dict[tuple[str, str], int] = {}
        self._written = 0
        self._dropped = 0

    def emit(self, record: logging.LogRecord) -> None:
        # The caller holds the handler's lock.
        if record.levelno > logging.DEBUG and record.name != REQUESTS:
            if (second := int(self._timer())) != self._second:
                self._start_second(second)
            if not self._may_write(record):
                self._dropped += 1
                return
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Report what could not be written, or nothing where standard error is closed, too: no line stops a server."""
        with contextlib.suppress(OSError, ValueError):
            super().handleError(record)

    def _start_second(self, second: int) -> None:
        dropped, self._dropped = self._dropped, 0
        self._second, self._written = second, 0
        self._lines.clear()
        if dropped:
            fields = {"name": __name__, "levelno": logging.WARNING, "levelname": "WARNING", "args": (dropped,)}
            super().emit(logging.makeLogRecord({**fields, "msg": "%d log lines dropped: too many in one second"}))

    def _may_write(self, record: logging.LogRecord) -> bool:
        if self._written >= LINES_MAX:
            return False
        event = record.msg.get("event") if isinstance(record.msg, dict) else record.msg
        kind = (record.name, str(event)[:VALUE_CHARS_MAX])
        lines = self._lines[kind] = self._lines.get(kind, 0) + 1
        if lines > LINES_OF_A_KIND_MAX:
            return False
        self._written += 1
        return True


def _is_no_false_alarm(record: logging.LogRecord) -> bool:
    # uvicorn logs this error for every WebSocket handshake rejected with an HTTP response.
    return record.msg != "ASGI callable returned without completing handshake."


def add_request_id(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Add the current request's id."""
    request_id = REQUEST_ID.get()
    if request_id is not None:
        event["request_id"] = request_id.decode("ascii")
    return event


def cut_out_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Remove the values of keys with `SECRET_WORDS`, at any depth."""
    return {key: _cleaned(key, value) for key, value in event.items()}


def cut(text: str, most: int) -> str:
    """Cut a text to about `most` characters, removing its middle."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]} … {len(text) - 2 * half} characters cut out … {text[-half:]}"


def _cleaned(key: str, value: Any) -> Any:
    normalised = key.lower().replace("-", "_")
    if any(word in normalised for word in SECRET_WORDS):
        return CUT_OUT
    if isinstance(value, dict):
        return {inner_key: _cleaned(str(inner_key), inner) for inner_key, inner in value.items()}
    return cut(value, VALUE_CHARS_MAX) if isinstance(value, str) else value


def _rendering(*, pretty: bool) -> list[Processor]:
    if pretty:
        return [structlog.dev.ConsoleRenderer(exception_formatter=_write_traceback)]
    exceptions = structlog.processors.ExceptionRenderer(_traceback)
    return [_order_keys, exceptions, structlog.processors.JSONRenderer(ensure_ascii=False)]


def _traceback(exc_info: ExcInfo) -> str:
    # Plain: structlog's own format shows local variables, which may hold secrets.
    return cut("".join(traceback.format_exception(*exc_info)).rstrip("\n"), TRACEBACK_CHARS_MAX)


def _write_traceback(stream: TextIO, exc_info: ExcInfo) -> None:
    stream.write("\n" + _traceback(exc_info))


def _order_keys(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Put time, level and event first."""
    return {**{key: event[key] for key in ("at", "level", "event") if key in event}, **event}
