"""What concerns one person is kept by no browser and no proxy."""

from __future__ import annotations

import pytest

from tests.support.kinds import ONCE
from tests.support.service import Service

pytestmark = ONCE
PERSONAL = ["/users/me", "/market/positions", "/market/positions/completed", "/notifications", "/users/me/pnl/chart"]


@pytest.mark.parametrize("path", PERSONAL)
def test_what_is_ones_own_is_stored_nowhere(service: Service, path: str) -> None:
    answer = service.user().client.get(path)

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"


def test_tokens_are_stored_nowhere(service: Service) -> None:
    person = service.user()
    answer = service.client().post("/auth/sign-in", json={"login": person.email, "password": person.password})

    assert answer.status_code == 200
    assert answer.headers["cache-control"] == "no-store"


@pytest.mark.parametrize("path", ["/users/me", "/events/0", "/nowhere"])
def test_errors_are_stored_nowhere(service: Service, path: str) -> None:
    answer = service.client().get(path)

    assert answer.status_code >= 400
    assert answer.headers["cache-control"] == "no-store"
