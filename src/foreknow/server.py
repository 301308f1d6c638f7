"""How the application is served: one uvicorn server a process, on a socket that is bound before anything else starts.

Proxies' headers are not believed (whoever sits in front is told by settings, not by requests), nothing is logged per
request here, WebSockets are pinged every 20 s and dropped after 20 s of silence. How a server stops stands at `Server`.
"""

from __future__ import annotations

import asyncio
import contextlib
import errno
import gc
import multiprocessing
import os
import resource
import signal
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator
from enum import IntEnum
from functools import partial
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

import structlog
import uvicorn

from foreknow.app import App
from foreknow.kernel.startup import CannotServe
from foreknow.logging import configure_logging
from foreknow.serving.http_protocol import HttpProtocol
from foreknow.serving.state import State
from foreknow.serving.sweep import sweep
from foreknow.settings import Settings
from foreknow.web.connection_limits import unbounded
from foreknow.web.ingress import connections_max
from foreknow.web.sockets import SocketProtocol

log = structlog.get_logger("foreknow.server")

PING_S = 20
#: How long the requests under way may take after a signal to stop; the slowest is one commit.
DRAIN_S = 15
#: How long until the process ends after that signal, whatever the application still waits for.
STOP_S = DRAIN_S + 15
#: How long a connection that waits for its next request has to bring it.
LINGER_S = 0.5
_TICK_S = 0.1
#: Connections are looked at every so many ticks of a tenth of a second.
_SWEEP_TICKS = 10
#: Connections that may wait to be accepted.
BACKLOG = 2048
#: The port is taken, or is one of those (under 1024, on most systems) that only root may take.
_OTHER_PORT_HELPS = {errno.EADDRINUSE, errno.EACCES}
_SPAWN = multiprocessing.get_context("spawn")
#: Clients of the feed have nothing to say.
SOCKET_MESSAGE_BYTES_MAX = 64 * 1024


#: For the garbage collector: so many new objects, then so many times that, and that again until all are looked at.
GARBAGE_THRESHOLDS = (5_000, 10, 10)


def serve(settings: Settings, *, host: str, port: int) -> None:
    """Serve until a signal says to stop. Raises `CannotServe` where the address or the database does not allow it."""
    listening = bind(host=host, port=port)
    prepare_process()
    tell_bounds(settings)
    try:
        server = Server(
            App(settings.model_copy(update={"listen_host": host})),
            on_start=partial(tell, url_of(listening)),
            drain_s=settings.drain_seconds,
        )
        server.serve_on(listening)
    finally:
        listening.close()


def tell(url: str, **more: object) -> None:
    """Say in the log where the service is."""
    log.info("serving", url=url, docs=f"{url}/docs", **more)


def tell_bounds(settings: Settings) -> None:
    """Say in the log where fewer connections may be open than the settings ask for: files are short."""
    allowed = connections_max(settings)
    if allowed < settings.connections_max:
        log.warning(
            "open files bound the connections: raise the limit (ulimit -n, LimitNOFILE)",
            connections_max=allowed,
            asked_for=settings.connections_max,
        )


def bind(*, host: str, port: int, shared: bool = False) -> socket.socket:
    """Take an address; connections are refused until a server listens. Port 0 takes any free one.

    `shared`: the same address may be taken again, and the system spreads connections among all who listen on it.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        taken = socket.socket(family, kind, protocol)
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        taken.bind(address)
    except OSError as failure:
        remedy = "; choose another port with --port" if failure.errno in _OTHER_PORT_HELPS else ""
        raise CannotServe(f"cannot listen on {host}:{port}: {failure.strerror or failure}{remedy}") from failure
    taken.set_inheritable(True)
    return taken


def prepare_process() -> None:
    """Fit this process for thousands of connections: call it once all modules are imported."""
    # As many files and sockets as the system allows. (macOS says "unlimited" and then refuses it.)
    _, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))
    # A full collection looks at every object of every connection and stops all work meanwhile: with 5,000 sockets a
    # third of a second. It is to be rare, and to leave out what stays for good.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GARBAGE_THRESHOLDS)


def url_of(listening: socket.socket) -> str:
    """Return where a client on this machine finds the socket, such as http://127.0.0.1:8000."""
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host) or (f"[{host}]" if ":" in host else host)  # noqa: S104 - compared, not bound
    return f"http://{shown}:{port}"


class Stage(IntEnum):
    """How far a server has come on its way out."""

    SERVING = 0
    LEAVING = 1
    STOPPING = 2
    CUTTING = 3


