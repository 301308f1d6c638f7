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
from foreknow.ledger import AccountKind, KindTotal
from foreknow.metrics.buckets import cumulative_buckets
from foreknow.metrics.http import HttpMetrics
from foreknow.settlement.payments import PaymentMetrics
from foreknow.trading.desk import TradeDesk


@dataclass(frozen=True, slots=True)
class Sources:
    """The objects with counters."""

    http: HttpMetrics
    desk: TradeDesk
    feed: FeedHub
    payments: PaymentMetrics
    database: DatabaseMetrics
    public_reads: PublicReads


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
        yield from self._sources.http.collect()
        yield from self._desk()
        yield from self._payments()
        yield from self._database()
        yield from self._replica()
        if self.readings is not None:
            yield from _ledger(self.readings)
            # None without sockets: then there is no lag.
            sent = self._sources.feed.seq
            lag = 0 if sent is None else max(0, self.readings.newest_seq - sent)
            yield GaugeMetricFamily("foreknow_feed_lag_trades", "Numbered trades not yet sent to any socket.", lag)

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

    def _payments(self) -> Iterator[Metric]:
        metrics = self._sources.payments
        yield CounterMetricFamily("foreknow_payments_positions", "Positions paid.", metrics.positions)
        yield CounterMetricFamily("foreknow_payments_pools", "Pools whose last position was paid.", metrics.pools)
        pieces = HistogramMetricFamily(
            "foreknow_payments_piece_seconds", "Duration of a payment's transaction, without its commit."
        )
        pieces.add_metric((), *cumulative_buckets(metrics.pieces_s))
        yield pieces

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
        for source in Source:
            reads.add_metric((source.value,), public_reads.metrics.reads[source])
        yield reads
        yield GaugeMetricFamily(
            "foreknow_replica_used", "1; 0 while the replica is skipped.", public_reads.is_replica_used
        )


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
