"""GET /site/pages/{name}: the site's own pages."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import NotFound
from foreknow.site.looks.parts import LANGUAGES, NAMES, TERMS, PageLanguage
from foreknow.site.looks.service import LiveLooks, PageHtml
from foreknow.web.endpoint import Request, get
from foreknow.web.params import Param, choice, optional, parameters, path_text


class SiteText(msgspec.Struct, frozen=True, kw_only=True):
    """A page of the site's own."""

    name: Annotated[str, Meta(description="Which page.", examples=["about"])]
    lang: Annotated[PageLanguage, Meta(description="The language that it is in.", examples=["en"])]
    html: Annotated[str, Meta(description="What it says; runs and loads nothing.", examples=["<p>Hello.</p>\n"])]


@parameters
class SitePagePath:
    name: str = path_text(str, {"type": "string", "enum": list(NAMES)}, "The page.")


@parameters
class SitePageQuery:
    lang: PageLanguage | None = optional(
        choice("lang", LANGUAGES, "The language wanted; a page that lacks it comes in the other. Unset: English.")
    )
    version: str | None = optional(
        Param(
            "version",
            str,
            {"type": "string", "examples": ["5f1d7a0e2b9c4d68"]},
            "Of the terms alone: the version that someone agreed to. Unset: the present one.",
        )
    )


class SitePageRoutes:
    """The site's own pages."""

    def __init__(self, looks: LiveLooks, *, first_language: PageLanguage) -> None:
        """Answer with the pages of `looks`, in `first_language` where none is wanted."""
        self._first_language = first_language
        self._looks = looks

    @get("/site/pages/{name}", AuthLevel.NONE, errors=(NotFound,), for_strangers=True)
    async def get_site_text(self, request: Request[SitePagePath, SitePageQuery, None]) -> SiteText:
        """A page of the site's own: about, rules, terms or privacy."""
        name, version = request.path.name, request.query.version
        wanted = request.query.lang or self._first_language
        page = await self._page(name, version)
        if page is None:
            raise NotFound("This site has no such page.")
        lang = wanted if wanted in page else _other(wanted)
        return SiteText(name=name, lang=lang, html=page[lang])

    async def _page(self, name: str, version: str | None) -> PageHtml | None:
        if version is None:
            return self._looks.pages.get(name)
        return await self._looks.terms(version) if name == TERMS else None


def _other(language: PageLanguage) -> PageLanguage:
    return "ru" if language == "en" else "en"
