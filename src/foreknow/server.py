"""How the application is served: one uvicorn server a process, on a socket that is bound before anything else starts.

Proxies' headers are not believed (whoever sits in front is told by settings, not by requests), nothing is logged per
request here, WebSockets are pinged every 20 s and dropped after 20 s of silence. On SIGTERM or Ctrl-C a server stops
taking connections, answers what is under way, closes sockets with 1012, lets the application finish, and ends.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import sys
import threading
from collections.abc import Callable, Iterator
from multiprocessing.connection import Connection
from typing import Any

import structlog
import uvicorn
from uvicorn.config import STARTUP_FAILURE
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle
from uvicorn.supervisors import Multiprocess

from foreknow.app import App
from foreknow.logging import configure_logging
from foreknow.settings import Settings
from foreknow.web.streams import END

log = structlog.get_logger("foreknow.server")

PING_S = 20
#: How long the requests under way may take after a signal to stop; the slowest is one commit.
DRAIN_S = 15
#: Longer than proxies keep idle connections (60 s is usual), so that it is never us who closes one that is being used.
KEEP_ALIVE_S = 75
#: Connections that may wait to be accepted.
BACKLOG = 2048
_SPAWN = multiprocessing.get_context("spawn")
#: Clients of the feed have nothing to say.
SOCKET_MESSAGE_BYTES_MAX = 64 * 1024


class CannotServe(Exception):
    """The service cannot start; its text says why."""


def serve(settings: Settings, *, host: str, port: int, workers: int = 1) -> None:
    """Serve until a signal says to stop. Raises `CannotServe` where the address or the database does not allow it.

    Several workers are processes of their own, which share the socket and a PostgreSQL database.
    """
    listening = bind(host=host, port=port)
    # Workers build their settings from the environment, as this process did.
    os.environ["FOREKNOW_LISTEN_HOST"] = host
    try:
        if workers == 1:
            Server(App(settings.model_copy(update={"listen_host": host}))).serve_on(listening)
        else:
            _supervise(listening, workers)
    finally:
        listening.close()


def bind(*, host: str, port: int) -> socket.socket:
    """Take an address; connections are refused until a server listens. Port 0 takes any free one."""
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        taken = socket.socket(family, kind, protocol)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        taken.bind(address)
    except OSError as failure:
        raise CannotServe(f"cannot listen on {host}:{port}: {failure.strerror or failure}") from failure
    taken.set_inheritable(True)
    return taken


def url_of(listening: socket.socket) -> str:
    """Return where a client on this machine finds the socket, such as http://127.0.0.1:8000."""
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host) or (f"[{host}]" if ":" in host else host)  # noqa: S104 - compared, not bound
    return f"http://{shown}:{port}"


class HttpProtocol(HttpToolsProtocol):
    """HTTP as uvicorn speaks it with httptools; answers without an end are told to end when the server stops."""

    def shutdown(self) -> None:
        """Begin to stop: uvicorn lets an answer under way finish, which an event stream never does by itself."""
        super().shutdown()
        # uvicorn types it as if there were always one.
        cycle: RequestResponseCycle | None = self.cycle
        if cycle is not None and not cycle.response_complete:
            end = dict[str, Any](cycle.scope).get(END)
            if end is not None:
                end()


class Server(uvicorn.Server):
    """A uvicorn server with the settings of the house."""

    def __init__(self, app: Any, *, on_start: Callable[[], None] = lambda: None) -> None:
        """Make a server of one process; `on_start` is called once requests are answered."""
        super().__init__(_config(app))
        self._on_start = on_start

    def serve_on(self, listening: socket.socket) -> None:
        """Serve until a signal, or `should_exit` set by another thread. Raises `CannotServe`."""
        self._where = url_of(listening)
        try:
            self.run(sockets=[listening])
        except (SystemExit, OSError) as ended:
            raise CannotServe("the service could not start; the log says why") from ended

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say where."""
        await super().startup(sockets)
        log.info("serving", url=self._where, docs=f"{self._where}/docs")
        self._on_start()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drain and stop, and say so."""
        log.info("stopping", requests_under_way=len(self.server_state.tasks))
        await super().shutdown(sockets)
        log.info("stopped")

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Stop at a signal and then be done: uvicorn would raise it again, and end the process as if it had failed."""
        with super().capture_signals():
            yield
            self._captured_signals.clear()


@contextlib.contextmanager
def running(settings: Settings) -> Iterator[str]:
    """Serve from a process of its own, on a free port of 127.0.0.1, while the block runs; yields its URL.

    A process, not a thread: a client at work beside it would take turns with it at Python's lock. It stops as on
    SIGTERM, and with this process however that ends. Raises `CannotServe`.
    """
    listening = bind(host="127.0.0.1", port=0)
    here, there = _SPAWN.Pipe(duplex=False)
    process = _SPAWN.Process(target=_serve_child, args=(settings, listening, there), name="foreknow-server")
    process.start()
    there.close()
    try:
        try:
            here.recv()
        except EOFError:
            raise CannotServe("the service could not start; the log says why") from None
        yield url_of(listening)
    finally:
        process.terminate()
        process.join()
        listening.close()
        here.close()


def _serve_child(settings: Settings, listening: socket.socket, started: Connection) -> None:
    """Serve in a child process, telling the parent when requests are answered."""
    # The parent's failure or success is what is told; here only what is wrong.
    configure_logging(level="error", form=settings.log_format, stream=lambda: sys.stderr)
    _leave_with_parent()
    server = Server(App(settings), on_start=lambda: started.send("started"))
    with contextlib.suppress(CannotServe):
        server.serve_on(listening)


def worker() -> App:
    """Build a worker's application: what uvicorn's child processes call."""
    settings = Settings()
    configure_logging(level=settings.log_level, form=settings.log_format)
    _leave_with_parent()
    return App(settings)


def _leave_with_parent() -> None:
    """Stop this child process when its parent ends: a killed one could not say so, and we would keep its port."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="watch-parent", daemon=True).start()


def _supervise(listening: socket.socket, workers: int) -> None:
    where = url_of(listening)
    log.info("serving", url=where, docs=f"{where}/docs", workers=workers)
    supervisor = Multiprocess(_config("foreknow.server:worker", factory=True, workers=workers), [listening])
    supervisor.run()
    if any(process.exitcode == STARTUP_FAILURE for process in supervisor.processes):
        raise CannotServe("the service could not start; the log says why")


def _config(app: Any, **rest: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=HttpProtocol,
        ws="websockets-sansio",
        ws_ping_interval=PING_S,
        ws_ping_timeout=PING_S,
        ws_max_size=SOCKET_MESSAGE_BYTES_MAX,
        # A trade is a hundred bytes: compressing it for thousands of sockets costs more than it saves.
        ws_per_message_deflate=False,
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_keep_alive=KEEP_ALIVE_S,
        timeout_graceful_shutdown=DRAIN_S,
        **rest,
    )
