"""One transaction on the configured database: a write or a read, after migrating it, or a snapshot as it is."""

from __future__ import annotations

import asyncio
import contextlib
import os
import sys
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import TypeVar

import sqlalchemy as sa
import structlog
from sqlalchemy.exc import ArgumentError, DBAPIError

from foreknow.commands.cli.again import again
from foreknow.commands.cli.environment import configuration
from foreknow.commands.cli.errors import CommandFailed, WrongUsage
from foreknow.kernel.clock import use_test_clock
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.private_files import FOLDER_MODE, close_folder
from foreknow.kernel.settings import Settings
from foreknow.kernel.site_settings import SiteValues, overlaid
from foreknow.people.users import ensure_first_admin, first_admin
from foreknow.people.users.store import has_admin
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.engine import Database, name_of, naming, open_database
from foreknow.platform.db.migrate import is_installed, migrate
from foreknow.platform.db.postgres.connections import parse_database_url, servers_of
from foreknow.platform.db.sqlite.connections import sqlite_engine
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.sending.service import CLONED
from foreknow.platform.settings import store
from foreknow.platform.settings.tables import site_settings
from foreknow.service.sending import guard_of
from foreknow.site.settings.service import note_start

log = structlog.get_logger("foreknow.cli")

Result = TypeVar("Result")


def settings(*, opens_database: bool = True) -> Settings:
    """Read the environment and the data folder's file, and make that folder private.

    `WrongUsage` for a name that is no setting, an invalid setting and an invalid database URL; `CommandFailed` where
    the database is to be in the data folder and the folder cannot be used. `opens_database` False: the command leaves
    the folder as it is.
    """
    found = configuration(os.environ).settings
    check_url(found.resolved_database_url, named="FOREKNOW_DATABASE_URL")
    if found.test_clock is not None:
        _use_test_clock(found.test_clock)
    if opens_database and not found.database_url:
        check_folder(found.data_dir)
    close_folder(found.data_dir)
    return found


def _use_test_clock(path: Path) -> None:
    try:
        use_test_clock(path)
    except (OSError, ValueError):
        raise WrongUsage(f"FOREKNOW_TEST_CLOCK: {path} holds no Unix milliseconds") from None


def prepare(given: Settings) -> None:
    """Bring the database up to date and create the first admin, before a service starts on it.

    `WrongSetting` names all that is wrong in what the site has set.

    `WrongUsage` names the setting for which the first admin cannot be created: the service would not start.
    """
    migrate(given.resolved_database_url)
    write(given, lambda tx: note_start(tx, given))
    if given.admin_email and given.admin_password.get_secret_value():
        try:
            write(given, lambda tx: ensure_first_admin(tx, given, at_ms=now_ms(tx)))
        except BadRequest as error:
            raise WrongUsage(error.text) from None


def stored_settings(url: str) -> SiteValues:
    """Return what the site has set in its database at `url`; nothing where there is none, or none that answers."""

    def find(tx: ReadTx) -> SiteValues:
        # A command may be older than the last upgrade.
        return store.find(tx).values if sa.inspect(tx).has_table(site_settings.name) else {}

    try:
        return read_snapshot(url, find) if is_installed(url) else {}
    except (OSError, DBAPIError):
        log.warning("database not read", remedy="what the site has set there is not shown")
        return {}


def counting(given: Settings) -> Settings:
    """Return the settings as they count, with what the site has set beside the environment's; `ValidationError`."""
    return overlaid(given, stored_settings(given.resolved_database_url))


def setup_link(given: Settings) -> Callable[[str], None] | None:
    """While there was never an admin, make a link to make the first one with, which ends the earlier one.

    Return what prints it once the service is served at a URL. How a command makes one is logged while there is none.
    """
    token = write(given, lambda tx: first_admin.issue(tx, at_ms=now_ms(tx)))
    _log_missing_admin(given)
    if token is None:
        return None

    def show(url: str) -> None:
        link = f"{given.public_origin or url}{first_admin.PATH}{token}"
        print(f"There is no admin yet. Make the first one here within 24 hours:\n{link}", file=sys.stderr, flush=True)

    return show


