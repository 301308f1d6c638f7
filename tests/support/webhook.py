"""A webhook on this machine: what alerts and partners' messages are sent to, on a real socket."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

from tests.support.waiting import happens, wait_until


@dataclass(frozen=True, slots=True)
class Call:
    """One request as it came, and the status that it was answered with; names of headers in lower case."""

    status: int
    headers: dict[str, str]
    raw: bytes

    @property
    def body(self) -> Any:
        return json.loads(self.raw)


class Webhook:
    """Takes what is posted to it; the first answers are those of `failures` (HTTP statuses), every other one is 200."""

    def __init__(self, failures: list[int], delay_s: float) -> None:
        self.failures = list(failures)
        #: The status of every answer once `failures` are used up.
        self.status = 200
        #: Every body that came, in order, with the status it was answered with.
        self.calls: list[tuple[int, dict[str, Any]]] = []
        self.requests: list[Call] = []
        #: How many have come, answered or not; and whether they are answered yet.
        self.arrived = 0
        self.answering = threading.Event()
        self.answering.set()
        self._counting = threading.Lock()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), self._handler(delay_s))
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.02})
        self._thread.start()

    @property
    def port(self) -> int:
        return int(self._server.server_address[1])

    @property
    def url(self) -> str:
        """Its apprise URL, with a password in it as real ones have."""
        return f"json://hook:{SECRET}@127.0.0.1:{self.port}/support"

    @property
    def address(self) -> str:
        """Where it is."""
        return f"http://127.0.0.1:{self.port}/hook"

    @property
    def taken(self) -> list[dict[str, Any]]:
        """What was answered with 200."""
        return [body for status, body in self.calls if status == 200]

    def wait_for_arrival(self) -> None:
        """Return when something has come, answered or not."""
        self.wait_for_arrivals(1)

    def wait_for_arrivals(self, count: int) -> None:
        """Return when `count` have come, answered or not."""
        wait_until(lambda: self.arrived >= count)

    def wait_for(self, count: int) -> None:
        """Return when `count` have come, whatever they were answered."""
        wait_until(lambda: len(self.calls) >= count)

    async def came(self, count: int) -> None:
        """Do what `wait_for` does, for a test whose event loop runs the workers."""
        await happens(lambda: len(self.calls) >= count)

    def stop(self) -> None:
        self.answering.set()
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()

    def _handler(self, delay_s: float) -> type[BaseHTTPRequestHandler]:
        webhook = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                raw = self.rfile.read(int(self.headers["content-length"]))
                with webhook._counting:
                    webhook.arrived += 1
                time.sleep(delay_s)
                webhook.answering.wait()
                with webhook._counting:
                    status = webhook.failures.pop(0) if webhook.failures else webhook.status
                    headers = {name.lower(): value for name, value in self.headers.items()}
                    webhook.requests.append(Call(status, headers, raw))
                    webhook.calls.append((status, json.loads(raw)))
                self.send_response(status)
                if 300 <= status < 400:
                    self.send_header("location", webhook.address)
                self.send_header("content-length", "0")
                self.end_headers()

            def log_message(self, *_: Any) -> None:
                pass

        return Handler


SECRET = "hush-hush"


@contextmanager
def webhook(*failures: int, delay_s: float = 0) -> Iterator[Webhook]:
    """Run a webhook while the block runs."""
    running = Webhook(list(failures), delay_s)
    try:
        yield running
    finally:
        running.stop()
