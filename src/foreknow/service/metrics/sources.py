"""Collects the metrics of a process at each scrape from the plain counters that the packages keep."""

from __future__ import annotations

import platform
from collections.abc import Iterator
from dataclasses import dataclass

from prometheus_client import Metric
from prometheus_client.metrics_core import CounterMetricFamily, GaugeMetricFamily, HistogramMetricFamily
from prometheus_client.registry import Collector

from foreknow.kernel.versions import full_version
from foreknow.platform.db.instrumented import DatabaseMetrics
from foreknow.platform.db.public_reads import PublicReads, ReadSource
from foreknow.platform.jobs import PieceMetrics
from foreknow.service.metrics.http import HttpMetrics, cumulative_buckets
from foreknow.site.feed import FeedHub
from foreknow.site.live import LiveHub
from foreknow.site.webhooks import WebhookMetrics
from foreknow.trading.desk.desk import TradeDesk
from foreknow.trading.effects.order_worker import OrderWorkMetrics


@dataclass(frozen=True, slots=True)
class Sources:
    """The objects with counters."""

    http: HttpMetrics
    desk: TradeDesk
    feed: FeedHub
    live: LiveHub
    orders: OrderWorkMetrics
    payments: PieceMetrics
    webhooks: WebhookMetrics
    database: DatabaseMetrics
    database_kind: str
    public_reads: PublicReads


class Families(Collector):
    """Collects the metrics of a process."""

    def __init__(self, sources: Sources) -> None:
        """Collect from `sources`."""
        self._sources = sources
        #: The number of the newest trade; None, and the feed's lag left out, while the database is unavailable.
        self.newest_seq: int | None = None

    def collect(self) -> Iterator[Metric]:
        """Yield the families."""
        yield self._build()
        yield from self._sources.http.collect()
        yield from self._desk()
        yield from self._feed()
        yield from self._live()
        yield from self._orders()
        yield from self._payments()
        yield self._webhooks()
        yield from self._database()
        yield from self._replica()

    def _build(self) -> Metric:
        labels = {
            "version": full_version(),
            "python": platform.python_version(),
            "database": self._sources.database_kind,
        }
        build = GaugeMetricFamily("foreknow_build_info", "1; what runs here, as labels.", labels=tuple(labels))
        build.add_metric(tuple(labels.values()), 1)
        return build

    def _feed(self) -> Iterator[Metric]:
        feed = self._sources.feed
        yield CounterMetricFamily("foreknow_feed_trades", "Trades sent, each counted once.", feed.metrics.trades)
        yield CounterMetricFamily("foreknow_feed_writes", "Writes to sockets of the trade feed.", feed.metrics.writes)
        yield CounterMetricFamily(
            "foreknow_feed_dropped", "Sockets of the trade feed closed for reading too slowly.", feed.metrics.dropped
        )
        if self.newest_seq is not None:
            # None without sockets: then there is no lag.
            lag = 0 if feed.seq is None else max(0, self.newest_seq - feed.seq)
            yield GaugeMetricFamily("foreknow_feed_lag_trades", "Numbered trades not yet sent to any socket.", lag)

    def _live(self) -> Iterator[Metric]:
        metrics = self._sources.live.metrics
        yield CounterMetricFamily("foreknow_live_answers", "Watches of live updates answered.", metrics.answers)
        messages = CounterMetricFamily(
            "foreknow_live_messages", "Messages of live updates, each counted once.", labels=("kind",)
        )
        messages.add_metric(("update",), metrics.updates)
        messages.add_metric(("trade",), metrics.trades)
        yield messages

    def _desk(self) -> Iterator[Metric]:
        metrics = self._sources.desk.metrics
        yield GaugeMetricFamily(
            "foreknow_desk_waiting_orders", "Orders waiting for a batch.", self._sources.desk.waiting
        )
        orders = HistogramMetricFamily("foreknow_desk_batch_orders", "Orders decided in one commit.")
        orders.add_metric((), *cumulative_buckets(metrics.sizes))
        yield orders
        commits = HistogramMetricFamily("foreknow_desk_commit_seconds", "Duration of a batch, its commit included.")
        commits.add_metric((), *cumulative_buckets(metrics.commits_s))
        yield commits

    def _orders(self) -> Iterator[Metric]:
        metrics = self._sources.orders
        yield CounterMetricFamily("foreknow_orders_ended", "Limit orders that workers ended.", metrics.ended)
        yield CounterMetricFamily("foreknow_orders_paid", "Fills and ends that workers paid out.", metrics.paid)
        pieces = HistogramMetricFamily(
            "foreknow_orders_piece_seconds", "Duration of a transaction of that, with its commit."
        )
        pieces.add_metric((), *cumulative_buckets(metrics.pieces_s))
        yield pieces

    def _payments(self) -> Iterator[Metric]:
        metrics = self._sources.payments
        yield CounterMetricFamily("foreknow_payments_positions", "Positions paid.", metrics.rows)
        yield CounterMetricFamily("foreknow_payments_pools", "Pools whose last position was paid.", metrics.jobs)
        pieces = HistogramMetricFamily(
            "foreknow_payments_piece_seconds", "Duration of a payment's transaction, without its commit."
        )
        pieces.add_metric((), *cumulative_buckets(metrics.pieces_s))
        yield pieces

    def _webhooks(self) -> Metric:
        metrics = self._sources.webhooks
        attempts = CounterMetricFamily(
            "foreknow_webhook_attempts", "Attempts to deliver a message to a partner.", labels=("outcome",)
        )
        attempts.add_metric(("taken",), metrics.taken)
        attempts.add_metric(("failed",), metrics.failed)
        return attempts

    def _database(self) -> Iterator[Metric]:
        metrics = self._sources.database
        seconds = HistogramMetricFamily(
            "foreknow_database_seconds", "Transactions, from the call to the commit.", labels=("kind",)
        )
        seconds.add_metric(("read",), *cumulative_buckets(metrics.read_s))
        seconds.add_metric(("write",), *cumulative_buckets(metrics.write_s))
        yield seconds
        yield CounterMetricFamily(
            "foreknow_database_retries", "Transactions run again after a lost race.", metrics.retries
        )
        failures = CounterMetricFamily("foreknow_database_failures", "Transactions that failed.", labels=("reason",))
        failures.add_metric(("unavailable",), metrics.unavailable)
        failures.add_metric(("error",), metrics.errors)
        yield failures

    def _replica(self) -> Iterator[Metric]:
        public_reads = self._sources.public_reads
        if public_reads.is_replica_used is None:
            return
        reads = CounterMetricFamily(
            "foreknow_stale_reads",
            "Reads that may be slightly stale: from the replica, or why from the primary.",
            labels=("source",),
        )
        for source in ReadSource:
            reads.add_metric((source.value,), public_reads.metrics.reads[source])
        yield reads
        yield GaugeMetricFamily(
            "foreknow_replica_used", "1; 0 while the replica is skipped.", public_reads.is_replica_used
        )
