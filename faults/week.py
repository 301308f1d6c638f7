"""A week of a busy site: a kill a day, a backup a day, an upgrade in the middle, and the last backup as a new site.

python -m faults week                                             # SQLite, for an hour
python -m faults week --database postgres --days 2 --instances 24

The time comes from a file. A day has 288 instances of a series of five minutes; with fewer the clock leaps to the next
day, and those in between never come to be. At the end of each day, and while the
server is down after a kill, the books are audited; each day the site is worked out again from what it shows everyone,
every answered trade must be there, and the memory of the server and the rows of each table are noted. At the end memory
must be flat, and tables must have grown as docs/operations/limits.md says.
"""

from __future__ import annotations

import argparse
import re
import tempfile
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from pathlib import Path

import httpx
import sqlalchemy as sa

from bench.fill import temporary
from bench.service import resident_bytes
from faults.busy import BusySite, Done
from faults.killing import run_apart
from faults.kills import Killed
from faults.series import BEGIN, millis_of
from faults.trading import AnsweredAndLost, trades_in
from foreknow.commands.verify import verify
from foreknow.kernel.clock import DAY_MS
from foreknow.platform.db.engine import open_database
from foreknow.platform.db.migrate import migrate
from foreknow.platform.db.transactions import ReadTx
from foreknow.service.tables import metadata
from tests.support.books import audit_database
from tests.support.http import NO_TLS
from tests.support.mailbox import Mailbox, mail_server
from tests.support.restoring import Backup

LIMITS = Path(__file__).parents[1] / "docs" / "operations" / "limits.md"
MIB = 1024 * 1024
#: What a server may use more at the end of a later day than at the end of the first: a share, and MiB.
MEMORY_GROWTH, MEMORY_MIB = 1.2, 20
#: By how much a day may add more to a table than the second day, or a bounded table may have more: a share, and rows.
TABLE_GROWTH, TABLE_ROWS = 1.5, 200
#: Bounded by the page, within more than a week.
BOUNDED_LATER = {"asset_prices"}


class Grew(AssertionError):
    """Memory or a table grew by more than it may."""


@dataclass(frozen=True, slots=True)
class Size:
    """How long and how busy the week is."""

    days: int = 7
    instances: int = 288
    traders: int = 200
    orders: int = 12


@dataclass(frozen=True, slots=True)
class Stop:
    """What was found at the end of a day."""

    memory_bytes: int
    rows: Mapping[str, int]
    verified: int


def run_week(database_url: str, restored_url: str, size: Size) -> tuple[Done, Sequence[Stop], int]:
    """Live a week; return what happened, what each day ended with, and how many mails were sent.

    Raises `WentWrong`, `AnsweredAndLost`, `BooksAreWrong` or `Grew`.
    """
    migrate(database_url)
    stops = []
    with tempfile.TemporaryDirectory(prefix="foreknow-faults-") as name, mail_server() as mailbox:
        folder = Path(name)
        with _site(database_url, folder, mailbox, size) as site:
            for day in range(size.days):
                for number in range(size.instances):
                    kill = number == (day * 7 + 1) % size.instances
                    site.live(orders=size.orders, kill=kill, before_start=lambda: audit_database(database_url))
                if day == size.days // 2:
                    _upgrade(site, folder)
                site.leap_to(millis_of(BEGIN) + (day + 1) * DAY_MS)
                stops.append(_stop(site, database_url))
                site.server.run("backup", str(folder / "backups"))
            _restore(database_url, restored_url, folder, site)
            site.settle()
            stops.append(_stop(site, database_url))
        mails = len(mailbox.taken)
    _check_memory(stops)
    _check_tables(stops[:-1])
    return site.done, stops, mails


@contextmanager
def _site(database_url: str, folder: Path, mailbox: Mailbox, size: Size) -> Iterator[BusySite]:
    site = BusySite(database_url, folder, mailbox, traders=size.traders)
    try:
        yield site
    finally:
        site.close()


def _upgrade(site: BusySite, folder: Path) -> None:
    """Do what an operator does with a next version; here it is the same."""
    site.server.process.terminate()
    site.server.process.wait()
    said = site.server.run("upgrade", "--backups", str(folder / "before"))
    if "The books are right" not in said:
        raise AssertionError(said)
    site.server.start()
    site.done.upgrades += 1


def _stop(site: BusySite, database_url: str) -> Stop:
    """Check all that can be checked while the site is up."""
    missing = site.done.answered - set(trades_in(database_url))
    if missing:
        raise AnsweredAndLost(f"{len(missing)} answered trades are gone: {sorted(missing)[:5]}")
    audit_database(database_url)
    verified = _verify(site.server)
    rows = run_apart(_rows(database_url))
    return Stop(resident_bytes(site.server.process.pid), rows, verified)


