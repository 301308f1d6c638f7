"""One transaction on the configured database: a write, after migrating it, or a read of one snapshot, as it is."""

from __future__ import annotations

import asyncio
import os
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import structlog
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError

from foreknow.cli.environment import check_names
from foreknow.cli.errors import CommandFailed, WrongUsage
from foreknow.db.clock import now_ms
from foreknow.db.engine import open_database
from foreknow.db.migrate import migrate
from foreknow.db.sqlite import sqlite_engine
from foreknow.db.transactions import ReadTx, WriteTx
from foreknow.kernel.clock import use_test_clock
from foreknow.kernel.errors import BadRequest
from foreknow.kernel.private import FOLDER_MODE, close_folder
from foreknow.settings import Settings
from foreknow.users import ensure_first_admin
from foreknow.users.store import has_admin

log = structlog.get_logger("foreknow.cli")

Result = TypeVar("Result")


def settings(*, opens_database: bool = True) -> Settings:
    """Read the environment and make the data folder private.

    `WrongUsage` for a variable that is no setting and for an invalid database URL; `CommandFailed` where the database
    is to be in the data folder and the folder cannot be used. `opens_database` False: the command leaves the folder as
    it is.
    """
    check_names(os.environ)
    found = Settings()
    check_url(found.resolved_database_url, named="FOREKNOW_DATABASE_URL")
    if found.test_clock is not None:
        _use_test_clock(found.test_clock)
    if opens_database and not found.database_url:
        _check_folder(found.data_dir)
    close_folder(found.data_dir)
    return found


def _use_test_clock(path: Path) -> None:
    try:
        use_test_clock(path)
    except (OSError, ValueError):
        raise WrongUsage(f"FOREKNOW_TEST_CLOCK: {path} holds no Unix milliseconds") from None


def prepare(given: Settings) -> None:
    """Bring the database up to date and create the first admin, before a service starts on it.

    `WrongUsage` names the setting for which the first admin cannot be created: the service would not start.
    """
    url = given.resolved_database_url
    migrate(url)
    if given.admin_email and given.admin_password.get_secret_value():
        try:
            write(url, lambda tx: ensure_first_admin(tx, given, at_ms=now_ms(tx)))
        except BadRequest as error:
            raise WrongUsage(error.text) from None


def log_missing_admin(given: Settings) -> None:
    """Log how to make the first admin, where there is none."""
    if not read_snapshot(given.resolved_database_url, has_admin):
        log.warning("no admin yet", remedy="foreknow user add EMAIL --name NAME --password-stdin --admin")


def _check_folder(folder: Path) -> None:
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
        parts = make_url(url)
    except (ArgumentError, ValueError):
        raise WrongUsage(f"{named} is not a URL") from None
    if parts.drivername == "sqlite":
        if not parts.database or parts.host:
            raise WrongUsage(f"{named} names no file; it has the form sqlite:///path")
    elif parts.drivername != "postgresql":
        raise WrongUsage(f"{named} begins with postgresql:// or sqlite:///")
    elif not parts.host or not parts.database:
        raise WrongUsage(f"{named} has the form postgresql://user[:password]@host:port/name")


def write(url: str, work: Callable[[WriteTx], Result]) -> Result:
    """Bring the database up to date and run `work(tx)` in one transaction."""
    migrate(url)

    async def run() -> Result:
        database = open_database(url)
        try:
            return await database.write(work)
        finally:
            await database.close()

    return asyncio.run(run())


def read(url: str, work: Callable[[ReadTx], Result]) -> Result:
    """Bring the database up to date and run `work(tx)` on one snapshot."""
    migrate(url)
    return read_snapshot(url, work)


def read_snapshot(url: str, work: Callable[[ReadTx], Result]) -> Result:
    """Run a long `work(tx)` on one snapshot in constant memory, without migrating the database first."""
    if url.startswith("sqlite:"):
        engine = sqlite_engine(url)
        with engine.connect() as connection:
            # Long sorts spill to files here; the service's short ones stay in memory.
            connection.exec_driver_sql("PRAGMA temp_store=FILE")
            connection.exec_driver_sql("BEGIN")
            result = work(ReadTx(connection))
        engine.dispose()
        return result

    async def run() -> Result:
        database = open_database(url)
        try:
            return await database.read(work)
        finally:
            await database.close()

    return asyncio.run(run())
