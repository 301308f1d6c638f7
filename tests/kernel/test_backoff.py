"""Pauses after failures."""

from __future__ import annotations

import pytest

from foreknow.kernel.backoff import BackOff
from foreknow.market.assets import refresher
from foreknow.market.images import service
from foreknow.people.alerts import sender
from foreknow.service import worker_processes

BACK_OFF = BackOff(first_ms=1_000, most_ms=30_000)


def test_pauses_double_up_to_their_bound() -> None:
    pauses_ms = [BACK_OFF.pause_ms(failures, jitter=0) for failures in range(1, 8)]
    assert pauses_ms == [1_000, 2_000, 4_000, 8_000, 16_000, 30_000, 30_000]


def test_jitter_takes_up_to_half_of_a_pause_away() -> None:
    assert [BACK_OFF.pause_ms(2, jitter=jitter) for jitter in (0, 0.5, 1)] == [2_000, 1_500, 1_000]
    assert BACK_OFF.pause_ms(9, jitter=1) == 15_000


@pytest.mark.parametrize("back_off", [sender.BACK_OFF, refresher.BACK_OFF, service.BACK_OFF, worker_processes.BACK_OFF])
def test_a_provider_that_is_away_for_days_is_still_asked(back_off: BackOff) -> None:
    assert back_off.pause_ms(1, jitter=0) == back_off.first_ms
    for failures in (20, 1_025, 10**6):
        assert back_off.pause_ms(failures, jitter=0) == back_off.most_ms
