"""Several processes that serve one address: started, supervised, replaced when they die, stopped together.

The parent serves no requests. Each worker has its own listening socket on the address, and the system spreads new
connections evenly over them (with a shared socket, an active worker would accept nearly all). The parent keeps the
sockets open, so that connections wait while a dead worker is replaced.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import structlog

from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import SECOND_MS
from foreknow.kernel.logging import configure_logging
from foreknow.kernel.settings import Settings
from foreknow.kernel.startup import CannotServe
from foreknow.service.app import App
from foreknow.service.metrics import WorkerSocket, open_sockets
from foreknow.service.server import (
    STOP_S,
    Server,
    bind,
    log_connection_limit,
    log_serving,
    prepare_process,
    stop_with_parent,
    url_of,
)

log = structlog.get_logger("foreknow.worker_processes")

#: A worker that lived this long is replaced at once.
HEALTHY_AFTER_S = 10.0
#: Pauses before replacing workers that died sooner.
BACK_OFF = BackOff(first_ms=SECOND_MS, most_ms=30 * SECOND_MS)
#: Time after a worker's own limit until it is killed.
KILL_AFTER_S = 5.0
#: Workers are forked from a process that has imported all code: they start fast, share memory, and run the same release
#: even if the files on disk change.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["foreknow.service.worker_processes"])


def serve_together(
    settings: Settings, *, host: str, port: int, workers: int, on_serving: Callable[[str], None] | None = None
) -> None:
    """Serve from several processes until a signal to stop. Raises `CannotServe`.

    `on_serving` is called with the URL once all of them serve it.

    Only the first start must succeed: replacing a worker later, while the database is down for example, is retried for
    as long as it takes, while the others serve.
    """
    given = settings.model_copy(update={"listen_host": host, "workers": workers})
    listening = _bind_all(host, port, workers)
    with contextlib.ExitStack() as stack:
        try:
            folder = stack.enter_context(tempfile.TemporaryDirectory(prefix="foreknow-"))
            metrics = open_sockets(Path(folder), workers)
        except OSError as failure:
            raise CannotServe(f"the workers' sockets cannot be made (TMPDIR): {failure}") from failure
        for one in metrics:
            stack.enter_context(one.listening)
        Workers(given, listening, metrics, on_serving).run()


def _bind_all(host: str, port: int, count: int) -> list[socket.socket]:
    """Bind an address `count` times; the system spreads its connections evenly."""
    # Bound exclusively first, which fails if another service has bound the port with SO_REUSEPORT.
    bind(host=host, port=port).close()
    first = bind(host=host, port=port, shared=True)
    port = first.getsockname()[1]
    return [first, *(bind(host=host, port=port, shared=True) for _ in range(1, count))]


class WorkerProcess:
    """One listening socket and its current process."""

    def __init__(self, settings: Settings, listening: socket.socket, metrics: WorkerSocket) -> None:
        """Serve on `listening` with each process, which gives the other workers its metrics on `metrics`."""
        self._settings = settings
        self._metrics = metrics
        self.listening = listening
        self.process: BaseProcess | None = None
        #: Receives one message once the process serves requests.
        self.started: Connection | None = None
        self.has_served = False
        self.start_at_s = 0.0
        self._began_s = 0.0
        self._failures = 0

    def start(self) -> None:
        """Start a process."""
        receiver, sender = _CONTEXT.Pipe(duplex=False)
        arguments = (self._settings, self.listening, self._metrics, sender)
        self.process = _CONTEXT.Process(target=_serve, args=arguments, name="foreknow-worker")
        self.process.start()
        sender.close()
        self.started = receiver
        self._began_s = time.monotonic()

    def note_start(self) -> bool:
        """Read the process's message; return whether it serves requests (False: it ended without a message)."""
        assert self.started is not None
        try:
            self.started.recv()
        except EOFError:
            serves = False
        else:
            serves = self.has_served = True
        self.started.close()
        self.started = None
        return serves

    def note_end(self) -> None:
        """Log the end of the process, and schedule the next one."""
        assert self.process is not None
        now_s = time.monotonic()
        self._failures = 0 if now_s - self._began_s >= HEALTHY_AFTER_S else self._failures + 1
        pause_s = BACK_OFF.pause_ms(self._failures, jitter=0) / 1000 if self._failures else 0.0
        self.start_at_s = now_s + pause_s
        log.error("worker died", pid=self.process.pid, exit_code=self.process.exitcode, restart_in_s=pause_s)
        self._clear()

    def signal(self, number: int) -> None:
        """Send a signal to the process."""
        if self.process is not None and self.process.pid is not None and self.process.is_alive():
            os.kill(self.process.pid, number)

    def end(self) -> None:
        """Clean up after a process that was asked to stop."""
        self._clear()

    def _clear(self) -> None:
        assert self.process is not None
        self.process.join()
        self.process.close()
        self.process = None
        if self.started is not None:
            self.started.close()
            self.started = None


