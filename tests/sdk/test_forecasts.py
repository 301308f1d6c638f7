"""Forecasts by the client: what the service keeps of them, pages, and what one computes without it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from foreknow_client import Client, errors, forecasts
from tests.support.service import Person, Service, pool


@pytest.fixture
def person(sqlite_service: Service) -> Person:
    return sqlite_service.user()


@pytest.fixture
def client(sqlite_service: Service, person: Person) -> Iterator[Client]:
    with Client(sqlite_service.url, key=person.token) as client:
        yield client


@pytest.mark.parametrize(
    "said", [[0.7], [0.0], [1.0], [0.9999, 0.0001], [0.2, 0.8], [0.0, 0.3, 0.7], [1.0, 0.0, 0.0, 0.0, 0.0]]
)
def test_a_forecast_is_kept_as_the_client_computes_it(
    sqlite_service: Service, client: Client, said: list[float]
) -> None:
    names = None if len(said) == 1 else [f"Outcome {number}" for number in range(len(said))]
    (made,) = sqlite_service.event(pools=[pool(names)])["pools"]

    kept = client.set_forecast(made["id"], probabilities=said, outcomes=len(said))

    assert list(kept.probabilities) == pytest.approx(forecasts.kept(said), abs=1e-15)
    again = client.set_forecast(made["id"], probabilities=forecasts.kept(said))
    assert (again.id, again.since) == (kept.id, kept.since)


def test_forecasts_are_said_read_and_taken_back(sqlite_service: Service, person: Person, client: Client) -> None:
    made = [sqlite_service.event(pools=[pool(["A", "B", "C"])])["pools"][0]["id"] for _ in range(3)]
    for pool_id in made:
        client.set_forecast(pool_id, probabilities=[0.2, 0.3, 0.5], note="A thought.")
    with pytest.raises(errors.Slippage):
        client.set_forecast(made[0], probabilities=[0.5, 0.5], outcomes=2)

    mine = list(client.iter_my_forecasts(limit=2))
    assert [(one.pool_id, one.stands, one.note) for one in mine] == [(one, True, "A thought.") for one in made[::-1]]
    (shown,) = client.iter_pool_forecasts(made[0])
    assert (shown.user.id, list(shown.probabilities)) == (person.id, [0.2, 0.3, 0.5])
    client.delete_forecast(made[0])
    found = client.list_pool_forecasts(made[0])
    assert (found.forecasters, found.crowd, found.mine, found.hidden) == (0, None, None, False)


def test_a_thought_about_one_outcome_leaves_the_others_in_the_ratios_of_their_prices(
    sqlite_service: Service, client: Client
) -> None:
    event = sqlite_service.event(pools=[pool(["A", "B", "C"], probabilities=[0.5, 0.3, 0.2]), pool()])
    three, one = client.get_event(event["id"]).pools

    assert forecasts.of_outcome(three, 0, 0.75) == pytest.approx([0.75, 0.15, 0.1])
    assert forecasts.of_outcome(one, 0, 0.4) == [0.4]
    for outcome, chance, said in (
        (3, 0.5, "has no outcome 3"),
        (-1, 0.5, "has no outcome -1"),
        (0, 1.5, "probability"),
    ):
        with pytest.raises(ValueError, match=said):
            forecasts.of_outcome(three, outcome, chance)


def test_a_copy_scores_nothing_and_the_worst_is_bounded() -> None:
    assert forecasts.score([0.5, 0.3, 0.2], [0.5, 0.3, 0.2], 1) == 0
    assert forecasts.score([0.8], [0.4], 0) == pytest.approx(69.3, abs=0.05)
    assert forecasts.score([0.8], [0.4], 1) == pytest.approx(-109.9, abs=0.05)
    assert forecasts.score([1.0], [0.5], 1) == pytest.approx(-621.4, abs=0.3)
