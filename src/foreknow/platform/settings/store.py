"""The row of what the site has set."""

from __future__ import annotations

from typing import NamedTuple

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from foreknow.kernel.site_settings import SiteValues
from foreknow.platform.db.bulk import CompiledQuery, Fetch
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.platform.settings.tables import ROW_ID, site_settings

_COLUMNS = site_settings.c
_ROW = sa.select(
    _COLUMNS.version, _COLUMNS.stored, _COLUMNS.currency_code, _COLUMNS.looks_version, _COLUMNS.terms_version
).where(_COLUMNS.id == ROW_ID)
_VERSION = CompiledQuery(sa.select(_COLUMNS.version).where(_COLUMNS.id == ROW_ID))


class StoredSettings(NamedTuple):
    """The row: `currency_code` is None until a start has noted it.

    `looks_version` counts changes of the stored looks, `terms_version` belongs to the stored terms, None without.
    """

    version: int
    values: SiteValues
    currency_code: str | None
    looks_version: int = 0
    terms_version: str | None = None


_NONE = StoredSettings(0, {}, None)


def find(tx: ReadTx) -> StoredSettings:
    """Return the row; version 0 where nothing was ever set."""
    row = tx.execute(_ROW).one_or_none()
    return _NONE if row is None else StoredSettings(*row)


def version_fetch() -> Fetch[int]:
    """Return the query of the version."""
    return Fetch(_VERSION, {}, lambda rows: rows[0][0] if rows else 0)


def lock(tx: WriteTx, *, currency_code: str) -> StoredSettings:
    """Return the row locked until `tx` ends; where there is none it is made, with what the ledger is in."""
    row = {"id": ROW_ID, "version": 0, "stored": {}, "currency_code": currency_code}
    insert = sqlite.insert if tx.dialect.name == "sqlite" else postgresql.insert
    tx.execute(insert(site_settings).values(row).on_conflict_do_nothing())
    return StoredSettings(*tx.execute(_ROW.with_for_update()).one())


def store(tx: WriteTx, row: StoredSettings) -> None:
    """Write the locked row."""
    values = {
        "version": row.version,
        "stored": dict(row.values),
        "currency_code": row.currency_code,
        "looks_version": row.looks_version,
        "terms_version": row.terms_version,
    }
    tx.execute(site_settings.update().where(_COLUMNS.id == ROW_ID).values(values))
