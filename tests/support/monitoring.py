"""The queries of the dashboard and the alerts, held against the metrics that a service exposes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import promql_parser as promql
import yaml

from tests.support.metrics import Samples

DEPLOY = Path(__file__).parents[2] / "deploy"
ALERTS = DEPLOY / "prometheus" / "alerts.yml"
DASHBOARD = DEPLOY / "grafana" / "foreknow.json"
#: Labels that Prometheus adds to every sample.
ADDED = {"instance", "job"}
#: A metric that Prometheus makes itself.
OF_PROMETHEUS = {"up"}
#: Labels whose values a short run cannot have: any may come.
OPEN_LABELS = {"status", "route", "method"}
#: What Grafana replaces before it asks.
VARIABLES = {"$__rate_interval": "5m", "$instance": ".*"}


@cache
def alerts() -> list[dict[str, Any]]:
    """Return the rules of all groups."""
    return [rule for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


@cache
def queries() -> list[tuple[str, str]]:
    """Return each query with the file it stands in."""
    found = [(ALERTS.name, rule["expr"]) for rule in alerts()]
    for panel in json.loads(DASHBOARD.read_text())["panels"]:
        for target in panel.get("targets", []):
            text = target["expr"]
            for name, value in VARIABLES.items():
                text = text.replace(name, value)
            found.append((DASHBOARD.name, text))
    return found


def missing(query: str, samples: Samples) -> list[str]:
    """Return what a query names and `samples` do not have: metrics, labels, values of labels; or why it is no query."""
    try:
        parsed = promql.parse(query)
    except ValueError as failure:
        return [f"{query}: {failure}"]
    labels = _labels(samples)
    found: dict[str, None] = {}
    for node, grouped in _selectors(parsed):
        assert node.name is not None
        if node.name not in labels and node.name not in OF_PROMETHEUS:
            found[f"no metric {node.name}"] = None
            continue
        known = labels.get(node.name, {})
        for label in sorted(grouped - ADDED - known.keys()):
            found[f"{node.name}: no label {label}"] = None
        for matcher in node.matchers.matchers:
            if matcher.name in ADDED:
                continue
            if matcher.name not in known:
                found[f"{node.name}: no label {matcher.name}"] = None
            elif matcher.name not in OPEN_LABELS and matcher.value not in known[matcher.name]:
                found[f"{node.name}: no value {matcher.value} of {matcher.name}"] = None
    return list(found)


def _labels(samples: Samples) -> dict[str, dict[str, set[str]]]:
    """Return the labels of each metric, with their values."""
    found: dict[str, dict[str, set[str]]] = {}
    for name, labels in samples:
        for label, value in labels:
            found.setdefault(name, {}).setdefault(label, set()).add(value)
        found.setdefault(name, {})
    return found


def _selectors(node: promql.Expr, grouped: frozenset[str] = frozenset()) -> Iterator[tuple[Any, frozenset[str]]]:
    """Yield the selectors of a query, each with the labels that the aggregations around it group by."""
    match node:
        case promql.VectorSelector():
            yield node, grouped
        case promql.MatrixSelector():
            yield node.vector_selector, grouped
        case promql.AggregateExpr():
            by = node.modifier.labels if node.modifier is not None else []
            yield from _selectors(node.expr, grouped | frozenset(by))
        case promql.BinaryExpr():
            yield from _selectors(node.lhs, grouped)
            yield from _selectors(node.rhs, grouped)
        case promql.Call():
            for argument in node.args:
                yield from _selectors(argument, grouped)
        case promql.ParenExpr() | promql.UnaryExpr():
            yield from _selectors(node.expr, grouped)
