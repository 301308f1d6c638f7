"""GET /site/pages/{name}: the site's own pages."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.errors import NotFound
from foreknow.site.looks.folder import Looks
from foreknow.site.looks.pages import LANGUAGES, NAMES, PageLanguage
from foreknow.web.endpoint import Request, get
from foreknow.web.params import choice, optional, parameters, path_text


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


class SitePageRoutes:
    """The site's own pages."""

    def __init__(self, looks: Looks) -> None:
        """Answer with the pages of `looks`."""
        self._pages = {
            (name, wanted): SiteText(name=name, lang=found, html=by_language[found])
            for name, by_language in looks.pages.items()
            for wanted in LANGUAGES
            for found in [wanted if wanted in by_language else _other(wanted)]
        }

    @get("/site/pages/{name}", AuthLevel.NONE, errors=(NotFound,), for_strangers=True)
    async def get_site_text(self, request: Request[SitePagePath, SitePageQuery, None]) -> SiteText:
        """A page of the site's own: about, rules, terms or privacy."""
        page = self._pages.get((request.path.name, request.query.lang or "en"))
        if page is None:
            raise NotFound("This site has no such page.")
        return page


def _other(language: PageLanguage) -> PageLanguage:
    return "ru" if language == "en" else "en"
