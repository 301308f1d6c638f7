"""GET /health and /ready."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from tests.support.kinds import ONCE
from tests.support.proofs import proves
from tests.support.service import Service, expect


@proves(
    "interface: No parameters. 200: status (string, always ok when healthy), timestamp (string ISO 8601, server time), "
    "uptime_seconds (number).",
)
@ONCE
def test_health_tells_the_time_and_how_long_the_service_is_up(service: Service) -> None:
    first = expect(service.client().get("/health"), 200)
    second = expect(service.client().get("/health"), 200)

    assert first.keys() == {"status", "timestamp", "uptime_seconds"}
    assert first["status"] == "ok"
    shown = datetime.strptime(first["timestamp"], "%Y-%m-%dT%H:%M:%S.%fZ").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - shown) < timedelta(seconds=60)
    assert 0 <= first["uptime_seconds"] <= second["uptime_seconds"]


@proves('decisions: GET /api/v1/ready: 200 `{"status": "ready"}` while the database answers, else 503.')
def test_ready_while_the_database_answers(service: Service) -> None:
    assert expect(service.client().get("/ready"), 200) == {"status": "ready"}
