"""Several processes that serve one address: started, watched, replaced where they die, stopped together.

The parent serves nobody. Each worker has a listening socket of its own on the address, among which the system spreads
new connections evenly (with one socket for all, whoever is awake takes nearly all of them). The parent keeps the
sockets open, so that whoever connects while a dead worker is being replaced waits for the next one.
"""

from __future__ import annotations

import contextlib
import multiprocessing
import os
import signal
import socket
import time
from collections.abc import Iterator, Sequence
from multiprocessing.connection import Connection, wait
from multiprocessing.process import BaseProcess
from typing import Any

import structlog

from foreknow.app import App
from foreknow.kernel.backoff import BackOff
from foreknow.kernel.clock import SECOND_MS
from foreknow.kernel.startup import CannotServe
from foreknow.logging import configure_logging
from foreknow.server import (
    STOP_S,
    Server,
    bind,
    leave_with_parent,
    prepare_process,
    tell,
    tell_bounds,
    url_of,
)
from foreknow.settings import Settings

log = structlog.get_logger("foreknow.workers")

#: A worker that lived for so long was well: it is replaced at once.
WELL_AFTER_S = 10.0
#: How long to wait before one that was not is replaced.
BACK_OFF = BackOff(first_ms=SECOND_MS, most_ms=30 * SECOND_MS)
#: How long after its own limit a worker that does not stop is killed.
KILL_AFTER_S = 5.0
#: Workers are copies of a process that has all code loaded and runs none of it: they start at once, share the memory
#: of what they share, and are of one release, whatever becomes of the files on the disk.
_CONTEXT = multiprocessing.get_context("forkserver")
_CONTEXT.set_forkserver_preload(["foreknow.workers"])


def serve_together(settings: Settings, *, host: str, port: int, workers: int) -> None:
    """Serve from several processes until a signal says to stop. Raises `CannotServe`.

    Only the first start has to succeed: a worker that cannot be replaced, because the database is away, say, is tried
    again for as long as it takes, while the others serve.
    """
    Workers(settings.model_copy(update={"listen_host": host, "workers": workers}), _bind_all(host, port, workers)).run()


def _bind_all(host: str, port: int, count: int) -> list[socket.socket]:
    """Take an address `count` times; the system hands out its connections evenly."""
    # Whoever shares this port with others already would share its connections with us, too: this attempt is refused.
    bind(host=host, port=port).close()
    first = bind(host=host, port=port, shared=True)
    port = first.getsockname()[1]
    return [first, *(bind(host=host, port=port, shared=True) for _ in range(1, count))]


class Worker:
    """A place for a process that serves."""

    def __init__(self, settings: Settings, listening: socket.socket) -> None:
        """Let every process of this place serve on `listening`."""
        self._settings = settings
        self.listening = listening
        self.process: BaseProcess | None = None
        #: Says once that the process answers requests.
        self.started: Connection | None = None
        self.has_served = False
        self.start_at_s = 0.0
        self._began_s = 0.0
        self._failures = 0

    def start(self) -> None:
        """Start a process."""
        here, there = _CONTEXT.Pipe(duplex=False)
        arguments = (self._settings, self.listening, there)
        self.process = _CONTEXT.Process(target=_serve, args=arguments, name="foreknow-worker")
        self.process.start()
        there.close()
        self.started = here
        self._began_s = time.monotonic()

    def note_start(self) -> bool:
        """Read what the process has said; tell whether it said that it answers requests, or ended without a word."""
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
        """The process has ended: say when the next one is to be started."""
        assert self.process is not None
        now_s = time.monotonic()
        self._failures = 0 if now_s - self._began_s >= WELL_AFTER_S else self._failures + 1
        pause_s = BACK_OFF.pause_ms(self._failures, jitter=0) / 1000 if self._failures else 0.0
        self.start_at_s = now_s + pause_s
        log.error("a worker died", pid=self.process.pid, exit_code=self.process.exitcode, restart_in_s=pause_s)
        self._forget()

    def signal(self, number: int) -> None:
        """Pass a signal on: go, or go faster."""
        if self.process is not None and self.process.pid is not None and self.process.is_alive():
            os.kill(self.process.pid, number)

    def end(self) -> None:
        """Forget a process that was told to go."""
        self._forget()

    def _forget(self) -> None:
        assert self.process is not None
        self.process.join()
        self.process.close()
        self.process = None
        if self.started is not None:
            self.started.close()
            self.started = None


