"""Simulations of one process over a clock, a network and a disk that a seed decides, short."""

from __future__ import annotations

from collections.abc import Mapping
from random import Random

import pytest

from faults.power import Recording
from faults.simulation import running
from faults.simulation.plan import Act, Disaster, Plan, draw
from faults.simulation.running import Simulation
from tests.support.lengths import LONG, length


@pytest.fixture(scope="module")
def simulation(tmp_path_factory: pytest.TempPathFactory) -> Simulation:
    return Simulation(tmp_path_factory.mktemp("simulation"))


@LONG
def test_no_seed_loses_an_answered_order_or_a_kopeck(simulation: Simulation) -> None:
    done = [simulation.run(draw(seed)) for seed in range(length(short=20, long=2_000))]
    assert sum(one.lives - 1 for one in done) > len(done) / 2
    assert sum(one.executed for one in done) > len(done)
    assert all(sum(kind) > 0 for kind in zip(*((one.posted, one.mailed) for one in done), strict=True))


def test_the_same_seed_is_the_same_to_the_byte(simulation: Simulation) -> None:
    first, again, other = (simulation.run(draw(seed)) for seed in (1, 1, 2))
    assert first == again
    assert first.digest != other.digest


def bet(who: int) -> Act:
    return Act(at_s=0.01 * who, kind="bet", who=who, where=0, amount=500, is_yes=True, is_buy=True)


def test_a_disk_that_forgets_is_noticed_by_the_least_that_shows_it(
    simulation: Simulation, monkeypatch: pytest.MonkeyPatch
) -> None:
    def forgotten(recording: Recording, _moment: int, _chance: Random, *, kept: float) -> Mapping[str, bytes]:
        del kept
        return recording.before

    plan = Plan(3, (bet(1), bet(2), bet(3)), (Disaster(400, is_power=False), Disaster(400, is_power=True)))
    assert simulation.fails(plan) is None
    monkeypatch.setattr(running, "left_after", forgotten)
    smallest = simulation.shrunk(Plan(3, plan.acts, plan.cuts[::-1]))
    assert (len(smallest.acts), smallest.cuts) == (1, (Disaster(400, is_power=True),))
    assert "is lost" in (simulation.fails(smallest) or "")


def test_a_plan_is_made_smaller_in_every_way() -> None:
    plan = draw(5)
    smaller = list(plan.smaller())
    assert {len(one.cuts) for one in smaller} <= {len(plan.cuts), len(plan.cuts) - 1}
    assert all(len(one.acts) + len(one.cuts) < len(plan.acts) + len(plan.cuts) for one in smaller)
    assert {act for act in plan.acts if any(act not in one.acts for one in smaller)} == set(plan.acts)
