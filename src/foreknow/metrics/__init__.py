"""GET /metrics: what goes on in this process, and the books' totals, in the text format of Prometheus."""

from foreknow.metrics.page import MetricsPage
from foreknow.metrics.sources import Sources

__all__ = ["MetricsPage", "Sources"]
