"""The rows of looks and of terms."""

from __future__ import annotations

from collections.abc import Mapping

import sqlalchemy as sa
from sqlalchemy.dialects import postgresql, sqlite

from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.looks.parts import LANGUAGES, PageTexts
from foreknow.site.looks.tables import site_looks, site_terms


def stored(tx: ReadTx) -> Mapping[str, bytes]:
    """Return all that is stored, by name."""
    rows = tx.execute(sa.select(site_looks.c.name, site_looks.c.content))
    return {row.name: row.content for row in rows}


def find(tx: ReadTx, name: str) -> bytes | None:
    """Return what is stored under a name; None without."""
    found: bytes | None = tx.execute(sa.select(site_looks.c.content).where(site_looks.c.name == name)).scalar()
    return found


def texts(tx: ReadTx, page: str) -> PageTexts:
    """Return what is stored of a page, as Markdown by language."""
    found = {language: find(tx, f"{page}.{language}") for language in LANGUAGES}
    return {language: content.decode() for language, content in found.items() if content is not None}


def put(tx: WriteTx, name: str, content: bytes | None) -> None:
    """Store a content under a name in place of what is there; None: nothing."""
    tx.execute(site_looks.delete().where(site_looks.c.name == name))
    if content is not None:
        tx.execute(site_looks.insert().values(name=name, content=content))


def has_terms(tx: ReadTx, version: str) -> bool:
    """Return whether a version of the terms is kept."""
    return tx.execute(sa.select(site_terms.c.version).where(site_terms.c.version == version)).first() is not None


def terms(tx: ReadTx, version: str) -> PageTexts | None:
    """Return a version of the terms; None where it is not known."""
    found: PageTexts | None = tx.execute(sa.select(site_terms.c.texts).where(site_terms.c.version == version)).scalar()
    return found


def keep_terms(tx: WriteTx, version: str, by_language: PageTexts) -> None:
    """Keep a version of the terms, for ever."""
    insert = sqlite.insert if tx.dialect.name == "sqlite" else postgresql.insert
    row = {"version": version, "texts": dict(by_language)}
    tx.execute(insert(site_terms).values(row).on_conflict_do_nothing())
