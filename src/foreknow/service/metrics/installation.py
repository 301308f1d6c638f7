"""Metrics of the whole installation, which every process reads from the same database: shown once a page."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import structlog
from prometheus_client import Metric
from prometheus_client.metrics_core import GaugeMetricFamily
from prometheus_client.registry import Collector
from sqlalchemy.exc import SQLAlchemyError

from foreknow.kernel.clock import SECOND_MS
from foreknow.kernel.errors import Unavailable
from foreknow.money.ledger import AccountKind, KindTotal, totals
from foreknow.platform.db.engine import Database
from foreknow.site.webhooks.store import DeliveryState, WebhookBacklog

log = structlog.get_logger("foreknow.metrics")

#: Pause between sums, as a multiple of the time a sum takes.
PAUSE_FACTOR = 100
#: Longest wait of a scrape for new totals; then it gets the last ones.
WAIT_S = 0.05

Totals = Mapping[AccountKind, KindTotal]


class LedgerTotals:
    """Totals by kind of account, summed in the background, at most about `PAUSE_FACTOR` times as old as a sum takes.

    The sum over all accounts takes longer the more there are.
    """

    def __init__(self, db: Database) -> None:
        """Read from `db`."""
        self._db = db
        self._newest: Totals | None = None
        self._due_at_s = 0.0
        self._summing: asyncio.Task[None] | None = None

    async def newest(self) -> Totals:
        """Return the newest totals, all read in one snapshot; `Unavailable` if the first or last sum failed."""
        if self._summing is None and time.monotonic() >= self._due_at_s:
            self._summing = asyncio.create_task(self._sum(), name="ledger-totals")
        if self._summing is not None:
            await asyncio.wait([self._summing], timeout=WAIT_S if self._newest is not None else None)
        if self._newest is None:
            raise Unavailable
        return self._newest

    async def stop(self) -> None:
        """Wait for a running sum, before the database is closed."""
        if self._summing is not None:
            await asyncio.wait([self._summing])

    async def _sum(self) -> None:
        began_s = time.monotonic()
        try:
            self._newest = await self._db.read(totals)
        except (Unavailable, SQLAlchemyError) as failure:
            # Without a value rather than an old one that looks current.
            self._newest = None
            log.warning("ledger totals failed", reason=repr(failure))
        finally:
            now_s = time.monotonic()
            self._due_at_s = now_s + PAUSE_FACTOR * (now_s - began_s)
            self._summing = None


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
    newest_backup_at_ms: int | None


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
            yield GaugeMetricFamily(
                "foreknow_backup_timestamp_seconds",
                "When `foreknow backup` was finished last, in Unix seconds; 0 for never.",
                (self.readings.newest_backup_at_ms or 0) / SECOND_MS,
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
