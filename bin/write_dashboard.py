#!/usr/bin/env python3
"""Write deploy/grafana/foreknow.json, Grafana's dashboard: `.venv/bin/python bin/write_dashboard.py`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

DASHBOARD = Path(__file__).parent.parent / "deploy" / "grafana" / "foreknow.json"
#: The grid is 24 wide; four panels stand in a row.
WIDTH, HEIGHT, COLUMNS = 6, 7, 4
SOURCE = {"type": "prometheus", "uid": "${datasource}"}
#: Every query is limited to the chosen instances by these words.
CHOSEN = 'instance=~"$instance"'


@dataclass(frozen=True, slots=True)
class Panel:
    """A graph (`timeseries`) or a number (`stat`): `queries` are PromQL and their legends."""

    title: str
    unit: str
    queries: tuple[tuple[str, str], ...]
    kind: str = "timeseries"
    text: str = ""
    least: int | None = 0


def rate(metric: str, *by: str, where: str = "") -> str:
    """Return the query of a counter's rate, summed."""
    matchers = ", ".join([CHOSEN, where] if where else [CHOSEN])
    return f"{aggregated('sum', by)} (rate({metric}{{{matchers}}}[$__rate_interval]))"


def rate_or_0(metric: str, *, where: str) -> str:
    """Return the query of a rate that is 0 while what is counted has not happened yet."""
    return f"{rate(metric, where=where)} or 0 * {rate(metric)}"


def quantile(share: float, metric: str, *by: str, where: str = "") -> str:
    """Return the query of a quantile of a histogram."""
    return f"histogram_quantile({share}, {rate(metric + '_bucket', *by, 'le', where=where)})"


def gauge(metric: str, *by: str, of: str = "max") -> str:
    """Return the query of a gauge, by default the highest of all processes."""
    return f"{aggregated(of, by)} ({metric}{{{CHOSEN}}})"


def aggregated(operator: str, by: Sequence[str]) -> str:
    """Return an aggregation by these labels, or by none."""
    return f"{operator} by ({', '.join(by)})" if by else operator


BETS = 'method="POST", route="/api/v1/market/bets"'
ROWS: dict[str, tuple[Panel, ...]] = {
    "At a glance": (
        Panel("Processes", "short", ((gauge("foreknow_build_info", "version", of="count"), "{{version}}"),), "stat"),
        Panel("Orders", "ops", ((rate("foreknow_desk_batch_orders_sum"), "orders"),), "stat"),
        Panel(
            "Errors",
            "reqps",
            (
                (rate_or_0("foreknow_http_requests_total", where='status="500"'), "500"),
                (rate_or_0("foreknow_http_requests_total", where='status="503"'), "503"),
            ),
            "stat",
            "500 is a bug; 503 means that the database cannot be reached or is too slow.",
        ),
        Panel("Waiting for a person", "short", ((gauge("foreknow_attention_open", "kind"), "{{kind}}"),), "stat"),
    ),
    "Requests": (
        Panel("By status", "reqps", ((rate("foreknow_http_requests_total", "status"), "{{status}}"),)),
        Panel(
            "Busiest endpoints",
            "reqps",
            ((f"topk(8, {rate('foreknow_http_requests_total', 'method', 'route')})", "{{method}} {{route}}"),),
        ),
        Panel(
            "Bets: time to the answer",
            "s",
            tuple(
                (quantile(share, "foreknow_http_request_seconds", where=BETS), name)
                for share, name in ((0.5, "median"), (0.99, "p99"))
            ),
        ),
        Panel(
            "Slowest endpoints, p99",
            "s",
            (
                (
                    f"topk(8, {quantile(0.99, 'foreknow_http_request_seconds', 'method', 'route')})",
                    "{{method}} {{route}}",
                ),
            ),
        ),
    ),
    "Orders": (
        Panel("Orders", "ops", ((rate("foreknow_desk_batch_orders_sum"), "orders"),)),
        Panel(
            "Orders a commit",
            "short",
            ((f"{rate('foreknow_desk_batch_orders_sum')} / {rate('foreknow_desk_batch_orders_count')}", "mean"),),
        ),
        Panel(
            "Commits",
            "s",
            tuple(
                (quantile(share, "foreknow_desk_commit_seconds"), name)
                for share, name in ((0.5, "median"), (0.99, "p99"))
            ),
        ),
        Panel("Waiting orders", "short", ((gauge("foreknow_desk_waiting_orders", "instance"), "{{instance}}"),)),
        Panel(
            "Payments",
            "ops",
            (
                (rate("foreknow_payments_positions_total"), "positions"),
                (rate("foreknow_payments_pools_total"), "pools"),
            ),
        ),
        Panel("Pieces of payments, p99", "s", ((quantile(0.99, "foreknow_payments_piece_seconds"), "p99"),)),
        Panel("Over a limit", "reqps", ((rate("foreknow_rate_limited_total", "group"), "{{group}}"),)),
        Panel(
            "Money by kind of account",
            "short",
            ((f"{gauge('foreknow_ledger_kopecks', 'kind')} / 100", "{{kind}}"),),
            text="All kinds together are 0.",
            least=None,
        ),
    ),
    "Database": (
        Panel("Transactions", "ops", ((rate("foreknow_database_seconds_count", "kind"), "{{kind}}"),)),
        Panel("Transactions, p99", "s", ((quantile(0.99, "foreknow_database_seconds", "kind"), "{{kind}}"),)),
        Panel(
            "Failures and retries",
            "ops",
            (
                (rate("foreknow_database_failures_total", "reason"), "{{reason}}"),
                (rate("foreknow_database_retries_total"), "retries"),
            ),
        ),
        Panel(
            "Public reads, with a replica",
            "ops",
            ((rate("foreknow_stale_reads_total", "source"), "{{source}}"),),
            text="All but `replica` went to the primary, for that reason.",
        ),
    ),
    "Feed and live updates": (
        Panel(
            "Sockets",
            "short",
            (
                (gauge("foreknow_sockets_open", of="sum"), "trade feed"),
                (gauge("foreknow_live_sockets_open", of="sum"), "live updates"),
                (gauge("foreknow_streams_open", of="sum"), "event streams"),
            ),
        ),
        Panel("Trades not sent yet", "short", ((gauge("foreknow_feed_lag_trades", "instance"), "{{instance}}"),)),
        Panel(
            "Sent",
            "ops",
            (
                (rate("foreknow_feed_trades_total"), "trades of the feed"),
                (rate("foreknow_feed_writes_total"), "writes of the feed"),
                (rate("foreknow_live_messages_total", "kind"), "live: {{kind}}"),
                (rate("foreknow_live_answers_total"), "live: answers"),
            ),
        ),
        Panel("Readers that are too slow", "ops", ((rate("foreknow_feed_dropped_total"), "closed"),)),
    ),
    "Webhooks": (
        Panel("Attempts", "ops", ((rate("foreknow_webhook_attempts_total", "outcome"), "{{outcome}}"),)),
        Panel(
            "Oldest waiting message",
            "s",
            ((gauge("foreknow_webhook_waiting_seconds", "state"), "{{state}}"),),
            text="`failing`: of partners whose last attempt failed.",
        ),
        Panel("Partners' webhooks", "short", ((gauge("foreknow_webhooks", "state"), "{{state}}"),)),
    ),
    "Connections": (
        Panel("Open", "short", ((gauge("foreknow_connections_open", "instance", of="sum"), "{{instance}}"),)),
        Panel("Rejected", "ops", ((rate("foreknow_connections_refused_total", "reason"), "{{reason}}"),)),
        Panel(
            "Closed for what peers did", "ops", ((rate("foreknow_connections_closed_total", "reason"), "{{reason}}"),)
        ),
        Panel("Workers that answer", "short", ((gauge("foreknow_worker_up", "instance", of="sum"), "{{instance}}"),)),
    ),
    "Processes": (
        Panel("Cores", "short", ((rate("process_cpu_seconds_total", "instance"), "{{instance}}"),)),
        Panel("Memory", "bytes", ((gauge("process_resident_memory_bytes", "instance", of="sum"), "{{instance}}"),)),
        Panel(
            "Open files",
            "percentunit",
            (
                (
                    f"max by (instance) (process_open_fds{{{CHOSEN}}} / process_max_fds{{{CHOSEN}}})",
                    "{{instance}}",
                ),
            ),
        ),
        Panel(
            "Full garbage collections",
            "ops",
            ((rate("python_gc_collections_total", "instance", where='generation="2"'), "{{instance}}"),),
        ),
    ),
}


