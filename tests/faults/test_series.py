"""A series through a year, with kills: thinned to a few instances."""

from __future__ import annotations

import pytest

from faults.series import run_year
from tests.support.lengths import LONG, length


@LONG
@pytest.mark.slow
def test_each_instance_of_a_year_is_resolved_by_its_evidence_and_paid_once(database_url: str) -> None:
    instances, kills = length(short=(2, 1), long=(6, 3))
    done = run_year(database_url, instances=instances, kills=kills)
    assert len(done.instances) == instances
    assert done.kills == kills
    # The clock leapt over instances that never came to be.
    assert max(done.instances) > length(short=17_000, long=20_000)
