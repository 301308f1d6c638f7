"""When the parent of several workers says that all of them serve. Real workers: test_serving.py."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from multiprocessing import Pipe
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from foreknow.kernel.settings import Settings
from foreknow.service.metrics import open_sockets
from foreknow.service.server import bind
from foreknow.service.worker_processes import WorkerProcess, Workers


@pytest.fixture
def workers(tmp_path: Path) -> Iterator[Workers]:
    """Two places, whose processes a test speaks for."""
    with ExitStack() as stack:
        sockets = [stack.enter_context(bind(host="127.0.0.1", port=0)) for _ in range(2)]
        metrics = open_sockets(tmp_path, 2)
        for socket in metrics:
            stack.enter_context(socket.listening)
        yield Workers(Settings(), sockets, metrics, None)


def process(worker: WorkerProcess, *, serves: bool) -> None:
    """Be a process of this place that says that it serves, or ends without a word."""
    worker.started, started = Pipe(duplex=False)
    if serves:
        started.send("started")
    started.close()


def test_a_process_that_ended_without_a_word_does_not_serve_on_under_an_old_id(workers: Workers) -> None:
    worker = workers._workers[0]
    process(worker, serves=True)
    assert worker.note_start()
    process(worker, serves=False)
    assert not worker.note_start()
    assert worker.has_served


def test_they_serve_once_every_place_has_served(workers: Workers) -> None:
    first, second = workers._workers

    def said(worker: WorkerProcess, *, serves: bool) -> list[str]:
        process(worker, serves=serves)
        with capture_logs() as lines:
            workers._receive_start(worker)
        return [line["event"] for line in lines]

    # One that starts, dies and is replaced stands for no other.
    assert said(first, serves=True) == []
    assert said(first, serves=False) == []
    assert said(first, serves=True) == []
    assert said(second, serves=False) == []
    assert said(second, serves=True) == ["serving"]
    assert said(second, serves=True) == [], "it is said once"
