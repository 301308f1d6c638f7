"""The replay, on a given service or on one started for it; then the report."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Iterator, Sequence
from pathlib import Path

from rich.console import Console
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from foreknow.commands.audit import CHECKS, Finding, audit
from foreknow.commands.cli.database import prepare, read_snapshot
from foreknow.commands.cli.progress import ProgressBar
from foreknow.commands.cli.temporary_admin import temporary_admin
from foreknow.commands.replay.accounts import Run
from foreknow.commands.replay.history import History, read_histories
from foreknow.commands.replay.replayer import replay
from foreknow.commands.replay.results import ReplayResult, show
from foreknow.kernel.errors import Unavailable
from foreknow.kernel.settings import Settings
from foreknow.people.users.store import find_person_by_email
from foreknow.platform.db.transactions import ReadTx
from foreknow.service.server import running


def replay_there(settings: Settings, trades: Path, url: str) -> bool:
    """Replay a file of trades on the service at `url`; return whether all results are within bounds."""
    admin = contextlib.nullcontext(settings.token.get_secret_value())
    return _report(settings, *_replay(read_histories(trades), url, admin))


def replay_here(settings: Settings, trades: Path) -> bool:
    """Replay a file of trades on a service started for it on the configured database."""
    histories = read_histories(trades)
    prepare(settings)
    with own_service(settings) as url:
        replayed = _replay(histories, url, temporary_admin(settings))
    return _report(settings, *replayed)


@contextlib.contextmanager
def own_service(settings: Settings) -> Iterator[str]:
    """Serve the configured database on a free port of this machine while the block runs; yields the URL."""
    # Only the replay uses this service; its passwords are random keys and need no slow hash.
    own = settings.model_copy(update={"rate_limits": "off", "password_cost": "low", "listen_host": "127.0.0.1"})
    with running(own) as url:
        yield url


def _replay(
    histories: Sequence[History], url: str, admin: contextlib.AbstractAsyncContextManager[str]
) -> tuple[ReplayResult, Run]:
    run = Run.fresh()
    with ProgressBar() as bar:
        return asyncio.run(replay(url=url, admin=admin, histories=histories, run=run, watcher=bar)), run


def _report(settings: Settings, outcome: ReplayResult, run: Run) -> bool:
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
