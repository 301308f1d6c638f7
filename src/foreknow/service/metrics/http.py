"""Metrics of requests and connections, read from the counters of `web`."""

from __future__ import annotations

from collections.abc import Iterator

from prometheus_client import Metric
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily

from foreknow.kernel.histogram import Histogram
from foreknow.site.feed import FeedHub
from foreknow.site.live import LiveHub
from foreknow.web.connection_limits import Closed, Rejection
from foreknow.web.endpoint import PREFIX
from foreknow.web.ingress import Ingress


def cumulative_buckets(histogram: Histogram) -> tuple[list[tuple[str, float]], float]:
    """Return the cumulative buckets that Prometheus wants, and the sum."""
    seen, buckets = 0, []
    for bound, count in zip((*histogram.bounds, float("inf")), histogram.counts, strict=True):
        seen += count
        buckets.append(("+Inf" if bound == float("inf") else repr(float(bound)), float(seen)))
    return buckets, histogram.total


class HttpMetrics:
    """Requests, rate limits, connections, sockets and event streams."""

    def __init__(self, ingress: Ingress, feed: FeedHub, live: LiveHub) -> None:
        """Read from `ingress`, and from the hubs which of the open streams are sockets."""
        self._ingress = ingress
        self._feed = feed
        self._live = live

    def collect(self) -> Iterator[Metric]:
        """Yield the families."""
        yield from self._requests()
        yield from self._connections()

    def _requests(self) -> Iterator[Metric]:
        labels = ("method", "route")
        requests = CounterMetricFamily("foreknow_http_requests", "Answers, by status.", labels=(*labels, "status"))
        seconds = HistogramMetricFamily(
            "foreknow_http_request_seconds",
            "From the request's head to the answer (of a stream: its start).",
            labels=labels,
        )
        for (method, template), metrics in list(self._ingress.request_log.routes.items()):
            route = PREFIX + template if template.startswith("/") else template
            for status, count in sorted(metrics.statuses.items()):
                requests.add_metric((method, route, str(status)), count)
            seconds.add_metric((method, route), *cumulative_buckets(metrics.seconds))
        yield requests
        yield seconds
        limited = CounterMetricFamily("foreknow_rate_limited", "Requests refused by a rate limit.", labels=("group",))
        for group, count in sorted(self._ingress.limits.refused.items()):
            limited.add_metric((group,), count)
        yield limited

    def _connections(self) -> Iterator[Metric]:
        sockets = self._feed.sockets + self._live.sockets
        yield GaugeMetricFamily("foreknow_sockets_open", "WebSockets of the trade feed.", self._feed.sockets)
        yield GaugeMetricFamily("foreknow_live_sockets_open", "WebSockets of live updates.", self._live.sockets)
        streams = max(0, self._ingress.sockets.open - sockets)
        yield GaugeMetricFamily("foreknow_streams_open", "Event streams.", streams)
        connection_limits = self._ingress.connection_limits
        yield GaugeMetricFamily(
            "foreknow_connections_open", "Connections, WebSockets included.", connection_limits.open
        )
        refused = CounterMetricFamily(
            "foreknow_connections_refused", "Connections and WebSockets that were not let in.", labels=("reason",)
        )
        for reason in Rejection:
            refused.add_metric((reason.value,), connection_limits.refused[reason])
        yield refused
        closed = CounterMetricFamily(
            "foreknow_connections_closed", "Connections closed for what their peers did.", labels=("reason",)
        )
        for cause in Closed:
            closed.add_metric((cause.value,), connection_limits.closed[cause])
        yield closed
