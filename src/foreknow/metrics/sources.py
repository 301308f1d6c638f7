"""Collects the metrics for Prometheus at each scrape from the plain counters that the packages keep."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prometheus_client import Metric
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from foreknow.db.instrumented import DatabaseMetrics
from foreknow.db.public_reads import PublicReads, Source
from foreknow.feed import FeedHub
from foreknow.kernel.histogram import Histogram
from foreknow.ledger import AccountKind, KindTotal
from foreknow.trading.desk import TradeDesk
from foreknow.web.connection_limits import Closed, Refused
from foreknow.web.endpoint import PREFIX
from foreknow.web.ingress import Ingress


@dataclass(frozen=True, slots=True)
class Sources:
    """The objects with counters."""

    edge: Ingress
    desk: TradeDesk
    feed: FeedHub
    database: DatabaseMetrics
    stale: PublicReads


@dataclass(frozen=True, slots=True)
class Readings:
    """Values read from the database."""

    ledger: Mapping[AccountKind, KindTotal]
    newest_seq: int


class Families(Collector):
    """Collects all metrics; `readings` is None, and left out, while the database is unavailable."""

    def __init__(self, sources: Sources) -> None:
        """Collect from `sources`."""
        self._sources = sources
        self.readings: Readings | None = None

    def collect(self) -> Iterator[Metric]:
        """Yield the families."""
        yield from self._requests()
        yield from self._connections()
        yield from self._desk()
        yield from self._database()
        yield from self._replica()
        if self.readings is not None:
            yield from _ledger(self.readings)
            # None without sockets: then there is no lag.
            sent = self._sources.feed.seq
            lag = 0 if sent is None else max(0, self.readings.newest_seq - sent)
            yield GaugeMetricFamily("foreknow_feed_lag_trades", "Numbered trades not yet sent to any socket.", lag)

    def _requests(self) -> Iterator[Metric]:
        labels = ("method", "route")
        requests = CounterMetricFamily("foreknow_http_requests", "Responses, by status.", labels=(*labels, "status"))
        seconds = HistogramMetricFamily(
            "foreknow_http_request_seconds",
            "From the request's head to the response (of a stream: its start).",
            labels=labels,
        )
        for (method, template), metrics in list(self._sources.edge.visits.routes.items()):
            route = PREFIX + template if template.startswith("/") else template
            for status, count in sorted(metrics.statuses.items()):
                requests.add_metric((method, route, str(status)), count)
            seconds.add_metric((method, route), *_histogram(metrics.seconds))
        yield requests
        yield seconds
        limited = CounterMetricFamily("foreknow_rate_limited", "Requests rejected by a rate limit.", labels=("group",))
        for group, count in sorted(self._sources.edge.limits.refused.items()):
            limited.add_metric((group.value,), count)
        yield limited

    def _connections(self) -> Iterator[Metric]:
        sockets = self._sources.feed.sockets
        yield GaugeMetricFamily("foreknow_sockets_open", "WebSockets of the trade feed.", sockets)
        streams = max(0, self._sources.edge.connections.open - sockets)
        yield GaugeMetricFamily("foreknow_streams_open", "Event streams.", streams)
        connection_limits = self._sources.edge.connection_limits
        yield GaugeMetricFamily(
            "foreknow_connections_open", "Connections, WebSockets included.", connection_limits.open
        )
        refused = CounterMetricFamily(
            "foreknow_connections_refused", "Connections and WebSockets rejected.", labels=("reason",)
        )
        for reason in Refused:
            refused.add_metric((reason.value,), connection_limits.refused[reason])
        yield refused
        closed = CounterMetricFamily(
            "foreknow_connections_closed", "Connections closed because of their peers' behaviour.", labels=("reason",)
        )
        for cause in Closed:
            closed.add_metric((cause.value,), connection_limits.closed[cause])
        yield closed

    def _desk(self) -> Iterator[Metric]:
        metrics = self._sources.desk.metrics
        yield GaugeMetricFamily(
            "foreknow_desk_waiting_orders", "Orders waiting for a batch.", self._sources.desk.waiting
        )
        orders = HistogramMetricFamily("foreknow_desk_batch_orders", "Orders decided in one commit.")
        orders.add_metric((), *_histogram(metrics.sizes))
        yield orders
        commits = HistogramMetricFamily("foreknow_desk_commit_seconds", "Duration of a batch, its commit included.")
        commits.add_metric((), *_histogram(metrics.commits_s))
        yield commits

    def _database(self) -> Iterator[Metric]:
        metrics = self._sources.database
        seconds = HistogramMetricFamily(
            "foreknow_database_seconds", "Transactions, from the call to the commit.", labels=("kind",)
        )
        seconds.add_metric(("read",), *_histogram(metrics.read_s))
        seconds.add_metric(("write",), *_histogram(metrics.write_s))
        yield seconds
        yield CounterMetricFamily(
            "foreknow_database_retries", "Transactions run again after a lost race.", metrics.retries
        )
        failures = CounterMetricFamily("foreknow_database_failures", "Transactions that failed.", labels=("reason",))
        failures.add_metric(("unavailable",), metrics.unavailable)
        failures.add_metric(("error",), metrics.errors)
        yield failures

    def _replica(self) -> Iterator[Metric]:
        stale = self._sources.stale
        if stale.is_replica_used is None:
            return
        reads = CounterMetricFamily(
            "foreknow_stale_reads",
            "Reads that may be slightly stale: from the replica, or why from the primary.",
            labels=("source",),
        )
        for source in Source:
            reads.add_metric((source.value,), stale.metrics.reads[source])
        yield reads
        yield GaugeMetricFamily("foreknow_replica_used", "1; 0 while the replica is skipped.", stale.is_replica_used)


def _ledger(readings: Readings) -> Iterator[Metric]:
    balances = GaugeMetricFamily(
        "foreknow_ledger_kopecks", "Balances of all accounts of a kind; all kinds sum to 0.", labels=("kind",)
    )
    accounts = GaugeMetricFamily("foreknow_ledger_accounts", "Accounts of a kind.", labels=("kind",))
    for kind, total in readings.ledger.items():
        balances.add_metric((kind.value,), total.balance_kopecks)
        accounts.add_metric((kind.value,), total.accounts)
    yield balances
    yield accounts


def _histogram(histogram: Histogram) -> tuple[list[tuple[str, float]], float]:
    """Return the cumulative buckets and the sum."""
    total, buckets = 0, []
    for bound, count in zip((*histogram.bounds, float("inf")), histogram.counts, strict=True):
        total += count
        buckets.append(("+Inf" if bound == float("inf") else repr(float(bound)), float(total)))
    return buckets, histogram.total