class Workers:
    """All workers of an address."""

    def __init__(
        self,
        settings: Settings,
        sockets: Sequence[socket.socket],
        metrics: Sequence[WorkerSocket],
        on_serving: Callable[[str], None] | None,
    ) -> None:
        """Serve with a process per socket; `metrics` has a socket of its own for each."""
        self._on_serving = on_serving
        self._url = url_of(sockets[0])
        self._settings = settings
        self._workers = [WorkerProcess(settings, *its) for its in zip(sockets, metrics, strict=True)]
        self._has_logged_start = False
        self._stop_s = settings.drain_seconds + STOP_S + KILL_AFTER_S

    def run(self) -> None:
        """Serve until a signal. Raises `CannotServe` if a process does not start at first."""
        with _signals() as signals:
            number: int | None = None
            try:
                for worker in self._workers:
                    worker.start()
                number = self._supervise(signals)
            finally:
                self._stop(signals, number or signal.SIGTERM)

    def _supervise(self, signals: socket.socket) -> int:
        """Replace processes that end, until a signal, which is returned."""
        while True:
            number = self._wait(signals, timeout_s=self._until_next_start_s())
            if number is not None:
                return number
            for worker in self._workers:
                # Before checking whether it is alive: it may have started and died.
                self._receive_start(worker)
                if worker.process is not None and not worker.process.is_alive():
                    if not worker.has_served:
                        raise CannotServe("the service could not start; the log says why")
                    worker.note_end()
                if worker.process is None and worker.start_at_s <= time.monotonic():
                    worker.start()

    def _receive_start(self, worker: WorkerProcess) -> None:
        """Receive a process's start message, if any; log once that all workers serve."""
        if worker.started is None or not worker.started.poll() or not worker.note_start() or self._has_logged_start:
            return
        if all(each.has_served for each in self._workers):
            self._has_logged_start = True
            log_serving(self._url, self._settings, host=self._settings.listen_host, workers=len(self._workers))
            if self._on_serving is not None:
                self._on_serving(self._url)

    def _until_next_start_s(self) -> float | None:
        due = [worker.start_at_s for worker in self._workers if worker.process is None]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _wait(self, signals: socket.socket, *, timeout_s: float | None) -> int | None:
        """Wait for a signal, a start message or the end of a process; return a signal's number."""
        sources: list[Any] = [signals]
        for worker in self._workers:
            if worker.process is not None:
                sources.append(worker.process.sentinel)
            if worker.started is not None:
                sources.append(worker.started)
        return signals.recv(1)[0] if signals in wait(sources, timeout_s) else None

    def _stop(self, signals: socket.socket, number: int) -> None:
        """Stop all processes, passing on further signals; kill those that do not stop in time."""
        for worker in self._workers:
            # The parent's copy would keep the socket listening after the worker has closed its own.
            worker.listening.close()
            worker.signal(number)
        until_s = time.monotonic() + self._stop_s
        while any(worker.process is not None for worker in self._workers):
            another = self._wait(signals, timeout_s=max(0.0, until_s - time.monotonic()))
            if another is not None:
                for worker in self._workers:
                    worker.signal(another)
            for worker in self._workers:
                if worker.started is not None and worker.started.poll():
                    worker.note_start()
                if worker.process is not None and time.monotonic() > until_s:
                    log.error("worker did not stop in time: killed", pid=worker.process.pid)
                    worker.process.kill()
                    worker.process.join()
                if worker.process is not None and not worker.process.is_alive():
                    worker.end()


@contextlib.contextmanager
def _signals() -> Iterator[socket.socket]:
    """Yield a socket that receives the number of each SIGTERM and SIGINT as a byte."""
    ours, theirs = socket.socketpair()
    theirs.setblocking(False)
    before = {number: signal.signal(number, lambda *_: None) for number in (signal.SIGTERM, signal.SIGINT)}
    signal.set_wakeup_fd(theirs.fileno())
    try:
        with ours, theirs:
            yield ours
    finally:
        signal.set_wakeup_fd(-1)
        for number, handler in before.items():
            signal.signal(number, handler)


def _serve(settings: Settings, listening: socket.socket, metrics: WorkerSocket, started: Connection) -> None:
    """Serve in a worker process, and notify the parent once it serves requests."""
    configure_logging(level=settings.log_level, form=settings.log_format)
    stop_with_parent()
    prepare_process()
    log_connection_limit(settings)
    # A process group of its own: Ctrl-C goes to the whole group of the terminal, and the parent passes it on.
    os.setpgid(0, 0)

    def notify_parent() -> None:
        started.send("started")
        started.close()
        log.info("worker started", pid=os.getpid())

    server = Server(App(settings, worker=metrics), on_start=notify_parent, drain_s=settings.drain_seconds)
    with contextlib.suppress(CannotServe):
        server.serve_on(listening)
