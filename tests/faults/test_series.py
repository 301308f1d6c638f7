"""A series through a year, with kills: thinned to a few instances."""

from __future__ import annotations

import pytest

from faults.series import run_year


@pytest.mark.slow
def test_each_instance_of_a_year_is_resolved_by_its_evidence_and_paid_once(database_url: str) -> None:
    done = run_year(database_url, instances=6, kills=3)
    assert len(done.instances) == 6
    assert done.kills == 3
    # The clock leapt over instances that never came to be.
    assert max(done.instances) > 20_000
