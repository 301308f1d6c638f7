"""What an operator says of a database: that it is the site, or that it is not. Both are in the admin log."""

from __future__ import annotations

from foreknow.kernel.settings import Settings
from foreknow.people import admin_log
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.sending import Hold
from foreknow.service.sending import guard_of


def confirm(tx: WriteTx, settings: Settings) -> Hold | None:
    """Let the database send; return the hold that ends, None for none."""
    ended = guard_of(settings).confirm(tx)
    _log(tx, "site.confirm", ended)
    return ended


def hold(tx: WriteTx, settings: Settings) -> Hold:
    """Hold sending; return the hold, which may be an earlier one."""
    held = guard_of(settings).hold(tx)
    _log(tx, "site.hold", held)
    return held


def _log(tx: WriteTx, action: str, found: Hold | None) -> None:
    details = {} if found is None else {"reason": found.reason}
    admin_log.record(tx, None, action=action, target="site", details=details, at_ms=now_ms(tx))
