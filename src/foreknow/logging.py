"""Logs: one line an occurrence, JSON for machines or columns for people, with no secret in it.

Everything is logged through structlog; what libraries log through the standard library joins the same stream. Values
that only credentials have are cut out by the name of their key, and database errors come without the statement's
values (`hide_parameters` in `foreknow.db.engine`).

Whoever makes the service fail can make it write, but not without bounds: long values and tracebacks are cut, and of too
many lines in one second the rest is counted and left out. What operators asked for is written whole: the line of each
request (`FOREKNOW_LOG_REQUESTS`), and all that is of level debug.
"""

from __future__ import annotations

import logging
import sys
import time
import traceback
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Literal, TextIO

import structlog
from structlog.typing import EventDict, ExcInfo, Processor, WrappedLogger

#: `auto`: for people where the stream is a terminal, else JSON.
Form = Literal["auto", "console", "json"]

#: What a key of a log line must not contain, whoever wrote the line.
SECRET_WORDS = ("password", "secret", "token", "cookie", "authorization", "partner_key", "api_key", "body")
CUT_OUT = "[cut out]"
#: Every logger of ours is below this one.
OUR_LOGGERS = "foreknow"
#: The logger of the line that each request can be.
REQUESTS = "foreknow.requests"

#: So long are a value of a line and a traceback at most; of a longer one the middle is cut out.
VALUE_CHARS_MAX = 2_000
TRACEBACK_CHARS_MAX = 8_000
#: So many lines are written in one second, of one kind (that say the same of different occurrences) and in all.
LINES_OF_A_KIND_MAX = 20
LINES_MAX = 100

#: The id of the request that is being answered; set where the request begins, and so in every task begun for it.
REQUEST_ID: ContextVar[bytes | None] = ContextVar("request_id", default=None)


def configure_logging(
    *,
    level: str,
    form: Form = "auto",
    stream: Callable[[], TextIO] = lambda: sys.stdout,
    timer: Callable[[], float] = time.monotonic,
) -> None:
    """Send every log line of `level` (debug, info, warning, error) and above to `stream`; `timer` counts seconds."""
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
    handler = _BoundedHandler(stream(), timer)
    handler.setFormatter(
        structlog.stdlib.ProcessorFormatter(
            foreign_pre_chain=[structlog.stdlib.PositionalArgumentsFormatter(), *shared],
            processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, *_rendering(pretty=pretty)],
        )
    )
    root = logging.getLogger()
    root.handlers = [handler]
    # Libraries tell below that what only their own developers need, or what is secret: websockets, at debug, every
    # header of a handshake.
    root.setLevel(max(number, logging.WARNING))
    logging.getLogger(OUR_LOGGERS).setLevel(number)
    logging.getLogger("uvicorn.error").addFilter(_is_no_false_alarm)


class _BoundedHandler(logging.StreamHandler[TextIO]):
    """Writes so many lines a second; with the first line of a later second it tells how many it left out."""

    def __init__(self, stream: TextIO, timer: Callable[[], float]) -> None:
        super().__init__(stream)
        self._timer = timer
        self._second = int(timer())
        self._lines: dict[tuple[str, str], int] = {}
        self._written = 0
        self._left_out = 0

    def emit(self, record: logging.LogRecord) -> None:
        # Called with the handler's lock held.
        if record.levelno > logging.DEBUG and record.name != REQUESTS:
            if (second := int(self._timer())) != self._second:
                self._begin(second)
            if not self._may_write(record):
                self._left_out += 1
                return
        super().emit(record)

    def _begin(self, second: int) -> None:
        left_out, self._left_out = self._left_out, 0
        self._second, self._written = second, 0
        self._lines.clear()
        if left_out:
            about = {"name": __name__, "levelno": logging.WARNING, "levelname": "WARNING", "args": (left_out,)}
            super().emit(logging.makeLogRecord({**about, "msg": "%d lines were left out: too many in one second"}))

    def _may_write(self, record: logging.LogRecord) -> bool:
        if self._written >= LINES_MAX:
            return False
        said = record.msg.get("event") if isinstance(record.msg, dict) else record.msg
        kind = (record.name, str(said)[:VALUE_CHARS_MAX])
        lines = self._lines[kind] = self._lines.get(kind, 0) + 1
        if lines > LINES_OF_A_KIND_MAX:
            return False
        self._written += 1
        return True


def _is_no_false_alarm(record: logging.LogRecord) -> bool:
    # uvicorn says so, as an error, of every WebSocket handshake that was refused with an answer of its own.
    return record.msg != "ASGI callable returned without completing handshake."


def add_request_id(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Say which request a line belongs to."""
    request_id = REQUEST_ID.get()
    if request_id is not None:
        event["request_id"] = request_id.decode("ascii")
    return event


def cut_out_secrets(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Replace the values of keys that only secrets have, at any depth."""
    return {key: _cleaned(key, value) for key, value in event.items()}


def cut(text: str, most: int) -> str:
    """Return a text of at most about `most` characters: what is over is cut out of its middle."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]} … {len(text) - 2 * half} characters cut out … {text[-half:]}"


def _cleaned(key: str, value: Any) -> Any:
    spelled = key.lower().replace("-", "_")
    if any(word in spelled for word in SECRET_WORDS):
        return CUT_OUT
    if isinstance(value, dict):
        return {inner: _cleaned(str(inner), one) for inner, one in value.items()}
    return cut(value, VALUE_CHARS_MAX) if isinstance(value, str) else value


def _rendering(*, pretty: bool) -> list[Processor]:
    if pretty:
        return [structlog.dev.ConsoleRenderer(exception_formatter=_write_traceback)]
    exceptions = structlog.processors.ExceptionRenderer(_traceback)
    return [_headed, exceptions, structlog.processors.JSONRenderer(ensure_ascii=False)]


def _traceback(exc_info: ExcInfo) -> str:
    # Plain: the decorated ones show local variables, and with them secrets.
    return cut("".join(traceback.format_exception(*exc_info)).rstrip("\n"), TRACEBACK_CHARS_MAX)


def _write_traceback(stream: TextIO, exc_info: ExcInfo) -> None:
    stream.write("\n" + _traceback(exc_info))


def _headed(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Begin each line with when and what, where readers look first."""
    return {**{key: event[key] for key in ("at", "level", "event") if key in event}, **event}
