"""The service as it is served, on a real socket, in a thread of the test process."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import math
import socket
import sys
import threading
from collections.abc import Coroutine, Iterator
from typing import Any, TypeVar

from foreknow.kernel.startup import CannotServe
from foreknow.platform.jobs import Worker
from foreknow.service import server
from foreknow.service.app import App

Result = TypeVar("Result")
START_S = 120
#: A little longer than the server's own limit, so that what it says of a request that holds it up is in the log.
STOP_S = 60
#: Longer than any run.
RESTING_S = 36_000


class ServerDidNotStart(RuntimeError):
    pass


class Server:
    """One running `App` on a port of 127.0.0.1, by default a free one."""

    def __init__(self, app: App, *, port: int = 0) -> None:
        """Start, and return once requests are answered."""
        self.app = app
        self._listening = server.bind(host="127.0.0.1", port=port)
        self.port: int = self._listening.getsockname()[1]
        self._server = server.Server(app, on_start=self._on_start)
        self._started = threading.Event()
        #: How often the workers that rest would poll.
        self._polls_s: dict[Worker, float] = {}
        self._thread = threading.Thread(target=self._serve, name=f"server-{self.port}", daemon=True)
        self._thread.start()
        if not self._started.wait(START_S) or not hasattr(self, "loop"):
            raise ServerDidNotStart("the captured log says why")

    def run(self, work: Coroutine[Any, Any, Result], *, timeout_s: float = 60) -> Result:
        """Run a coroutine on the server's event loop (to look into `app.db`, say) and return its result."""
        try:
            return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout_s)
        except TimeoutError:
            _say_where_threads_are()
            raise

    def wake_workers(self, *names: str) -> None:
        """Let workers, by default all, look at once for what is due, however long they would rest.

        A server that has stopped has none.
        """
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(self._wake_workers, names)

    def rest(self) -> None:
        """Let workers look for what is due only when woken: thirty that poll take 6 % of a core on PostgreSQL."""
        self.loop.call_soon_threadsafe(self._rest)

    def go_on(self) -> None:
        """Let the workers that rest poll again."""
        self.loop.call_soon_threadsafe(self._go_on)

    def _wake_workers(self, names: tuple[str, ...] = ()) -> None:
        for name, worker in self._workers():
            if not names or name in names:
                worker._throttle._next_s = -math.inf
                worker.wake()

    def _rest(self) -> None:
        for _, worker in self._workers():
            self._polls_s.setdefault(worker, worker._throttle._poll_s)
            worker._throttle._poll_s = RESTING_S

    def _go_on(self) -> None:
        for worker, poll_s in self._polls_s.items():
            worker._throttle._poll_s = poll_s
            worker.wake()
        self._polls_s.clear()

    def _workers(self) -> Iterator[tuple[str, Worker]]:
        """Yield the workers that run, each with its name."""
        for task in asyncio.all_tasks(self.loop):
            frame = getattr(task.get_coro(), "cr_frame", None)
            worker = frame.f_locals.get("self") if frame is not None else None
            if isinstance(worker, Worker):
                yield task.get_name(), worker

    def limit_send_buffers(self) -> None:
        """Let the system keep little for connections made from now on: what is not read soon waits in the server."""
        self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)

    def stop_soon(self) -> None:
        """Begin to shut down as on SIGTERM, and return at once."""
        self._server.should_exit = True

    def stop(self) -> None:
        """Shut down as on SIGTERM; the port is free afterwards."""
        self.stop_soon()
        self._thread.join(STOP_S)
        if self._thread.is_alive():
            _say_where_threads_are()
            raise AssertionError("the server does not stop: standard error says where its thread is")

    def _on_start(self) -> None:
        self.loop = asyncio.get_running_loop()
        self._started.set()

    def _serve(self) -> None:
        try:
            self._server.serve_on(self._listening)
        except CannotServe:
            # A thread that waits for the start finds no loop.
            self._started.set()
        finally:
            self._listening.close()


def _say_where_threads_are() -> None:
    faulthandler.dump_traceback(sys.__stderr__ or sys.stderr)
