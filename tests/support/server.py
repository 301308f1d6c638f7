"""The service as it is served, on a real socket, in a thread of the test process."""

from __future__ import annotations

import asyncio
import contextlib
import faulthandler
import socket
import sys
import threading
import weakref
from collections.abc import Collection, Coroutine
from typing import Any, TypeVar

import uvicorn.server

from foreknow.kernel.startup import CannotServe
from foreknow.platform.jobs import Worker
from foreknow.service import server
from foreknow.service.app import App
from tests.support import waiting

Result = TypeVar("Result")
START_S = 120
#: A little longer than the server's own limit, so that what it says of a request that holds it up is in the log.
STOP_S = 60
#: Longer than any run.
RESTING_S = 36_000
#: Pause of a server that stops between two looks whether it is done.
LOOK_S = 0.002
#: By event loop: set once its server is to stop.
_STOPPING: weakref.WeakKeyDictionary[asyncio.AbstractEventLoop, asyncio.Event] = weakref.WeakKeyDictionary()


class ServerDidNotStart(RuntimeError):
    pass


class _Asyncio:
    """What uvicorn knows as asyncio: its pauses of a tenth of a second end when a server of tests is to stop."""

    def __getattr__(self, name: str) -> Any:
        return getattr(asyncio, name)

    async def sleep(self, seconds: float) -> None:
        """Sleep until then or until the server is to stop; from then on for a moment."""
        stopping = _STOPPING.get(asyncio.get_running_loop())
        if stopping is None:
            await asyncio.sleep(seconds)
        elif stopping.is_set():
            await asyncio.sleep(LOOK_S)
        else:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(seconds):
                    await stopping.wait()


# Thousands of servers stop in tests, two such pauses each.
vars(uvicorn.server)["asyncio"] = _Asyncio()


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
        self._runs = 0
        self._thread = threading.Thread(target=self._serve, name=f"server-{self.port}", daemon=True)
        self._thread.start()
        if not self._started.wait(START_S) or not hasattr(self, "loop"):
            raise ServerDidNotStart("the captured log says why")
        waiting.register(self)

    def run(self, work: Coroutine[Any, Any, Result], *, timeout_s: float = 60) -> Result:
        """Run a coroutine on the server's event loop (to look into `app.db`, say) and return its result."""
        self._runs += 1
        try:
            return asyncio.run_coroutine_threadsafe(work, self.loop).result(timeout_s)
        except TimeoutError:
            _say_where_threads_are()
            raise

    def uses(self) -> int:
        """Count what tests have asked of it."""
        return self._server.server_state.total_requests + self._runs

    def rest(self) -> None:
        """Let workers look for what is due only when woken: thirty that poll take 6 % of a core on PostgreSQL."""
        self.loop.call_soon_threadsafe(self._rest)

    def go_on(self) -> None:
        """Let the workers that rest poll again."""
        self.loop.call_soon_threadsafe(self._go_on)

    def _rest(self) -> None:
        for worker in waiting.running_workers():
            self._polls_s.setdefault(worker, worker._throttle._poll_s)
            worker._throttle._poll_s = RESTING_S

    def _go_on(self) -> None:
        for worker, poll_s in self._polls_s.items():
            worker._throttle._poll_s = poll_s
            worker.wake()
        self._polls_s.clear()

    def let_work(self, workers: Collection[str], *, limit_s: float) -> None:
        """Let workers, by default all, look; return when they have done what is due, or after a limit."""
        if self._thread.is_alive() and not self._server.should_exit:
            asyncio.run_coroutine_threadsafe(waiting.work(workers, limit_s=limit_s), self.loop).result(limit_s + STOP_S)

    def limit_send_buffers(self) -> None:
        """Let the system keep little for connections made from now on: what is not read soon waits in the server."""
        self._listening.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, 16_384)

    def stop_soon(self) -> None:
        """Begin to shut down as on SIGTERM, and return at once."""
        self._server.should_exit = True
        with contextlib.suppress(RuntimeError):
            self.loop.call_soon_threadsafe(_STOPPING[self.loop].set)

    def stop(self) -> None:
        """Shut down as on SIGTERM; the port is free afterwards."""
        self.stop_soon()
        self._thread.join(STOP_S)
        if self._thread.is_alive():
            _say_where_threads_are()
            raise AssertionError("the server does not stop: standard error says where its thread is")

    def _on_start(self) -> None:
        self.loop = asyncio.get_running_loop()
        _STOPPING[self.loop] = asyncio.Event()
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
