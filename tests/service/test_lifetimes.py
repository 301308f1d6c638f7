"""Whatever of the running service can start or stop is registered for it where it is made."""

from __future__ import annotations

from tests.support.service import Service


def test_all_that_can_be_stopped_is_stopped_with_the_service(service: Service) -> None:
    services = service.app.services
    assert [
        name for name, part in vars(services).items() if hasattr(part, "stop") and part not in services._ending
    ] == []


def test_all_that_works_in_the_background_is_started(service: Service) -> None:
    services = service.app.services
    assert [
        name for name, part in vars(services).items() if hasattr(part, "start") and part not in services._starting
    ] == []


def test_the_desk_stops_before_all_that_shows_what_it_does(service: Service) -> None:
    services = service.app.services
    shown = (services.orders, services.webhooks, services.feed, services.live, services.activity, services.following)
    stopped_at = [services._ending.index(part) for part in shown]
    assert max(stopped_at) < services._ending.index(services.desk)
