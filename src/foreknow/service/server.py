"""Serves the application: one uvicorn server per process, on a socket bound before anything else starts.

uvicorn's own proxy headers and access log are off (`foreknow.web` does both); WebSockets are pinged every 20 s and
dropped after 20 s of silence. `Server` describes the shutdown.
"""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
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
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any

import structlog
import uvicorn

from foreknow.kernel.hosts import without_secrets
from foreknow.kernel.logging import configure_logging
from foreknow.kernel.settings import Settings
from foreknow.kernel.startup import CannotServe
from foreknow.kernel.versions import full_version
from foreknow.service.app import App
from foreknow.service.serving.http_protocol import HttpProtocol
from foreknow.service.serving.state import ServingState
from foreknow.service.serving.sweep import sweep
from foreknow.web.connection_limits import unbounded
from foreknow.web.ingress import connections_max
from foreknow.web.sockets import SocketProtocol

log = structlog.get_logger("foreknow.server")

PING_S = 20
#: Time for running requests after a signal to stop; the slowest is one commit.
DRAIN_S = 15
#: Time from that signal to the end of the process, whatever the application waits for.
STOP_S = DRAIN_S + 15
#: Time for the next request on idle connections during shutdown.
LINGER_S = 0.5
_TICK_S = 0.1
#: Ticks between sweeps of the connections.
_SWEEP_TICKS = 10
#: Limits the connections waiting to be accepted.
BACKLOG = 2048
#: The port is in use, or reserved for root (under 1024 on most systems).
_OTHER_PORT_HELPS = {errno.EADDRINUSE, errno.EACCES}
_SPAWN = multiprocessing.get_context("spawn")
#: Limits messages of the feed's clients, which are ignored.
SOCKET_MESSAGE_BYTES_MAX = 64 * 1024
#: GC thresholds: generation 0 every 5,000 allocations, generation 1 every 10 of those, generation 2 by `FULL_GC_S`.
GC_THRESHOLDS = (5_000, 10, 1_000_000)
#: Interval of full garbage collections, which stop everything: for 0.3 s with 5,000 sockets. What lives long and is
#: then dropped hardly ever has cycles: closed connections leave none. Freed memory is given back to the system, too.
FULL_GC_S = 300


def serve(settings: Settings, *, host: str, port: int, on_serving: Callable[[str], None] | None = None) -> None:
    """Serve until a signal to stop. Raises `CannotServe` if the address or the database is unavailable.

    `on_serving` is called with the URL once it is served; it must return at once.
    """
    listening = bind(host=host, port=port)
    url = url_of(listening)

    def on_start() -> None:
        log_serving(url, settings, host=host)
        if on_serving is not None:
            on_serving(url)

    prepare_process()
    log_connection_limit(settings)
    try:
        server = Server(
            App(settings.model_copy(update={"listen_host": host})),
            on_start=on_start,
            drain_s=settings.drain_seconds,
        )
        server.serve_on(listening)
    finally:
        listening.close()


def log_serving(url: str, settings: Settings, *, host: str, **fields: object) -> None:
    """Log the URL of the service, and what it serves: the version, the database (without secrets) and the folder.

    Of a loopback address it says that others reach it through a proxy alone.
    """
    if settings.model_copy(update={"listen_host": host}).is_loopback and not settings.trusted_proxies:
        fields["served_to"] = "this machine alone; others: a proxy in front, or --host 0.0.0.0"
    log.info(
        "serving",
        url=url,
        docs=f"{url}/docs",
        version=full_version(),
        database=without_secrets(settings.resolved_database_url),
        data_dir=str(settings.data_dir.absolute()),
        **fields,
    )


def log_connection_limit(settings: Settings) -> None:
    """Log a warning if the limit of open files allows fewer connections than the settings."""
    allowed = connections_max(settings)
    if allowed < settings.connections_max:
        log.warning(
            "connections limited by open files",
            remedy="raise the limit: ulimit -n, LimitNOFILE",
            connections_max=allowed,
            configured=settings.connections_max,
        )


