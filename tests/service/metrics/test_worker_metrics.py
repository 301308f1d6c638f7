"""The workers of one address answer a scrape together. Real workers: tests/commands/cli/test_serving.py."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack
from pathlib import Path

import pytest

from foreknow.service.metrics import workers
from foreknow.service.metrics.workers import WorkerMetrics, merge, open_sockets
from tests.support.metrics import samples_of

PAGE = b"""\
# HELP bets_total Bets.
# TYPE bets_total counter
bets_total{worker="%d"} %d
# HELP empty_total Nothing yet.
# TYPE empty_total counter
"""


@pytest.fixture
async def three(tmp_path: Path) -> AsyncIterator[list[WorkerMetrics]]:
    """Three workers, of which the last one is not started."""
    async with AsyncExitStack() as stack:
        made = []
        for one in open_sockets(tmp_path, 3):

            async def render(number: int = one.number) -> bytes:
                return PAGE % (number, 10 + number)

            stack.enter_context(one.listening)
            made.append(WorkerMetrics(one, render))
            stack.push_async_callback(made[-1].stop)
        for each in made[:2]:
            each.start()
        yield made


async def test_each_worker_gathers_the_metrics_of_all(
    three: list[WorkerMetrics], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(workers, "ANSWER_S", 0.2)

    assert await three[0].gather() == {0: PAGE % (0, 10), 1: PAGE % (1, 11), 2: None}
    three[2].start()
    monkeypatch.undo()
    assert await three[1].gather() == {1: PAGE % (1, 11), 0: PAGE % (0, 10), 2: PAGE % (2, 12)}


async def test_another_process_takes_the_place_of_one_that_has_ended(
    three: list[WorkerMetrics], monkeypatch: pytest.MonkeyPatch
) -> None:
    await three[1].stop()
    with monkeypatch.context() as patched:
        patched.setattr(workers, "ANSWER_S", 0.2)
        assert (await three[0].gather())[1] is None
    three[1].start()
    assert (await three[0].gather())[1] == PAGE % (1, 11)


def test_pages_become_one_in_which_a_family_stands_once() -> None:
    merged = merge([PAGE % (0, 10), PAGE % (1, 11)])

    assert merged.count(b"# HELP bets_total") == merged.count(b"# TYPE empty_total") == 1
    assert samples_of(merged.decode()) == {
        ("bets_total", frozenset({("worker", "0")})): 10,
        ("bets_total", frozenset({("worker", "1")})): 11,
    }
