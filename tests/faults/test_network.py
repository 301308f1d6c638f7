"""Networks that misbehave on both sides of a service, for moments."""

from __future__ import annotations

import pytest

from faults import network, proxy
from faults.network import FAULTS, Scene, between_clients_and_service, between_service_and_database
from foreknow.platform.db.postgres.pulse import PulseTimes
from tests.support.postgres import Postgres
from tests.support.schema import prepare

pytestmark = pytest.mark.postgres
NAMES = (
    "a jitter of up to 100 ms",
    "one byte at a time",
    "cut from the server",
    "resets",
    "half-open connections",
)
FAULT_S = 0.2


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    """Few traders; single bytes, each of which lets all threads run, only at the beginning."""
    monkeypatch.setattr(network, "TRADERS", 2)
    monkeypatch.setattr(proxy, "SINGLE_BYTES", 16)


def meet_all(scene: Scene) -> None:
    for name in NAMES:
        scene.meet(FAULTS[name], seconds=FAULT_S)


def test_orders_that_a_network_kept_from_their_answers_are_there_once(postgres: Postgres) -> None:
    with between_clients_and_service(postgres.fresh_database(prepare), client_s=2 * FAULT_S) as scene:
        meet_all(scene)
    scene.check()
    assert all(trader.unanswered for trader in scene.traders)


def test_a_network_before_the_database_leaves_no_one_waiting_and_others_alone(
    postgres: Postgres,
) -> None:
    times_s = PulseTimes(slow=0.05, probe=0.5, pause=0.05)
    with between_service_and_database(postgres, postgres.fresh_database(prepare), times_s=times_s) as scene:
        meet_all(scene)
    scene.check()
    # Refused while it lasted, rather than answered after it.
    assert all(trader.statuses[503] for trader in scene.traders)
