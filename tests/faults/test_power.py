"""The power fails while traders bet: what was answered is there, and that would be noticed otherwise."""

from __future__ import annotations

from dataclasses import replace

import pytest

from faults.fsync import Trace, cut_at_answers
from faults.power import Recording, cut, record
from faults.trading import AnsweredAndLost


@pytest.fixture(scope="module")
def recording() -> Recording:
    """What SQLite did while traders bet."""
    return record(bets=40)


def test_no_answered_bet_is_lost_by_a_power_cut(recording: Recording) -> None:
    assert {step.file for step in recording.steps} >= {"foreknow.sqlite3", "foreknow.sqlite3-wal"}
    assert cut(recording, cuts=9) > 0


def test_every_bet_is_on_the_disk_when_it_is_answered(recording: Recording) -> None:
    assert cut_at_answers(recording) == 40


def test_bets_that_were_never_synced_are_found_missing(recording: Recording) -> None:
    unsynced = replace(recording, steps=[step for step in recording.steps if step.kind != "sync"])
    with pytest.raises(AnsweredAndLost):
        cut_at_answers(unsynced)


REQUEST = '7 read(9<socket:[1]>, "POST /api/v1/market/bets HTTP/1.1"..., 256000) = 300'
WRITE = '8 pwrite64(11</data/foreknow.sqlite3-wal>, "\\0"..., 4096, 56) = 4096'
SYNC = "8 fdatasync(11</data/foreknow.sqlite3-wal>) = 0"
BEGUN, BACK = "8 fdatasync(11</data/foreknow.sqlite3-wal> <unfinished ...>", "8 <... fdatasync resumed>) = 0"
ANSWER = '7 write(9<socket:[1]>, "HTTP/1.1 201 Created"..., 700) = 700'


@pytest.mark.parametrize(
    ("lines", "too_early"),
    [
        ([REQUEST, WRITE, SYNC, ANSWER], 0),
        ([REQUEST, WRITE, BEGUN, BACK, ANSWER], 0),
        ([REQUEST, WRITE, BEGUN, ANSWER, BACK], 1),
        ([REQUEST, SYNC, WRITE, ANSWER], 1),
        ([REQUEST, WRITE, SYNC.replace("= 0", "= -1 EIO"), ANSWER], 1),
        ([REQUEST, WRITE, SYNC.replace("-wal", ""), ANSWER], 1),
    ],
)
def test_the_trace_finds_answers_before_their_sync(lines: list[str], too_early: int) -> None:
    trace = Trace()
    for line in lines:
        trace.read(line)
    assert (trace.answers, trace.too_early) == (1, too_early)
