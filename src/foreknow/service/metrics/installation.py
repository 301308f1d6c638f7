"""Metrics of the whole installation, which every process reads from the same database: shown once a page."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from prometheus_client import Metric
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector

from foreknow.kernel.clock import SECOND_MS
from foreknow.money.ledger import AccountKind, KindTotal
from foreknow.site.webhooks.store import DeliveryState, WebhookBacklog


@dataclass(frozen=True, slots=True)
class Readings:
    """Values read from the database."""

    ledger: Mapping[AccountKind, KindTotal]
    #: Open entries of GET /admin/attention by kind.
    attention: Mapping[str, int]
    webhooks: Mapping[DeliveryState, WebhookBacklog]
    #: Open entries of GET /admin/reports.
    open_reports: int
    is_sending_held: bool


class Installation(Collector):
    """Collects the metrics of the installation; `readings` is None, and left out, while the database is unavailable."""

    def __init__(self) -> None:
        """Start without values."""
        self.readings: Readings | None = None
        #: Whether each worker answered the last scrape, by its number; empty without several.
        self.workers: Mapping[int, bool] = {}

    def collect(self) -> Iterator[Metric]:
        """Yield the families."""
        if self.workers:
            up = GaugeMetricFamily(
                "foreknow_worker_up", "1; 0 while a worker does not answer the others.", labels=("worker",)
            )
            for number, is_up in self.workers.items():
                up.add_metric((str(number),), is_up)
            yield up
        if self.readings is not None:
            yield from _ledger(self.readings.ledger)
            waiting = GaugeMetricFamily("foreknow_attention_open", "What waits for a person.", labels=("kind",))
            for kind, count in self.readings.attention.items():
                waiting.add_metric((kind,), count)
            yield waiting
            yield from _webhooks(self.readings.webhooks)
            yield GaugeMetricFamily(
                "foreknow_reports_open",
                "Comments, events and users with open reports.",
                self.readings.open_reports,
            )
            yield GaugeMetricFamily(
                "foreknow_sending_held",
                "1 while nothing is sent to partners or alert channels: the database was restored or copied.",
                self.readings.is_sending_held,
            )


def _ledger(totals: Mapping[AccountKind, KindTotal]) -> Iterator[Metric]:
    balances = GaugeMetricFamily(
        "foreknow_ledger_kopecks", "Balances of all accounts of a kind; all kinds sum to 0.", labels=("kind",)
    )
    accounts = GaugeMetricFamily("foreknow_ledger_accounts", "Accounts of a kind.", labels=("kind",))
    for kind, total in totals.items():
        balances.add_metric((kind.value,), total.balance_kopecks)
        accounts.add_metric((kind.value,), total.accounts)
    yield balances
    yield accounts


def _webhooks(backlogs: Mapping[DeliveryState, WebhookBacklog]) -> Iterator[Metric]:
    webhooks = GaugeMetricFamily("foreknow_webhooks", "Webhooks of partners, by the last attempt.", labels=("state",))
    waiting = GaugeMetricFamily(
        "foreknow_webhook_waiting_seconds", "Age of the oldest message that waits for a webhook.", labels=("state",)
    )
    for state, backlog in backlogs.items():
        webhooks.add_metric((state,), backlog.webhooks)
        waiting.add_metric((state,), backlog.waiting_ms / SECOND_MS)
    yield webhooks
    yield waiting
