"""One scrape: the metrics of this process, of the other workers of its address, and of the installation."""

from __future__ import annotations

import time
from collections.abc import Mapping

from prometheus_client import CollectorRegistry, GCCollector, PlatformCollector, ProcessCollector, generate_latest

from foreknow.kernel.errors import Unavailable
from foreknow.money.ledger import AccountKind, KindTotal
from foreknow.people.attention.store import count_open
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.sending import is_held
from foreknow.service.metrics.installation import Installation, LedgerTotals, Readings
from foreknow.service.metrics.sources import Families, Sources
from foreknow.service.metrics.workers import LABEL, Labelled, WorkerMetrics, WorkerSocket, merge
from foreknow.site.admin.backups import newest_backup_at_ms
from foreknow.site.feed.store import newest_seq
from foreknow.site.moderation.store import count_open as count_open_reports
from foreknow.site.webhooks.store import backlogs

#: Least interval of database reads, shared by all scrapes.
READ_INTERVAL_S = 5.0


class Scraper:
    """Collects all metrics; `start` it to answer the other workers."""

    def __init__(self, sources: Sources, db: Database, *, worker: WorkerSocket | None) -> None:
        """Collect the counts of `sources` and the totals of `db`; `worker`: this process shares its address."""
        self._db = db
        self._totals = LedgerTotals(db)
        self._families = Families(sources)
        self._installation = Installation()
        of_process = CollectorRegistry(auto_describe=False)
        of_process.register(self._families)
        for collector in (ProcessCollector, PlatformCollector, GCCollector):
            collector(registry=of_process)
        self._of_process = Labelled(of_process, {} if worker is None else {LABEL: str(worker.number)})
        self._workers = None if worker is None else WorkerMetrics(worker, self._process_text)
        self._process_read_at_s = self._installation_read_at_s = float("-inf")

    def start(self) -> None:
        """Begin to answer the other workers."""
        if self._workers is not None:
            self._workers.start()

    async def stop(self) -> None:
        """Stop using the database."""
        if self._workers is not None:
            await self._workers.stop()
        await self._totals.stop()

    async def text(self) -> bytes:
        """Return all metrics in Prometheus's text format."""
        if self._workers is None:
            pages = [await self._process_text()]
        else:
            found = await self._workers.gather()
            self._installation.workers = {number: found[number] is not None for number in sorted(found)}
            pages = [page for page in found.values() if page is not None]
        await self._read_installation()
        return merge([*pages, generate_latest(self._installation)])

    async def _process_text(self) -> bytes:
        await self._read_process()
        return generate_latest(self._of_process)

    async def _read_process(self) -> None:
        now_s = time.monotonic()
        if now_s - self._process_read_at_s < READ_INTERVAL_S:
            return
        self._process_read_at_s = now_s
        try:
            self._families.newest_seq = await self._db.read(newest_seq)
        except Unavailable:
            # The process's own counts are still shown.
            self._families.newest_seq = None

    async def _read_installation(self) -> None:
        now_s = time.monotonic()
        if now_s - self._installation_read_at_s < READ_INTERVAL_S:
            return
        self._installation_read_at_s = now_s
        try:
            totals = await self._totals.newest()
            self._installation.readings = await self._db.read(lambda tx: _readings(tx, totals))
        except Unavailable:
            self._installation.readings = None


def _readings(tx: ReadTx, totals: Mapping[AccountKind, KindTotal]) -> Readings:
    return Readings(
        ledger=totals,
        attention=count_open(tx),
        webhooks=backlogs(tx, at_ms=now_ms(tx)),
        open_reports=count_open_reports(tx),
        is_sending_held=is_held(tx),
        newest_backup_at_ms=newest_backup_at_ms(tx),
    )
