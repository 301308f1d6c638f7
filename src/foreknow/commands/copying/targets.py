"""Checks before a copy: the source is an installation; the target is another, empty database of this schema."""

from __future__ import annotations

import asyncio
import secrets
from dataclasses import dataclass
from pathlib import Path

import sqlalchemy as sa
from alembic.runtime.migration import MigrationContext
from alembic.script import ScriptDirectory
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError

from foreknow.commands.copying.databases import WAIT_MS, CopyDatabase, snapshot
from foreknow.commands.copying.errors import CannotCopy, TargetInUse
from foreknow.platform.db.engine import name_of
from foreknow.platform.db.loading import lock_tables
from foreknow.platform.db.migrate import config_for, is_installed
from foreknow.platform.db.transactions import WriteTx
from foreknow.service.tables import metadata

_VERSION_TABLE = "alembic_version"


@dataclass(frozen=True, slots=True)
class _Found:
    """The content of a database, as far as the checks need it."""

    is_ours: bool
    has_tables: bool
    filled: list[str]


async def check_source(url: str) -> None:
    """Raise `CannotCopy` where `url` has no installation: migrating it first would create an empty one."""
    if not await asyncio.to_thread(is_installed, url):
        raise CannotCopy(f"there is nothing to copy: there is no database of this service at {name_of(url)}")


async def check_target(url: str) -> None:
    """Raise `CannotCopy` where the target is not empty, or not ours to migrate."""
    if _is_missing(url):
        return
    found = await _survey(url)
    if found.has_tables and not found.is_ours:
        raise CannotCopy("the target holds tables of something else; name a database without any")
    _refuse_rows(found.filled)


async def check_versions(side: CopyDatabase, which: str) -> None:
    """Raise `CannotCopy` where a side that was brought up to date is of a newer release than this code."""
    revision, newest_known = await side.run(_versions)
    if revision != newest_known:
        raise CannotCopy(
            f"a newer release has migrated the {which} (to {revision}; this one knows {newest_known}): "
            "copy with that release"
        )


async def check_apart(source_url: str, target_url: str) -> None:
    """Raise `CannotCopy` where both URLs lead to one database, however they spell it."""
    same = CannotCopy("the target is the database that is to be copied; name another one")
    if source_url.startswith("sqlite:") != target_url.startswith("sqlite:"):
        return
    if source_url.startswith("sqlite:"):
        source, target = _path(source_url), _path(target_url)
        if target.exists() and source.exists() and target.samefile(source):
            raise same
        return
    # Two addresses may name one server: a lock taken through one cannot be taken through the other then.
    key = {"key": secrets.randbits(62)}
    async with snapshot(source_url) as source_side, snapshot(target_url) as target_side:
        await source_side.run(lambda tx: tx.execute(_LOCK, key))
        if not await target_side.run(lambda tx: tx.scalar(_TRY_LOCK, key)):
            raise same


def lock_empty(tx: WriteTx) -> None:
    """Lock every table of the target and check again that it is empty."""
    try:
        lock_tables(tx, metadata.sorted_tables, wait_ms=WAIT_MS)
    except DBAPIError as failure:
        raise TargetInUse from failure
    _refuse_rows(_filled(tx, set(metadata.tables)))


async def _survey(url: str) -> _Found:
    async with snapshot(url) as side:
        return await side.run(_look)


def _look(tx: WriteTx) -> _Found:
    present = set(sa.inspect(tx).get_table_names())
    is_ours = _VERSION_TABLE in present and _revision(tx) is not None
    return _Found(is_ours, bool(present), _filled(tx, present))


def _versions(tx: WriteTx) -> tuple[str | None, str | None]:
    """Return to which migration a database was migrated, and the newest one that is known here."""
    return _revision(tx), ScriptDirectory.from_config(config_for(tx)).get_current_head()


def _revision(tx: WriteTx) -> str | None:
    return MigrationContext.configure(tx).get_current_revision()


def _filled(tx: WriteTx, present: set[str]) -> list[str]:
    ours = [table for table in metadata.sorted_tables if table.name in present]
    return [table.name for table in ours if tx.execute(sa.select(sa.literal(1)).select_from(table).limit(1)).first()]


def _refuse_rows(filled: list[str]) -> None:
    if filled:
        some = ", ".join(filled[:3]) + (", …" if filled[3:] else "")
        raise CannotCopy(f"the target is not empty: it has rows in {some}; make a new database for the copy")


def _is_missing(url: str) -> bool:
    """Return whether `url` names a SQLite file that does not exist: opening would create it."""
    return url.startswith("sqlite:") and not _path(url).exists()


def _path(url: str) -> Path:
    return Path(str(make_url(url).database))


_LOCK = sa.text("SELECT pg_advisory_xact_lock(:key)")
_TRY_LOCK = sa.text("SELECT pg_try_advisory_xact_lock(:key)")