def _verify(server: Killed) -> int:
    """Work a site out again from what it shows everyone, and return how many trades it has."""
    report = run_apart(verify(server.url.removesuffix("/api/v1"), token=None))
    if report.wrong:
        raise AssertionError(report.wrong)
    return report.trades


async def _rows(database_url: str) -> dict[str, int]:
    def count(tx: ReadTx) -> dict[str, int]:
        return {
            table.name: tx.scalar(sa.select(sa.func.count()).select_from(table)) or 0
            for table in metadata.sorted_tables
        }

    database = open_database(database_url)
    try:
        return await database.read(count)
    finally:
        await database.close()


def _restore(database_url: str, restored_url: str, folder: Path, site: BusySite) -> None:
    """Restore the newest backup as a site of its own, which has every trade and sends nothing."""
    newest = max((folder / "backups").glob("foreknow-*"))
    (file,) = [path for path in newest.iterdir() if path.name in {"foreknow.sqlite3", "foreknow.dump"}]
    Backup(database_url, restored_url, file).restore_elsewhere()
    audit_database(restored_url)
    place = folder / "restored-site"
    place.mkdir()
    server = Killed(restored_url, place, settings=site.settings)
    try:
        ready = httpx.get(f"{server.url}/ready", verify=NO_TLS, trust_env=False).json()
        if ready.get("sending") != "held":
            raise AssertionError(f"the restored site sends: {ready}")
        there, here = _verify(server), set(trades_in(restored_url))
    finally:
        server.kill()
    if not site.done.answered <= here:
        raise AnsweredAndLost(f"a backup has {there} trades, and lacks {len(site.done.answered - here)}")


def _check_memory(stops: Sequence[Stop]) -> None:
    first, most = stops[0].memory_bytes, max(stop.memory_bytes for stop in stops)
    if most > first * MEMORY_GROWTH + MEMORY_MIB * MIB:
        raise Grew(f"memory: {[stop.memory_bytes // MIB for stop in stops]} MiB at the ends of days")


def _check_tables(stops: Sequence[Stop]) -> None:
    """Raise `Grew` where a bounded table has grown since the second day, or any other faster than on that day."""
    if len(stops) < 3:
        return
    bounded = bounded_tables() - BOUNDED_LATER
    wrong = []
    for name, last in stops[-1].rows.items():
        first, second, before = (stop.rows[name] for stop in (stops[0], stops[1], stops[-2]))
        most = second * TABLE_GROWTH if name in bounded else before + (second - first) * TABLE_GROWTH
        if last > most + TABLE_ROWS:
            wrong.append(f"{name}: {[stop.rows[name] for stop in stops]}")
    if wrong:
        raise Grew("; ".join(wrong))


def bounded_tables() -> set[str]:
    """Return the tables that docs/operations/limits.md calls bounded."""
    lines = [line.split("|") for line in LIMITS.read_text().splitlines() if line.startswith("| `")]
    return {name for cells in lines if cells[-2].strip() == "bounded" for name in re.findall(r"`(\w+)`", cells[1])}


def main(arguments: list[str]) -> None:
    """Live a week and print what happened. Raises on a failure."""
    usual = Size()
    parser = argparse.ArgumentParser(
        prog="faults week", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--days", type=int, default=usual.days)
    parser.add_argument("--instances", type=int, default=usual.instances, help="of a day")
    parser.add_argument("--traders", type=int, default=usual.traders)
    parser.add_argument("--orders", type=int, default=usual.orders, help="of an instance")
    parser.add_argument("--database", choices=["sqlite", "postgres"], default="sqlite")
    given = parser.parse_args(arguments)
    size = Size(given.days, given.instances, given.traders, given.orders)
    began_s = time.monotonic()
    with ExitStack() as stack:
        url = stack.enter_context(temporary(given.database))
        elsewhere = stack.enter_context(temporary(given.database))
        if given.database == "sqlite":
            elsewhere = elsewhere.replace("filled.sqlite3", "restored/foreknow.sqlite3")
        done, stops, mails = run_week(url, elsewhere, size)
    memory = [f"{stop.memory_bytes / MIB:.0f}" for stop in stops]
    print(
        f"{given.database}: {size.days} days of {size.instances} instances, {size.traders} traders,"
        f" {time.monotonic() - began_s:.0f} s: {len(done.answered)} bets and sales answered and each there,"
        f" {stops[-1].verified} trades worked out again, {len(done.instances)} instances paid,"
        f" {done.disputes} disputes, {mails} mails, {done.kills} kills, {done.upgrades} upgrade,"
        f" a backup as a new site; every book right; memory at the ends of days {', '.join(memory)} MiB"
    )
    most = sorted(stops[-1].rows.items(), key=lambda item: -item[1])[:8]
    print("rows at the end: " + ", ".join(f"{name} {count}" for name, count in most))
