"""GET /site: what a client shows and offers before anyone signs in."""

from __future__ import annotations

from typing import Annotated, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.access.callers import Creators
from foreknow.kernel.access.levels import AuthLevel
from foreknow.kernel.site_theme import SiteTheme
from foreknow.web.endpoint import PlainRequest, get


class SiteCurrency(msgspec.Struct, frozen=True, kw_only=True):
    """What amounts are in; they are hundredths of it, whatever their names say. Without a `code`: play money."""

    code: Annotated[str | None, Meta(description="ISO 4217; null for play money.", examples=["RUB"])]
    sign: Annotated[
        str,
        Meta(
            description="Stands before the number; in Russian, and where it has a letter, after it and a no-break "
            "space.",
            examples=["₽"],
        ),
    ]
    name: Annotated[str, Meta(description="The currency's name.", examples=["roubles"])]
    name_ru: Annotated[str, Meta(description='Its Russian name; "" for none.', examples=["рубли"])]
    decimals: Annotated[
        Literal[0, 2], Meta(description="Decimals that are shown; 0: amounts are cut to whole ones.", examples=[2])
    ]


class Site(msgspec.Struct, frozen=True, kw_only=True):
    """This service, as it was set up."""

    name: Annotated[str, Meta(description="The site's name.", examples=["Foreknow"])]
    version: Annotated[str, Meta(description="The service's version.", examples=["0.1.0"])]
    sign_up: Annotated[bool, Meta(description="Whether people may make accounts by themselves.", examples=[True])]
    invitation_only: Annotated[bool, Meta(description="Whether they need an invitation for that.", examples=[False])]
    domains: Annotated[
        list[str],
        Meta(
            description="Domains that the e-mail addresses of new accounts may have; [] for any.",
            examples=[["example.org"]],
        ),
    ]
    passwords: Annotated[
        bool, Meta(description="Whether people sign up and in with passwords; else admins alone.", examples=[True])
    ]
    creators: Annotated[
        Creators,
        Meta(
            description="Who makes events: `chosen`: accounts to which an admin gives the role; `members`: every "
            "account; `suggest`: every account, for an admin to publish."
        ),
    ]
    oauth: Annotated[
        list[str],
        Meta(description="Sign-in providers, by their names in `/auth/oauth/{provider}`.", examples=[["example"]]),
    ]
    email: Annotated[bool, Meta(description="Whether this site sends e-mail.", examples=[True])]
    image_bytes_max: Annotated[int, Meta(description="Largest image that is taken, bytes.", examples=[5242880])]
    currency: Annotated[SiteCurrency, Meta(description="What amounts are in.")]
    languages: Annotated[
        list[str],
        Meta(
            description="Languages that are offered, `en` and `ru`; the first where no other is known.",
            examples=[["en", "ru"]],
        ),
    ]
    objections: Annotated[bool, Meta(description="Whether traders object to results here.", examples=[True])]
    trading: Annotated[
        bool, Meta(description="Whether orders are taken; else the site is for forecasts alone.", examples=[True])
    ]
    dispute_minutes: Annotated[
        int,
        Meta(
            ge=0,
            description="Minutes from a result to its payment in new pools that name none, and the least that an event "
            "which no admin makes may name.",
            examples=[60],
        ),
    ]
    logo: Annotated[
        str,
        Meta(
            description='Path of the site\'s own logo, an SVG; "" without one.',
            examples=["/site/logo.svg?v=8f14e45fceea167a"],
        ),
    ] = ""
    icon: Annotated[
        str, Meta(description='Path of the site\'s own icon, a square PNG; "" without one.', examples=[""])
    ] = ""
    theme: Annotated[
        SiteTheme | None, Meta(description="Colours of the site's own; null without.", examples=[None])
    ] = None
    pages: Annotated[
        list[str],
        Meta(description="Pages of the site's own: `about`, `rules`, `terms`, `privacy`.", examples=[["about"]]),
    ] = msgspec.field(default_factory=list)
    terms: Annotated[
        str | None, Meta(description="Version of the terms that sign-up needs; null without terms.", examples=[None])
    ] = None


class SiteRoutes:
    """GET /site."""

    def __init__(self, site: Site) -> None:
        """Answer with `site`."""
        self._site = site

    @get("/site", AuthLevel.NONE, cannot_fail=True, for_strangers=True)
    async def get_site(self, _request: PlainRequest) -> Site:
        """What this site is called and offers."""
        return self._site
