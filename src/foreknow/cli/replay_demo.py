"""The replay and the demo: on a given service, or on one started for the run; then the report."""

from __future__ import annotations

import asyncio
import contextlib
import hmac
import os
import sys
import tempfile
import threading
import webbrowser
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

import sqlalchemy as sa
from rich.console import Console
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from foreknow.audit import CHECKS, Finding, audit
from foreknow.cli.database import prepare, read_snapshot
from foreknow.cli.errors import CommandFailed
from foreknow.cli.temporary_admin import temporary_admin
from foreknow.db.engine import open_database
from foreknow.db.secrets import shared_secret
from foreknow.db.transactions import ReadTx
from foreknow.demo import exchange, loader, people, pictures
from foreknow.demo.loader import TestTime
from foreknow.kernel.clock import FileClock, system_clock
from foreknow.kernel.errors import Unavailable
from foreknow.pools.tables import pools
from foreknow.replay.accounts import Run
from foreknow.replay.client import ApiClient
from foreknow.replay.errors import ReplayFailed
from foreknow.replay.history import History, MarketKey, packaged_trades, read_histories
from foreknow.replay.progress import ProgressBar
from foreknow.replay.replayer import is_complete, replay
from foreknow.replay.results import Outcome, show
from foreknow.server import running
from foreknow.settings import Settings
from foreknow.users.store import find_person_by_email

DEMO = "demo"
#: Every sixth of the demo's 58 markets is left open.
OPEN_EVERY = 6


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
    with _own_service(settings) as url:
        outcome = asyncio.run(_replay_with_own_admin(settings, url, histories, run))
    return _report(settings, outcome, run)


def load_demo(settings: Settings) -> Run:
    """Replay the package's markets into the configured database, some left open, unless they are there already.

    An interrupted load is continued. Returns the run, whose accounts go on trading.
    """
    prepare(settings)
    histories = read_histories(packaged_trades())
    left_open = {history.key for history in histories[::OPEN_EVERY]}
    run = asyncio.run(_demo_run(settings))
    _load_series(settings, run)
    with _own_service(settings) as url:
        if not asyncio.run(_load_demo(settings, url, run, histories, left_open)):
            raise CommandFailed("the demo's markets did not come out as they should; `foreknow audit` may say why")
        asyncio.run(_put_covers(url, run, histories))
        asyncio.run(_settle_in(settings, url, run))
    print(f"{len(histories)} real markets are here, {len(left_open)} of them open, and one that recurs.")
    return run


def show_accounts(run: Run, url: str) -> None:
    """Print where the demo is and whom to sign in as."""
    print(f"\nThe demo is at {url} until Ctrl-C. To sign in:")
    for person in people.VISITORS:
        email = run.email(person.local_part)
        print(f"  {person.role.removeprefix('is_') or 'trader':9}  {email:24}  {people.password(run, email)}")
    print(flush=True)


def open_browser(url: str) -> None:
    """Open a page in the user's browser, where a terminal and a display are."""
    has_display = sys.platform == "darwin" or any(os.environ.get(name) for name in ("DISPLAY", "WAYLAND_DISPLAY"))
    if has_display and sys.stdout.isatty():
        threading.Thread(target=webbrowser.open, args=[url], daemon=True).start()


async def _demo_run(settings: Settings) -> Run:
    db = open_database(settings.resolved_database_url)
    try:
        secret = await db.write(lambda tx: shared_secret(tx, DEMO))
    finally:
        await db.close()

    def password(email: str) -> str:
        return hmac.digest(secret, email.encode(), "sha256").hex()

    return Run(DEMO, password, goes_on=True)


def _load_series(settings: Settings, run: Run) -> None:
    """Make the recurring market on a service that reads its time from a file, or go on with an interrupted load.

    Only where nothing else is: other events must not live through their past again.
    """
    began_ms = read_snapshot(settings.resolved_database_url, lambda tx: _past_begins_ms(tx, run))
    if began_ms is None:
        return
    with tempfile.TemporaryDirectory(prefix="foreknow-demo-") as folder:
        time = TestTime(Path(folder) / "clock", began_ms)
        with exchange.serving(FileClock(time.path)) as provider:
            past = settings.model_copy(update={"test_clock": time.path, "asset_providers": [provider]})
            with _own_service(past) as url:
                try:
                    asyncio.run(_live_through(settings, url, run, time, began_ms=began_ms))
                except ReplayFailed as failure:
                    print(f"The recurring market is not whole: {failure}")


def _past_begins_ms(tx: ReadTx, run: Run) -> int | None:
    """Return when the demo's past begins or goes on, None where it is there or other events are."""
    creator = find_person_by_email(tx, run.email(loader.CREATOR))
    if creator is None:
        is_empty = tx.execute(sa.select(pools.c.id).limit(1)).first() is None
        return loader.began_ms(system_clock()) if is_empty else None
    own = pools.c.creator_id == creator.id
    last = sa.and_(own, pools.c.dispute_minutes > 0, pools.c.decided_at_ms.is_not(None))
    if tx.execute(sa.select(pools.c.id).where(last)).first() is not None:
        return None
    newest_ms: int | None = tx.execute(sa.select(sa.func.max(pools.c.live_at_ms)).where(own)).scalar()
    return newest_ms or loader.began_ms(system_clock())


async def _live_through(settings: Settings, url: str, run: Run, time: TestTime, *, began_ms: int) -> None:
    db = open_database(settings.resolved_database_url)
    try:
        async with ApiClient(url) as client, temporary_admin(db, settings) as admin:
            await loader.load(client, run, admin, time, began_ms=began_ms)
    finally:
        await db.close()


async def _load_demo(
    settings: Settings, url: str, run: Run, histories: Sequence[History], left_open: Collection[MarketKey]
) -> bool:
    async with ApiClient(url) as client:
        if await is_complete(client, run, histories, left_open=left_open):
            return True
    return (await _replay_with_own_admin(settings, url, histories, run, left_open=left_open)).within_bounds


async def _settle_in(settings: Settings, url: str, run: Run) -> None:
    db = open_database(settings.resolved_database_url)
    try:
        async with ApiClient(url) as client, temporary_admin(db, settings) as admin:
            await people.settle_in(client, run, admin)
    finally:
        await db.close()


async def _put_covers(url: str, run: Run, histories: Sequence[History]) -> None:
    async with ApiClient(url) as client:
        await pictures.put_covers(client, run, histories)


@contextlib.contextmanager
def _own_service(settings: Settings) -> Iterator[str]:
    """Serve the configured database on a free port of this machine while the block runs; yields the URL."""
    # Only the replay uses this service; its passwords are random keys and need no slow hash.
    own = settings.model_copy(update={"rate_limits": "off", "password_cost": "low", "listen_host": "127.0.0.1"})
    with running(own) as url:
        yield url


async def _replay_with_own_admin(
    settings: Settings, url: str, histories: Sequence[History], run: Run, *, left_open: Collection[MarketKey] = ()
) -> Outcome:
    db = open_database(settings.resolved_database_url)
    try:
        admin = temporary_admin(db, settings)
        with ProgressBar(Console(stderr=True)) as bar:
            return await replay(url=url, admin=admin, histories=histories, run=run, watcher=bar, left_open=left_open)
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
