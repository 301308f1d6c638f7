"""The replay, on a given service or on one started for it; then the report."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from foreknow.audit import CHECKS, Finding, audit
from foreknow.cli.database import prepare, read_snapshot
from foreknow.cli.temporary_admin import temporary_admin
from foreknow.db.engine import open_database
from foreknow.db.transactions import ReadTx
from foreknow.kernel.errors import Unavailable
from foreknow.replay.accounts import Run
from foreknow.replay.history import History, read_histories
from foreknow.replay.progress import ProgressBar
from foreknow.replay.replayer import replay
from foreknow.replay.results import Outcome, show
from foreknow.server import running
from foreknow.settings import Settings
from foreknow.users.store import find_person_by_email


def replay_there(settings: Settings, trades: Path, url: str) -> bool:
    """Replay a file of trades on the service at `url`; return whether all results are within bounds."""
    histories, run = read_histories(trades), Run.fresh()
    admin = contextlib.nullcontext(settings.token.get_secret_value())
    with ProgressBar(Console(stderr=True)) as bar:
        outcome = asyncio.run(replay(url=url, admin=admin, histories=histories, run=run, watcher=bar))
    return _report(settings, outcome, run)


def replay_here(settings: Settings, trades: Path) -> bool:
    """Replay a file of trades on a service started for it on the configured database."""
    histories, run = read_histories(trades), Run.fresh()
    prepare(settings)
    with own_service(settings) as url:
        outcome = asyncio.run(_replay_with_own_admin(settings, url, histories, run))
    return _report(settings, outcome, run)


@contextlib.contextmanager
def own_service(settings: Settings) -> Iterator[str]:
    """Serve the configured database on a free port of this machine while the block runs; yields the URL."""
    # Only the replay uses this service; its passwords are random keys and need no slow hash.
    own = settings.model_copy(update={"rate_limits": "off", "password_cost": "low", "listen_host": "127.0.0.1"})
    with running(own) as url:
        yield url


async def _replay_with_own_admin(settings: Settings, url: str, histories: Sequence[History], run: Run) -> Outcome:
    db = open_database(settings.resolved_database_url)
    try:
        admin = temporary_admin(db, settings)
        with ProgressBar(Console(stderr=True)) as bar:
            return await replay(url=url, admin=admin, histories=histories, run=run, watcher=bar)
    finally:
        await db.close()


def _report(settings: Settings, outcome: Outcome, run: Run) -> bool:
    """Print the table with the audit's result; return whether all results are within bounds."""
    findings = _audit(settings.resolved_database_url, run)
    if findings is None:
        audited = "not from here: the service keeps its books elsewhere; run `foreknow audit` there"
    elif findings:
        audited = f"WRONG, {len(findings)} findings; the first: {findings[0]}"
    else:
        audited = f"clean, {len(CHECKS)} checks"
    show(outcome, Console(), audit=audited)
    return outcome.within_bounds and not findings


def _audit(url: str, run: Run) -> list[Finding] | None:
    """Audit the configured database; None where the replay went into another."""
    if url.startswith("sqlite:") and not Path(str(make_url(url).database)).exists():
        return None

    def work(tx: ReadTx) -> list[Finding] | None:
        if find_person_by_email(tx, run.email("creator")) is None:
            return None
        return audit(tx)

    try:
        return read_snapshot(url, work)
    except (DBAPIError, Unavailable, OSError):
        return None