def bind(*, host: str, port: int, shared: bool = False) -> socket.socket:
    """Bind an address; the system refuses connections until a server listens. Port 0: any free port.

    `shared`: the address can be bound several times, and the system spreads connections over the listeners.
    """
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        bound = socket.socket(family, kind, protocol)
        bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        if shared:
            bound.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEPORT, 1)
        bound.bind(address)
    except OSError as failure:
        remedy = "; choose another port with --port" if failure.errno in _OTHER_PORT_HELPS else ""
        raise CannotServe(f"cannot listen on {host}:{port}: {failure.strerror or failure}{remedy}") from failure
    bound.set_inheritable(True)
    return bound


def prepare_process() -> None:
    """Prepare this process for thousands of connections; call it once all modules are imported."""
    # Raise the limit of open files to the maximum. (macOS reports "unlimited" and then rejects it.)
    _, allowed = resource.getrlimit(resource.RLIMIT_NOFILE)
    with contextlib.suppress(ValueError, OSError):
        resource.setrlimit(resource.RLIMIT_NOFILE, (allowed, allowed))
    # Permanent objects are never looked at again.
    gc.collect()
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)


def url_of(listening: socket.socket) -> str:
    """Return the socket's URL for clients on this machine, such as http://127.0.0.1:8000."""
    host, port = listening.getsockname()[:2]
    shown = {"0.0.0.0": "127.0.0.1", "::": "[::1]"}.get(host) or (f"[{host}]" if ":" in host else host)  # noqa: S104 - compared, not bound
    return f"http://{shown}:{port}"


class Stage(IntEnum):
    """The stages of a shutdown."""

    SERVING = 0
    LEAVING = 1
    STOPPING = 2
    CUTTING = 3


