"""The worker that writes an alert to the operators for each new entry."""

from __future__ import annotations

from foreknow.people.alerts import AlertSender
from foreknow.people.attention import store
from foreknow.people.attention.store import Entry
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.jobs import Background, Worker

#: How often a process looks for new entries.
POLL_S = 1.0
#: Entries of one transaction.
BATCH_MAX = 20
TITLE = "Foreknow needs a person"


class AttentionAlerts(Background):
    """Alerts operators once for each entry, however many processes there are."""

    def __init__(self, db: Database, alerts: AlertSender, *, poll_s: float = POLL_S) -> None:
        """Send through `alerts`; without a channel for operators, entries wait until there is one."""
        super().__init__(Worker("attention-alerts", self._alert_some, poll_s=poll_s))
        self._db = db
        self._alerts = alerts

    def start(self) -> None:
        """Begin to look for entries."""
        if self._alerts.alerts_operators:
            super().start()

    async def _alert_some(self) -> bool:
        """Write the alerts of some entries; return whether there may be more."""
        # A read first: on SQLite a write transaction holds up every order.
        if not await self._db.read(store.is_any_unalerted):
            return False
        count = await self._db.write_private(self._record)
        self._alerts.wake()
        return count == BATCH_MAX

    def _record(self, tx: WriteTx) -> int:
        at_ms = now_ms(tx)
        entries = store.take_unalerted(tx, limit=BATCH_MAX, at_ms=at_ms)
        for entry in entries:
            self._alerts.record_for_operators(tx, title=TITLE, text=self._text(entry), at_ms=at_ms)
        return len(entries)

    def _text(self, entry: Entry) -> str:
        subjects = {"event": entry.event_id, "pool": entry.pool_id, "series": entry.series_id, "partner": entry.partner}
        named = ", ".join(f"{name} {number}" for name, number in subjects.items() if number is not None)
        about = f" ({named})" if named else ""
        return f"{entry.kind}: {entry.reason}{about}. See {self._alerts.page('/admin/attention')}"
