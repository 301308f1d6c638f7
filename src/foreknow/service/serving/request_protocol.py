"""uvicorn's HTTP protocol with less work for each request: one that waits for nothing is answered in the call that
received it, without a task, and its response goes out in one piece.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from functools import partial
from typing import Any
from urllib.parse import unquote

import httptools
from uvicorn.protocols.http.flow_control import HIGH_WATER_LIMIT
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from foreknow.kernel.prompt_future import PromptFuture
from foreknow.service.serving.body_meter import BodyMeter
from foreknow.service.serving.cycle import Cycle
from foreknow.service.serving.state import ServingState
from foreknow.service.serving.upgrades import is_for_socket
from foreknow.web.client_ip import UNKNOWN
from foreknow.web.direct import Rest, Waiting
from foreknow.web.event_streams import ABORT

_ASGI = {"version": "3.0", "spec_version": "2.3"}
Answer = Callable[[Cycle], Rest]
#: The first byte of an order.
POST = ord("P")


class RequestProtocol(HttpToolsProtocol):
    """Begins requests and has them answered, by an application with a method `answer` directly, else through ASGI."""

    server_state: ServingState
    cycle: Cycle

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Take uvicorn's arguments."""
        super().__init__(*args, **kwargs)
        self._answer: Answer | None = getattr(self.app, "answer", None)
        self._tasks: set[Any] = self.tasks
        self._body = BodyMeter()

    @property
    def is_idle(self) -> bool:
        """Whether no request is being served."""
        cycle: Cycle | None = self.cycle  # None before the first request, unlike uvicorn's type
        return cycle is None or cycle.response_complete

    @property
    def peer(self) -> str:
        """The peer's address."""
        return self.client[0] if self.client else UNKNOWN

    def on_header(self, name: bytes, value: bytes) -> None:
        """Note a header."""
        name = name.lower()
        self.headers.append((name, value))
        if name == b"expect":
            self.expect_100_continue = self.expect_100_continue or value.lower() == b"100-continue"

    def begin_cycle(self) -> Cycle:
        """Return the cycle of the request whose head was parsed, which is received from now on."""
        parser, url = self.parser, httptools.parse_url(self.url)
        version = parser.get_http_version()
        path = url.path.decode("ascii")
        scope = {
            "type": "http",
            "asgi": _ASGI,
            "http_version": version,
            "server": self.server,
            "client": self.client,
            "scheme": self.scheme,
            "root_path": "",
            "headers": self.headers,
            "method": parser.get_method().decode("ascii"),
            "path": unquote(path) if "%" in path else path,
            "raw_path": url.path,
            "query_string": url.query or b"",
            ABORT: self.transport.abort,
        }
        keep_alive = version != "1.0" and parser.should_keep_alive()
        self.cycle = cycle = Cycle(self, self.server_state, scope, keep_alive=keep_alive)
        return cycle

    def on_body(self, body: bytes) -> None:
        """Receive a piece of a body; one that no one will read is dropped."""
        meter, cycle = self._body, self.cycle
        meter.content_bytes += len(body)
        meter.pieces += 1
        if not cycle.response_complete:
            cycle.body += body
            if len(cycle.body) > HIGH_WATER_LIMIT:
                self.flow.pause_reading()
            if cycle.is_awaited:
                cycle.message_event.set()

    def turn_away(self, data: bytes) -> bool:
        """Respond to an order unread, now or soon, where as many wait as may; return whether it was one."""
        state = self.server_state
        if (
            state.door is None
            or not state.door.is_shut()
            or not self.is_idle
            or self.flow.write_paused
            or state.closing
        ):
            return False
        if state.door.puts_off(data, partial(self._look_again, data)):
            self.flow.pause_reading()
            return True
        response = state.door.turn_away(data, state.default_lines())
        if response is None:
            return False
        self.transport.write(response)
        return True

    def _look_again(self, data: bytes) -> None:
        """Go on with an order that was put off as if it came now."""
        if not self.transport.is_closing():
            self.flow.resume_reading()
            self.data_received(data)

    def begin_socket(self) -> None:
        """Note of the head that was parsed what `handle_websocket_upgrade` hands over."""
        scope: Any = {"method": self.parser.get_method().decode("ascii"), "headers": self.headers}
        self.scope = scope

    def _should_upgrade(self) -> bool:
        """Whether the request opens a WebSocket."""
        return is_for_socket(self.parser, self.url) and super()._should_upgrade()

    def answer(self, cycle: Cycle) -> None:
        """Answer a request, or begin to; what has to wait goes on in a task, or once what it waits for is there."""
        if self._answer is None:
            self.start(cycle, self.app)
            return
        try:
            rest = self._answer(cycle)
        except Exception as failure:  # noqa: BLE001 - raised again where uvicorn handles it
            rest = partial(_raise, failure)
        self._go_on(cycle, rest)

    def _go_on(self, cycle: Cycle, rest: Rest) -> None:
        if isinstance(rest, Waiting):
            # Among the tasks, so that a server that stops waits for it, or cancels it.
            self._tasks.add(rest.future)
            on_done = partial(self._on_done, cycle, rest)
            if isinstance(rest.future, PromptFuture):
                rest.future.then(on_done)
            else:
                rest.future.add_done_callback(on_done)
        elif rest is not None:
            self.start(cycle, rest)

    def start(self, cycle: Cycle, app: Any) -> None:
        """Run an ASGI application for a request, in a task of its own."""
        self._start_asgi_task(cycle, app)

    def _on_done(self, cycle: Cycle, waiting: Waiting, future: asyncio.Future[Any]) -> None:
        self._tasks.discard(future)
        try:
            rest = waiting.then(future)
        except Exception as failure:  # noqa: BLE001 - raised again where uvicorn handles it
            rest = partial(_raise, failure)
        self._go_on(cycle, rest)


async def _raise(failure: Exception, *_: Any) -> None:
    raise failure