class Workers:
    """All workers of an address."""

    def __init__(self, settings: Settings, sockets: Sequence[socket.socket]) -> None:
        """Serve with one process for each of `sockets`."""
        self._url = url_of(sockets[0])
        self._workers = [Worker(settings, listening) for listening in sockets]
        self._told = False
        self._stop_s = settings.drain_seconds + STOP_S + KILL_AFTER_S

    def run(self) -> None:
        """Serve until a signal. Raises `CannotServe` where a process does not start at all."""
        with _signals() as signals:
            number: int | None = None
            try:
                for worker in self._workers:
                    worker.start()
                number = self._watch(signals)
            finally:
                self._stop(signals, number or signal.SIGTERM)

    def _watch(self, signals: socket.socket) -> int:
        """Replace processes that end, until a signal comes: return it."""
        while True:
            number = self._hear(signals, timeout_s=self._until_next_start_s())
            if number is not None:
                return number
            for worker in self._workers:
                # What it said, before whether it lives: it may have said that it serves and died.
                self._hear_start(worker)
                if worker.process is not None and not worker.process.is_alive():
                    if not worker.has_served:
                        raise CannotServe("the service could not start; the log says why")
                    worker.note_end()
                if worker.process is None and worker.start_at_s <= time.monotonic():
                    worker.start()

    def _hear_start(self, worker: Worker) -> None:
        """Hear what a process has said, if it has, and say once that every place serves."""
        if worker.started is None or not worker.started.poll() or not worker.note_start() or self._told:
            return
        # Places are counted, not processes: one that dies and is replaced stands for no other.
        if all(one.has_served for one in self._workers):
            self._told = True
            tell(self._url, workers=len(self._workers))

    def _until_next_start_s(self) -> float | None:
        due = [worker.start_at_s for worker in self._workers if worker.process is None]
        return max(0.0, min(due) - time.monotonic()) if due else None

    def _hear(self, signals: socket.socket, *, timeout_s: float | None) -> int | None:
        """Wait for something to happen, and return it if it is a signal."""
        sources: list[Any] = [signals]
        for worker in self._workers:
            if worker.process is not None:
                sources.append(worker.process.sentinel)
            if worker.started is not None:
                sources.append(worker.started)
        return signals.recv(1)[0] if signals in wait(sources, timeout_s) else None

    def _stop(self, signals: socket.socket, number: int) -> None:
        """Let all processes go, those that do not by force; signals that come meanwhile hurry them."""
        for worker in self._workers:
            # So that nobody connects any more once the worker has stopped listening.
            worker.listening.close()
            worker.signal(number)
        until_s = time.monotonic() + self._stop_s
        while any(worker.process is not None for worker in self._workers):
            another = self._hear(signals, timeout_s=max(0.0, until_s - time.monotonic()))
            if another is not None:
                for worker in self._workers:
                    worker.signal(another)
            for worker in self._workers:
                if worker.started is not None and worker.started.poll():
                    worker.note_start()
                if worker.process is not None and time.monotonic() > until_s:
                    log.error("a worker does not stop and is killed", pid=worker.process.pid)
                    worker.process.kill()
                    worker.process.join()
                if worker.process is not None and not worker.process.is_alive():
                    worker.end()


@contextlib.contextmanager
def _signals() -> Iterator[socket.socket]:
    """Yield a socket that brings a byte, its number, for each SIGTERM and SIGINT that comes."""
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


def _serve(settings: Settings, listening: socket.socket, started: Connection) -> None:
    """Serve in a process of its own, and tell the parent when requests are answered."""
    configure_logging(level=settings.log_level, form=settings.log_format)
    leave_with_parent()
    prepare_process()
    tell_bounds(settings)
    # Ctrl-C goes to all processes of a terminal's group. It is the parent's to pass on.
    os.setpgid(0, 0)

    def tell_parent() -> None:
        started.send("started")
        started.close()
        log.info("a worker serves", pid=os.getpid())

    server = Server(App(settings), on_start=tell_parent, drain_s=settings.drain_seconds)
    with contextlib.suppress(CannotServe):
        server.serve_on(listening)
