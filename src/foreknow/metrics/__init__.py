"""GET /metrics: this process's metrics and the ledger's totals, in Prometheus' text format."""

from foreknow.metrics.page import MetricsPage
from foreknow.metrics.sources import Sources

__all__ = ["MetricsPage", "Sources"]
