"""The guard of what leaves this installation, with what it has to know of other packages."""

from __future__ import annotations

from foreknow.kernel.settings import Settings
from foreknow.money import ledger
from foreknow.platform.db.transactions import ReadTx
from foreknow.platform.sending import Guard, IdsUsed
from foreknow.site.feed.sequencer import has_leader


def guard_of(settings: Settings) -> Guard:
    """Return the guard of the configured database."""
    return Guard(
        settings.resolved_database_url,
        settings.data_dir,
        ids_used=_ids_used,
        is_served=has_leader,
        is_trial=settings.trial == "on",
    )


def _ids_used(tx: ReadTx) -> IdsUsed:
    return IdsUsed(*ledger.transfer_ids(tx))
