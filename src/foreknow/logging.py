"""Logs: one line an occurrence, JSON for machines or columns for people, with no secret in it.

Everything is logged through structlog; what libraries log through the standard library joins the same stream. Values
that only credentials have are cut out by the name of their key, and database errors come without the statement's
values (`hide_parameters` in `foreknow.db.engine`).
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Callable
from contextvars import ContextVar
from typing import Any, Literal, TextIO

import structlog
from structlog.typing import EventDict, Processor, WrappedLogger

#: `auto`: for people where the stream is a terminal, else JSON.
Form = Literal["auto", "console", "json"]

#: What a key of a log line must not contain, whoever wrote the line.
SECRET_WORDS = ("password", "secret", "token", "cookie", "authorization", "partner_key", "api_key", "body")
CUT_OUT = "[cut out]"
#: Every logger of ours is below this one.
OUR_LOGGERS = "foreknow"

#: The id of the request that is being answered; set where the request begins, and so in every task begun for it.
REQUEST_ID: ContextVar[bytes | None] = ContextVar("request_id", default=None)


def configure_logging(*, level: str, form: Form = "auto", stream: Callable[[], TextIO] = lambda: sys.stdout) -> None:
    """Send every log line of `level` (debug, info, warning, error) and above to `stream`."""
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
    handler = logging.StreamHandler(stream())
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


def _cleaned(key: str, value: Any) -> Any:
    spelled = key.lower().replace("-", "_")
    if any(word in spelled for word in SECRET_WORDS):
        return CUT_OUT
    if isinstance(value, dict):
        return {inner: _cleaned(str(inner), one) for inner, one in value.items()}
    return value


def _rendering(*, pretty: bool) -> list[Processor]:
    if pretty:
        # Plain tracebacks: the decorated ones show local variables, and with them secrets.
        return [structlog.dev.ConsoleRenderer(exception_formatter=structlog.dev.plain_traceback)]
    return [_headed, structlog.processors.format_exc_info, structlog.processors.JSONRenderer(ensure_ascii=False)]


def _headed(_logger: WrappedLogger, _method: str, event: EventDict) -> EventDict:
    """Begin each line with when and what, where readers look first."""
    return {**{key: event[key] for key in ("at", "level", "event") if key in event}, **event}
