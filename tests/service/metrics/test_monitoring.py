"""The dashboard and the alerts of deploy/: queries that Prometheus can read, over metrics that there are.

That the service exposes them: `tests/commands/cli/test_serving.py`, with several workers and a replica.
"""

from __future__ import annotations

import re
import runpy
from pathlib import Path

import pytest

from tests.support.monitoring import ALERTS, DASHBOARD, alerts, missing, queries

ROOT = Path(__file__).parents[3]
OPERATIONS = (ROOT / "docs" / "operations" / "watch.md").read_text()
SAMPLES = {
    ("up", frozenset({("instance", "a"), ("job", "foreknow")})): 1.0,
    ("orders_total", frozenset({("reason", "late"), ("route", "/bets")})): 2.0,
}


def test_the_dashboard_is_as_written() -> None:
    script = runpy.run_path(str(ROOT / "bin" / "write_dashboard.py"))

    assert DASHBOARD.read_text() == script["text"](), "run .venv/bin/python bin/write_dashboard.py"


def test_every_alert_says_whom_it_wakes_and_what_is_wrong() -> None:
    named = [alert["alert"] for alert in alerts()]

    assert len(named) == len(set(named)) > 10
    for alert in alerts():
        assert set(alert) <= {"alert", "expr", "for", "labels", "annotations"}, alert["alert"]
        assert alert["labels"]["severity"] in {"page", "ticket"}, alert["alert"]
        assert alert["annotations"]["summary"], alert["alert"]


def test_operations_say_of_every_alert_what_to_do() -> None:
    rows = re.findall(r"^\| `(Foreknow\w+)` \| \S.* \| \S.* \|$", OPERATIONS, flags=re.MULTILINE)

    assert rows == [alert["alert"] for alert in alerts()]


def test_every_query_can_be_read() -> None:
    assert len(queries()) > 50
    assert {source for source, _ in queries()} >= {ALERTS.name, DASHBOARD.name}


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("sum by (route) (rate(orders_total{reason!='late', instance='b'}[5m])) > 0", []),
        ("sum by (le) (rate(orders_total[5m]))", ["orders_total: no label le"]),
        ("orders_total{colour='red'} or up", ["orders_total: no label colour"]),
        ("orders_total{reason='early'}", ["orders_total: no value early of reason"]),
        ("absent(order_total)", ["no metric order_total"]),
        ("sum(orders_total", ["sum(orders_total: "]),
    ],
)
def test_what_a_query_names_and_no_metric_has_is_found(query: str, found: list[str]) -> None:
    assert [text[: len(start)] for text, start in zip(missing(query, SAMPLES), found, strict=True)] == found