class Server(uvicorn.Server):
    """A uvicorn server that shuts down without losing a response.

    On SIGTERM it is LEAVING for `drain_s`: it still serves, but GET /ready responds with 503 and every response closes
    its connection, so that load balancers use other servers. Then it is STOPPING: it accepts no connections, closes
    WebSockets with 1012, ends event streams and finishes running requests, for at most `DRAIN_S`; then the application
    stops, and the process ends. Each further signal moves it to the next stage; in the last, CUTTING, it waits for
    nothing. Ctrl-C starts with STOPPING.
    """

    def __init__(self, app: Any, *, on_start: Callable[[], None] = lambda: None, drain_s: float = 0) -> None:
        """Create the server of one process; calls `on_start` once it serves requests."""
        super().__init__(_config(app))
        self.server_state: ServingState = (
            ServingState(app.ingress.connection_limits, lambda: app.cross_origin)
            if isinstance(app, App)
            else ServingState(unbounded())
        )
        self._app = app
        self._on_start = on_start
        self._drain_s = drain_s
        self._stage = Stage.SERVING
        self._next_full_gc_s = time.monotonic() + FULL_GC_S

    def serve_on(self, listening: socket.socket) -> None:
        """Serve until a signal, or `should_exit` set by another thread. Raises `CannotServe`."""
        try:
            self.run(sockets=[listening])
        except (SystemExit, OSError) as failure:
            raise CannotServe("the service could not start; the log says why") from failure

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then call `on_start`."""
        await super().startup(sockets)
        if isinstance(self._app, App):
            self.server_state.door = self._app.order_door
        self._on_start()

    async def on_tick(self, counter: int) -> bool:
        """Sweep all connections every second; at long intervals collect garbage and give memory back."""
        if counter % _SWEEP_TICKS == 0:
            await sweep(self.server_state)
        if time.monotonic() >= self._next_full_gc_s:
            self._next_full_gc_s = time.monotonic() + FULL_GC_S
            gc.collect()
            await asyncio.to_thread(give_back_freed_memory)
        return await super().on_tick(counter)

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Move to the next stage. Replaces uvicorn's, which re-raises the signal at the end, like a failure."""
        if self._stage is not Stage.SERVING:
            self._stage = Stage(min(self._stage + 1, Stage.CUTTING))
        else:
            self._stage = Stage.LEAVING if sig == signal.SIGTERM and self._drain_s else Stage.STOPPING
        self.should_exit = True
        self.force_exit = self._stage is Stage.CUTTING

    async def main_loop(self) -> None:
        """Serve until a signal to stop, then for `drain_s` while LEAVING."""
        await super().main_loop()
        if self._stage is Stage.LEAVING:
            log.info("leaving", seconds=self._drain_s)
            self._begin_to_close()
        until_s = time.monotonic() + self._drain_s
        ticks = 0
        while self._stage is Stage.LEAVING and time.monotonic() < until_s:
            ticks += 1
            await asyncio.sleep(_TICK_S)
            # Updates the Date header.
            await self.on_tick(ticks)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Finish running requests and stop the application."""
        self._stage = max(self._stage, Stage.STOPPING)
        log.info("stopping", running_requests=len(self.server_state.tasks))
        self._begin_to_close()
        try:
            async with asyncio.timeout(STOP_S):
                await self._stop_listening(sockets or [])
                await self._wait_for_last_requests()
                await super().shutdown(sockets)
        except TimeoutError:
            log.error("application did not stop in time")  # noqa: TRY400 - our traceback does not show where it hangs
        log.info("stopped")

    def _begin_to_close(self) -> None:
        """Make GET /ready respond with 503, and close each connection after its next response."""
        if isinstance(self._app, App):
            self._app.leaving = True
        self.server_state.closing = True
        for connection in self.server_state.connections:
            if isinstance(connection, HttpProtocol):
                connection.close_soon()

    async def _stop_listening(self, sockets: list[socket.socket]) -> None:
        """Stop listening, and accept connections already established: the system would reset them."""
        listening = [original.dup() for original in sockets]
        for server in self.servers:
            server.close()
        # The event loop releases its sockets in the next iteration.
        await asyncio.sleep(0)
        accepted: list[socket.socket] = []
        for listener in listening:
            listener.setblocking(False)
            with listener, contextlib.suppress(OSError):
                while len(accepted) < BACKLOG:
                    accepted.append(listener.accept()[0])
        for connection in accepted:
            try:
                await asyncio.get_running_loop().connect_accepted_socket(self._protocol, connection)
            except OSError:
                # The client has disconnected.
                connection.close()

    def _protocol(self) -> HttpProtocol:
        return HttpProtocol(config=self.config, server_state=self.server_state, app_state=self.lifespan.state)

    async def _wait_for_last_requests(self) -> None:
        """Give idle connections `LINGER_S`: a request may be on its way that its client would not repeat."""
        until_s = time.monotonic() + LINGER_S
        while any(isinstance(one, HttpProtocol) and one.is_idle for one in self.server_state.connections):
            if time.monotonic() > until_s or self.force_exit:
                break
            await asyncio.sleep(LINGER_S / 10)


@contextlib.contextmanager
def running(settings: Settings) -> Iterator[str]:
    """Serve from a child process, on a free port of 127.0.0.1, while the block runs; yields its URL.

    Not a thread, which would share Python's GIL with the client. The child stops as on SIGTERM, and whenever this
    process ends. Raises `CannotServe`.
    """
    listening = bind(host="127.0.0.1", port=0)
    receiver, sender = _SPAWN.Pipe(duplex=False)
    process = _SPAWN.Process(target=_serve_child, args=(settings, listening, sender), name="foreknow-server")
    process.start()
    sender.close()
    try:
        try:
            receiver.recv()
        except EOFError:
            raise CannotServe("the service could not start; the log says why") from None
        yield url_of(listening)
    finally:
        process.terminate()
        process.join()
        listening.close()
        receiver.close()


def _serve_child(settings: Settings, listening: socket.socket, started: Connection) -> None:
    """Serve in a child process, and notify the parent once it serves requests."""
    # Errors only: the parent reports success or failure.
    configure_logging(level="error", form=settings.log_format, stream=lambda: sys.stderr)
    stop_with_parent()
    prepare_process()
    server = Server(App(settings), on_start=lambda: started.send("started"))
    with contextlib.suppress(CannotServe):
        server.serve_on(listening)


def stop_with_parent() -> None:
    """Stop this child process when its parent ends, even if killed, to release the port."""
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
        # A trade has 100 bytes: compressing it for each of thousands of sockets costs more than it saves.
        ws_per_message_deflate=False,
        lifespan="on",
        log_config=None,
        access_log=False,
        proxy_headers=False,
        server_header=False,
        backlog=BACKLOG,
        timeout_graceful_shutdown=DRAIN_S,
    )


def give_back_freed_memory() -> None:
    """Return to the system what was freed; takes 20 ms, and 0.4 ms more for each MiB.

    Only where the C library is glibc; the others keep little.
    """
    trim = getattr(ctypes.CDLL(None), "malloc_trim", None)
    if trim is not None:
        trim(0)
