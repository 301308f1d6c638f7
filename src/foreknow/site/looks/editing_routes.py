"""Endpoints of an admin who sets the looks of the site: logo, icon, colours and pages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.access.callers import UserCaller
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import NotFound
from foreknow.kernel.site_theme import SiteTheme
from foreknow.kernel.validation.fields import optional_text, wrong_field
from foreknow.market.images.errors import InvalidImage
from foreknow.people.users import require_live_session
from foreknow.platform.db.clock import now_ms
from foreknow.platform.db.transactions import ReadTx, WriteTx
from foreknow.site.looks import pictures, service, store
from foreknow.site.looks.parts import (
    LANGUAGES,
    NAMES,
    PAGE_BYTES_MAX,
    PICTURE_BYTES_MAX,
    PageLanguage,
    WrongColour,
    check_theme,
)
from foreknow.site.looks.routes import SitePagePath
from foreknow.site.looks.service import ICON, LOGO, THEME, LiveLooks
from foreknow.site.looks.serving import icon_file, logo_file
from foreknow.web.context import RouteContext
from foreknow.web.endpoint import BodyRequest, PathRequest, PlainRequest, Request, delete, get, put
from foreknow.web.params import choice, parameters, required
from foreknow.web.responses import Empty

BODY_BYTES_MAX = 2 * 1024 * 1024
_PICTURE = (
    "PNG or WebP with sides of 16 to 1,024 pixels. It is drawn again: kept are its pixels, upright, in sRGB, and of an "
    "animation the first frame. It goes before the folder's, on every server within a second."
)


class StoredPicture(msgspec.Struct, frozen=True):
    """Where a picture of the site's looks is served."""

    url: Annotated[
        str, Meta(description="Its path, which changes with it.", examples=["/site/logo.png?v=5f1d7a0e2b9c4d68"])
    ]


class PageChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A page of the site in one language."""

    lang: Annotated[PageLanguage, Meta(description="The language that it is written in.", examples=["en"])]
    markdown: Annotated[
        str, Meta(description="At most 262,144 bytes in UTF-8; HTML in it is shown as text.", examples=["# Rules"])
    ]


class PageSource(msgspec.Struct, frozen=True):
    """What is stored of a page, as Markdown."""

    en: Annotated[str | None, Meta(description="In English; null where none is stored.", examples=["# Rules"])]
    ru: Annotated[str | None, Meta(description="In Russian; null where none is stored.", examples=["# Правила"])]


@parameters
class PageLanguageQuery:
    lang: PageLanguage = required(choice("lang", LANGUAGES, "The language whose text goes."))


class LooksRoutes:
    """Setting the looks of the site; what is stored goes before the folder FOREKNOW_SITE_DIR."""

    def __init__(self, context: RouteContext, looks: LiveLooks, *, on_change: Callable[[], None]) -> None:
        """`on_change` is called after a change, to let it count in this process at once; it must not block."""
        self._context = context
        self._looks = looks
        self._on_change = on_change

    @put(
        "/admin/looks/logo",
        AuthLevel.ADMIN,
        unverified=True,
        raw_body_bytes=PICTURE_BYTES_MAX,
        errors=(InvalidImage,),
        description=_PICTURE,
    )
    async def set_logo(self, request: PlainRequest) -> StoredPicture:
        """Give the site a logo, or another one."""
        raw = await request.raw(PICTURE_BYTES_MAX).whole()
        logo = await self._looks.beside(partial(pictures.drawn_logo, raw))
        await self._change(request.user, LOGO, logo.content)
        return StoredPicture(logo_file(logo).address)

    @put(
        "/admin/looks/icon",
        AuthLevel.ADMIN,
        unverified=True,
        raw_body_bytes=PICTURE_BYTES_MAX,
        errors=(InvalidImage,),
        description=f"A square. {_PICTURE}",
    )
    async def set_icon(self, request: PlainRequest) -> StoredPicture:
        """Give the site an icon for tabs and home screens, or another one."""
        raw = await request.raw(PICTURE_BYTES_MAX).whole()
        icon = await self._looks.beside(partial(pictures.drawn_icon, raw))
        await self._change(request.user, ICON, icon)
        return StoredPicture(icon_file(icon).address)

    @put("/admin/looks/theme", AuthLevel.ADMIN, unverified=True)
    async def set_theme(self, request: BodyRequest[SiteTheme]) -> Empty:
        """Give the site colours of its own; their contrast to the pages' grounds is 4.5 at least."""
        try:
            check_theme(request.body)
        except WrongColour as wrong:
            raise wrong_field(wrong.name, str(wrong).removeprefix(f"{wrong.name} ")) from wrong
        await self._change(request.user, THEME, msgspec.json.encode(request.body))
        return Empty()

    @get("/admin/looks/pages/{name}", AuthLevel.ADMIN, key_scope=None, unverified=True, errors=(NotFound,))
    async def get_page_source(self, request: PathRequest[SitePagePath]) -> PageSource:
        """A page of the site's own as Markdown, as an admin has stored it."""
        name = _page_name(request.path)

        def read(tx: ReadTx) -> PageSource:
            texts = store.texts(tx, name)
            return PageSource(texts.get("en"), texts.get("ru"))

        return await self._context.db.read(read)

    @put(
        "/admin/looks/pages/{name}",
        AuthLevel.ADMIN,
        unverified=True,
        body_bytes=BODY_BYTES_MAX,
        errors=(NotFound,),
    )
    async def set_page_source(self, request: Request[SitePagePath, None, PageChange]) -> Empty:
        """Store a page of the site's own in one language.

        A page with a stored language is no longer the folder's. Changed terms are a new version, to which newcomers
        agree from then on; what others agreed to is kept. The version is the text's: put back, it has the one that it
        had.
        """
        name, change = _page_name(request.path), request.body
        # Characters first, of which none has less than a byte: what is far too long is not normalised.
        content = optional_text("markdown", change.markdown, most=PAGE_BYTES_MAX).encode()
        if len(content) > PAGE_BYTES_MAX:
            raise wrong_field("markdown", f"has at most {PAGE_BYTES_MAX:,} bytes in UTF-8")
        if b"\0" in content:
            raise wrong_field("markdown", "must not contain NUL characters")
        await self._change(request.user, f"{name}.{change.lang}", content)
        return Empty()

    @delete("/admin/looks/logo", AuthLevel.ADMIN, unverified=True)
    async def delete_logo(self, request: PlainRequest) -> Empty:
        """Delete the stored logo; again, that changes nothing."""
        return await self._delete(request.user, LOGO)

    @delete("/admin/looks/icon", AuthLevel.ADMIN, unverified=True)
    async def delete_icon(self, request: PlainRequest) -> Empty:
        """Delete the stored icon; again, that changes nothing."""
        return await self._delete(request.user, ICON)

    @delete("/admin/looks/theme", AuthLevel.ADMIN, unverified=True)
    async def delete_theme(self, request: PlainRequest) -> Empty:
        """Delete the stored colours; again, that changes nothing."""
        return await self._delete(request.user, THEME)

    @delete("/admin/looks/pages/{name}", AuthLevel.ADMIN, unverified=True, errors=(NotFound,))
    async def delete_page_source(self, request: Request[SitePagePath, PageLanguageQuery, None]) -> Empty:
        """Delete the stored text of a page in one language; again, that changes nothing."""
        return await self._delete(request.user, f"{_page_name(request.path)}.{request.query.lang}")

    async def _delete(self, admin: UserCaller, name: str) -> Empty:
        await self._change(admin, name, None)
        return Empty()

    async def _change(self, admin: UserCaller, name: str, content: bytes | None) -> None:
        def work(tx: WriteTx) -> None:
            require_live_session(tx, admin, AuthLevel.ADMIN)
            code = self._context.settings.at(tx).currency.code or ""
            service.change(tx, name, content, admin, currency_code=code, at_ms=now_ms(tx))

        await self._context.db.write_private(work)
        self._on_change()


def _page_name(path: SitePagePath) -> str:
    if path.name not in NAMES:
        raise NotFound("A site has no such page.")
    return path.name