def dashboard() -> dict[str, Any]:
    """Return the dashboard in Grafana's JSON."""
    return {
        "title": "Foreknow",
        "uid": "foreknow",
        "tags": ["foreknow"],
        "schemaVersion": 39,
        "editable": True,
        "graphTooltip": 1,
        "refresh": "30s",
        "time": {"from": "now-6h", "to": "now"},
        "timezone": "browser",
        "templating": {"list": variables()},
        "panels": list(panels()),
    }


def variables() -> list[dict[str, Any]]:
    """Return what is chosen at the top: the source of data, and instances of the service."""
    query = "label_values(foreknow_build_info, instance)"
    return [
        {"name": "datasource", "label": "Data", "type": "datasource", "query": "prometheus"},
        {
            "name": "instance",
            "label": "Instance",
            "type": "query",
            "datasource": SOURCE,
            "definition": query,
            "query": {"qryType": 1, "query": query, "refId": "instances"},
            "refresh": 2,
            "sort": 1,
            "multi": True,
            "includeAll": True,
            "current": {"text": "All", "value": "$__all"},
        },
    ]


def panels() -> list[dict[str, Any]]:
    """Return the heads of rows and their panels, placed from left to right and from top to bottom."""
    placed: list[dict[str, Any]] = []
    top = 0
    for title, row in ROWS.items():
        grid = {"x": 0, "y": top, "w": WIDTH * COLUMNS, "h": 1}
        placed.append({"id": len(placed) + 1, "type": "row", "title": title, "gridPos": grid, "panels": []})
        top += 1
        for number, panel in enumerate(row):
            line, column = divmod(number, COLUMNS)
            grid = {"x": column * WIDTH, "y": top + line * HEIGHT, "w": WIDTH, "h": HEIGHT}
            placed.append({"id": len(placed) + 1, **shown(panel), "gridPos": grid})
        top += HEIGHT * -(-len(row) // COLUMNS)
    return placed


def shown(panel: Panel) -> dict[str, Any]:
    """Return a panel without its place."""
    targets = [
        {"refId": chr(ord("A") + number), "datasource": SOURCE, "expr": query, "legendFormat": legend}
        for number, (query, legend) in enumerate(panel.queries)
    ]
    return {
        "type": panel.kind,
        "title": panel.title,
        "description": panel.text,
        "datasource": SOURCE,
        "fieldConfig": {"defaults": {"unit": panel.unit, "min": panel.least}, "overrides": []},
        "options": {"legend": {"displayMode": "list", "placement": "bottom"}} if panel.kind == "timeseries" else {},
        "targets": targets,
    }


def text() -> str:
    """Return the file's text."""
    return json.dumps(dashboard(), indent=2, ensure_ascii=False) + "\n"


if __name__ == "__main__":
    DASHBOARD.write_text(text())