class Server(uvicorn.Server):
    """A uvicorn server with the settings of the house, which goes without anybody losing an answer.

    On SIGTERM it is LEAVING for `drain_s`: it serves on, but GET /ready answers 503 and every answer closes its
    connection, so that balancers turn elsewhere. Then it is STOPPING: it takes no new connections, closes sockets with
    1012, ends event streams and answers what is under way, for `DRAIN_S` at most; the application finishes, and the
    process ends. Each further signal takes it to the next stage, the last of which is CUTTING: it waits for nothing
    more. Ctrl-C begins with STOPPING.
    """

    def __init__(self, app: Any, *, on_start: Callable[[], None] = lambda: None, drain_s: float = 0) -> None:
        """Make a server of one process; `on_start` is called once requests are answered."""
        super().__init__(_config(app))
        self.server_state: State = State(app.edge.connection_limits if isinstance(app, App) else unbounded())
        self._app = app
        self._on_start = on_start
        self._drain_s = drain_s
        self._stage = Stage.SERVING

    def serve_on(self, listening: socket.socket) -> None:
        """Serve until a signal, or `should_exit` set by another thread. Raises `CannotServe`."""
        try:
            self.run(sockets=[listening])
        except (SystemExit, OSError) as ended:
            raise CannotServe("the service could not start; the log says why") from ended

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, and say so."""
        await super().startup(sockets)
        self._on_start()

    async def on_tick(self, counter: int) -> bool:
        """Look at all connections every second."""
        if counter % _SWEEP_TICKS == 0:
            await sweep(self.server_state)
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Take the next stage. uvicorn would raise the signal again at the end, as if the process had failed."""
        if self._stage is not Stage.SERVING:
            self._stage = Stage(min(self._stage + 1, Stage.CUTTING))
        else:
            self._stage = Stage.LEAVING if sig == signal.SIGTERM and self._drain_s else Stage.STOPPING
        self.should_exit = True
        self.force_exit = self._stage is Stage.CUTTING

    async def main_loop(self) -> None:
        """Serve until told to stop, and then for as long as it takes balancers to notice."""
        await super().main_loop()
        if self._stage is Stage.LEAVING:
            log.info("leaving", seconds=self._drain_s)
            self._begin_to_close()
        until_s = time.monotonic() + self._drain_s
        ticks = 0
        while self._stage is Stage.LEAVING and time.monotonic() < until_s:
            ticks += 1
            await asyncio.sleep(_TICK_S)
            # Answers bear the time.
            await self.on_tick(ticks)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Drain and stop, and say so."""
        self._stage = max(self._stage, Stage.STOPPING)
        log.info("stopping", requests_under_way=len(self.server_state.tasks))
        self._begin_to_close()
        try:
            async with asyncio.timeout(STOP_S):
                await self._stop_listening(sockets or [])
                await self._hear_out()
                await super().shutdown(sockets)
        except TimeoutError:
            log.error("the application did not finish in time")  # noqa: TRY400 - where it hangs is not where we are
        log.info("stopped")

    def _begin_to_close(self) -> None:
        """Tell balancers that this server goes, and close each connection with its next answer."""
        if isinstance(self._app, App):
            self._app.leaving = True
        self.server_state.closing = True
        for connection in self.server_state.connections:
            if isinstance(connection, HttpProtocol):
                connection.close_soon()

    async def _stop_listening(self, sockets: list[socket.socket]) -> None:
        """Listen no more, and take in who has connected by then: the system would cut them off."""
        listening = [one.dup() for one in sockets]
        for server in self.servers:
            server.close()
        # The event loop lets go of its sockets in its next turn.
        await asyncio.sleep(0)
        arrived: list[socket.socket] = []
        for one in listening:
            one.setblocking(False)
            with one, contextlib.suppress(OSError):
                while len(arrived) < BACKLOG:
                    arrived.append(one.accept()[0])
        for connection in arrived:
            try:
                await asyncio.get_running_loop().connect_accepted_socket(self._protocol, connection)
            except OSError:
                # It has gone again.
                connection.close()

    def _protocol(self) -> HttpProtocol:
        return HttpProtocol(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)

    async def _hear_out(self) -> None:
        """Give idle connections a moment: a request may be on its way that nobody will send a second time."""
        until_s = time.monotonic() + LINGER_S
        while any(isinstance(one, HttpProtocol) and one.is_idle for one in self.server_state.connections):
            if time.monotonic() > until_s or self.force_exit:
                break
            await asyncio.sleep(LINGER_S / 10)


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
    leave_with_parent()
    prepare_process()
    server = Server(App(settings), on_start=lambda: started.send("started"))
    with contextlib.suppress(CannotServe):
        server.serve_on(listening)


def leave_with_parent() -> None:
    """Stop this child process when its parent ends: a killed one could not say so, and we would keep its port."""
    parent = multiprocessing.parent_process()
    assert parent is not None

    def watch() -> None:
        parent.join()
        os.kill(os.getpid(), signal.SIGTERM)

    threading.Thread(target=watch, name="watch-parent", daemon=True).start()


def _config(app: Any) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        loop="uvloop",
        http=HttpProtocol,
        ws=SocketProtocol,
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
        timeout_graceful_shutdown=DRAIN_S,
    )
