"""The looks as they count now: those that an admin has set, and the folder's below them; and changing them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, TypeVar

import msgspec

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.cache import BoundedCache, SingleFlight
from foreknow.kernel.site_theme import SiteTheme
from foreknow.kernel.threads import background_threads
from foreknow.people import admin_log
from foreknow.platform.db.engine import Database
from foreknow.platform.db.transactions import WriteTx
from foreknow.platform.settings import store as settings_store
from foreknow.site.looks import pictures, store
from foreknow.site.looks.markdown import page_html
from foreknow.site.looks.parts import LANGUAGES, NAMES, TERMS, LogoFile, Looks, PageLanguage, terms_version

LOGO, ICON, THEME = "logo", "icon", "theme"
#: HTML by language.
PageHtml = Mapping[PageLanguage, str]
#: Bounds the HTML of former terms in memory, characters.
FORMER_TERMS_MAX = 4 * 1024 * 1024

_Result = TypeVar("_Result")


class LiveLooks:
    """The looks of one process. What takes long is done beside the event loop: pictures, and pages as HTML."""

    def __init__(self, db: Database, folder: Looks) -> None:
        """`folder` are those of FOREKNOW_SITE_DIR, which count where nothing is stored."""
        self.folder = folder
        #: As they were when this process last read them.
        self.now = folder
        #: HTML of the pages by name.
        self.pages: Mapping[str, PageHtml] = {}
        #: See `pictures.mark_of`.
        self.mark = b""
        self._db = db
        self._thread = background_threads(1, name="looks")
        self._former: BoundedCache[str, PageHtml] = BoundedCache(FORMER_TERMS_MAX, _length)
        self._flights: SingleFlight[str, PageHtml | None] = SingleFlight("terms")

    async def prepare(self) -> None:
        """Keep the folder's terms, and read what is stored; call it before requests."""
        version = self.folder.terms_version
        if version is not None and not await self._db.read(lambda tx: store.has_terms(tx, version)):
            texts = self.folder.texts[TERMS]
            await self._db.write_private(lambda tx: store.keep_terms(tx, version, texts))
        await self.read()

    async def read(self) -> None:
        """Let what is stored count."""
        now = looks_of(await self._db.read(store.stored)).over(self.folder)
        # All at once: what is read in between is of one change.
        self.now, self.pages, self.mark = await self.beside(partial(_shown, now))

    async def terms(self, version: str) -> PageHtml | None:
        """Return a version of the terms as HTML by language; None where there was none such."""
        if version == self.now.terms_version:
            return self.pages[TERMS]
        former = self._former.get(version)
        return former or await self._flights.run(version, partial(self._former_terms, version), keep=lambda _: None)

    async def beside(self, work: Callable[[], _Result]) -> _Result:
        """Run what takes long beside the event loop, one at a time."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)

    async def stop(self) -> None:
        """Finish what is under way."""
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)

    async def _former_terms(self, version: str) -> PageHtml | None:
        texts = await self._db.read(lambda tx: store.terms(tx, version))
        if texts is None:
            return None
        html = await self.beside(lambda: {language: page_html(text) for language, text in texts.items()})
        self._former.put(version, html)
        return html


def _length(html: PageHtml) -> int:
    return sum(map(len, html.values()))


def _shown(looks: Looks) -> tuple[Looks, Mapping[str, PageHtml], bytes]:
    pages = {
        name: {language: page_html(text) for language, text in texts.items()} for name, texts in looks.texts.items()
    }
    return looks, pages, pictures.mark_of(looks)


def looks_of(stored: Mapping[str, bytes]) -> Looks:
    """Return what is stored as looks."""
    logo, theme = stored.get(LOGO), stored.get(THEME)
    texts = {
        name: {language: stored[key].decode() for language in LANGUAGES if (key := f"{name}.{language}") in stored}
        for name in NAMES
    }
    return Looks(
        logo=None if logo is None else LogoFile(logo, "webp" if logo.startswith(b"RIFF") else "png"),
        icon=stored.get(ICON),
        theme=None if theme is None else msgspec.json.decode(theme, type=SiteTheme),
        texts={name: by_language for name, by_language in texts.items() if by_language},
    )


def change(tx: WriteTx, name: str, content: bytes | None, by: UserCaller, *, currency_code: str, at_ms: int) -> None:
    """Store a part of the looks under its name, or nothing, and log it; what is as it was changes nothing.

    `currency_code`: what the ledger is in, "" for play money.
    """
    row = settings_store.lock(tx, currency_code=currency_code)
    old = store.find(tx, name)
    if content == old:
        return
    store.put(tx, name, content)
    details: dict[str, Any] = {}
    version = row.terms_version
    if name == THEME:
        details = {"old": _as_json(old), "new": _as_json(content)}
    elif name.startswith(f"{TERMS}."):
        texts = store.texts(tx, TERMS)
        version = terms_version(texts)
        details = {"version": version}
        if version is not None:
            store.keep_terms(tx, version, texts)
    settings_store.store(tx, row._replace(looks_version=row.looks_version + 1, terms_version=version))
    action = "looks.delete" if content is None else "looks.put"
    admin_log.record(tx, by, action=action, target=f"looks:{name}", details=details, at_ms=at_ms)


def _as_json(content: bytes | None) -> Any:
    return None if content is None else msgspec.json.decode(content)