def _log_missing_admin(given: Settings) -> None:
    """Log how to make an admin, where there is none."""
    if not read_snapshot(given.resolved_database_url, has_admin):
        add = "user add EMAIL --name NAME --password-stdin --admin --creator"
        log.warning("no admin yet", remedy=f"{again(given)} {add}")


def check_folder(folder: Path) -> None:
    """Make the data folder where it is missing, and check that files can be made in it; `CommandFailed`."""
    try:
        folder.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
        # Asking for permission would say yes to root, on a read-only disk too.
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as failure:
        why = "it is not a folder" if isinstance(failure, FileExistsError) else failure.strerror or str(failure)
        raise CommandFailed(f"cannot write in the folder {folder}: {why} (FOREKNOW_DATA_DIR)") from None


def check_url(url: str, *, named: str) -> None:
    """Raise `WrongUsage` where `url`, which the user knows as `named`, cannot be the URL of a database.

    The text leaves the URL out: it may contain a password.
    """
    try:
        parts = parse_database_url(url)
    except (ArgumentError, ValueError):
        raise WrongUsage(f"{named} is not a URL") from None
    if parts.drivername == "sqlite":
        if not parts.database or parts.host:
            raise WrongUsage(f"{named} names no file; it has the form sqlite:///path")
    elif parts.drivername != "postgresql":
        raise WrongUsage(f"{named} begins with postgresql:// or sqlite:///")
    elif not servers_of(parts) or not parts.database:
        raise WrongUsage(f"{named} has the form postgresql://user[:password]@host:port/name")


def require_database(given: Settings) -> str:
    """Return the URL of the configured database, which is not made where it is missing: `CommandFailed`."""
    url = given.resolved_database_url
    if not is_installed(url):
        setting = "FOREKNOW_DATABASE_URL" if given.database_url else "FOREKNOW_DATA_DIR, FOREKNOW_DATABASE_URL"
        raise CommandFailed(f"there is no database of this service at {name_of(url)} ({setting})")
    return url


def write(given: Settings, work: Callable[[WriteTx], Result], *, makes: bool = True) -> Result:
    """Bring the database up to date and run `work(tx)` in one transaction; `makes`: make it where it is missing.

    Before that, ids leap in a database that was restored, as at the start of a service; not where its server is only
    reached at another address, as a command on another machine may do.
    """
    url = given.resolved_database_url if makes else require_database(given)
    migrate(url)
    guard = guard_of(given)

    async def run() -> Result:
        async with opened(url) as database:
            if (await database.read(guard.look)).change not in {None, CLONED}:
                await database.write_private(guard.apply)
            return await database.write(work)

    with naming(url):
        return asyncio.run(run())


def write_as_it_is(url: str, work: Callable[[WriteTx], None]) -> None:
    """Run `work(tx)` in one transaction on a database that is not migrated first."""

    async def run() -> None:
        async with opened(url) as database:
            await database.write(work)

    with naming(url):
        asyncio.run(run())


@contextlib.asynccontextmanager
async def opened(url: str) -> AsyncIterator[Database]:
    """Open the database while the block runs."""
    database = open_database(url)
    try:
        yield database
    finally:
        await database.close()


def read(given: Settings, work: Callable[[ReadTx], Result]) -> Result:
    """Bring the database up to date and run `work(tx)` on one snapshot; it is not made where it is missing."""
    url = require_database(given)
    migrate(url)
    result = read_snapshot(url, work)
    print(f"Database: {name_of(url)}", file=sys.stderr)
    return result


def read_snapshot(url: str, work: Callable[[ReadTx], Result]) -> Result:
    """Run a long `work(tx)` on one snapshot in constant memory, without migrating the database first."""
    with naming(url):
        return _read_sqlite(url, work) if url.startswith("sqlite:") else asyncio.run(_read_postgres(url, work))


def _read_sqlite(url: str, work: Callable[[ReadTx], Result]) -> Result:
    engine = sqlite_engine(url)
    try:
        with engine.connect() as connection:
            # Long sorts spill to files here; the service's short ones stay in memory.
            connection.exec_driver_sql("PRAGMA temp_store=FILE")
            connection.exec_driver_sql("BEGIN")
            return work(ReadTx(connection))
    finally:
        engine.dispose()


async def _read_postgres(url: str, work: Callable[[ReadTx], Result]) -> Result:
    async with opened(url) as database:
        return await database.read(work)
