"""The worker that writes an alert to the operators of what members have reported."""

from __future__ import annotations

from collections.abc import Sequence

from foreknow.people.alerts import AlertSender
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.jobs import Background, Worker
from foreknow.site.moderation import store
from foreknow.site.moderation.store import ReportedThing

#: How often a process looks for new cases.
POLL_S = 1.0
#: Things that an alert lists; of the others it gives the number.
LISTED_MAX = 10
TITLE = "Members report something"


class ReportAlerts(Background):
    """Alerts operators once of each case, at most once in `store.ALERT_EVERY_MS`, however many processes there are."""

    def __init__(self, db: Database, alerts: AlertSender, *, poll_s: float = POLL_S) -> None:
        """Send through `alerts`; without a channel for operators, cases wait until there is one."""
        super().__init__(Worker("report-alerts", self._alert, poll_s=poll_s))
        self._db = db
        self._alerts = alerts

    def start(self) -> None:
        """Begin to look for cases."""
        if self._alerts.alerts_operators:
            super().start()

    async def _alert(self) -> bool:
        # A read first: on SQLite a write transaction holds up every order.
        if await self._db.read(_is_due) and await self._db.write_private(self._record):
            self._alerts.wake()
        return False

    def _record(self, tx: WriteTx) -> bool:
        """Write one alert of all new cases; False where another process was faster."""
        at_ms = now_ms(tx)
        # The lease is the pause until the next alert.
        if store.ALERTS.claim_named(tx, store.ALERTS_KEY, now_ms=at_ms) is None:
            return False
        count, things = store.take_unalerted(tx, limit=LISTED_MAX, at_ms=at_ms)
        if count:
            text = f"{_text(count, things)} See {self._alerts.page('/desk/reports')}"
            self._alerts.record_for_operators(tx, title=TITLE, text=text, at_ms=at_ms)
        return True


def _is_due(tx: ReadTx) -> bool:
    return store.is_any_unalerted(tx) and store.ALERTS.is_due(tx, store.ALERTS_KEY, now_ms=now_ms(tx))


def _text(count: int, things: Sequence[ReportedThing]) -> str:
    named = ", ".join(f"{thing.kind} {thing.target_id}" for thing in things)
    more = f" and {count - len(things)} more" if count > len(things) else ""
    return f"Reported: {named}{more}."
