"""What the site says of itself: GET /site, and what the client's page brings of it."""

from __future__ import annotations

import msgspec

from foreknow import __version__
from foreknow.kernel.currency import ROUBLES
from foreknow.kernel.languages import LANGUAGES
from foreknow.kernel.settings import Settings
from foreknow.market.images.pictures import IMAGE_BYTES_MAX
from foreknow.site.client import NAME, ShellLooks
from foreknow.site.looks import Looks, icon_file, logo_file
from foreknow.web.site import Site, SiteCurrency


class PageSite(Site, frozen=True, kw_only=True):
    """What the client's page brings of the site: GET /site's answer, and what that has no field for."""

    #: Whether creators trade in their own events: else the client would have to ask for a price to know.
    creators_trade: bool = True


#: A site for which nothing was set: `web/src/lib/site.ts` holds the same.
_PLAIN_SITE = PageSite(
    name=NAME,
    version=__version__,
    sign_up=True,
    invitation_only=False,
    domains=[],
    passwords=True,
    creators="chosen",
    oauth=[],
    email=False,
    image_bytes_max=IMAGE_BYTES_MAX,
    currency=SiteCurrency(**ROUBLES.model_dump()),
    languages=list(LANGUAGES),
    objections=True,
    trading=True,
    dispute_minutes=0,
)


def shell_looks(site: Site, *, creators_trade: bool, style: str) -> ShellLooks | None:
    """Return what the client's page brings of the site; None where nothing differs from what the client knows."""
    brought = PageSite(**msgspec.structs.asdict(site), creators_trade=creators_trade)
    if brought == _PLAIN_SITE:
        return None
    return ShellLooks(site.name, msgspec.json.encode(brought), style, site.icon, has_pages=bool(site.pages))


def has_looks(site: Site) -> bool:
    """Return whether a site looks like no other; its name, which its first admin gives it, is not enough."""
    return bool(site.logo or site.icon or site.theme)


def site_of(settings: Settings, looks: Looks) -> Site:
    """Return what GET /site shows."""
    return Site(
        name=settings.site_name,
        version=__version__,
        sign_up=settings.sign_up != "off",
        invitation_only=settings.sign_up == "invite",
        domains=list(settings.email_domains),
        passwords=settings.passwords == "on",
        creators=settings.creators,
        oauth=list(settings.oidc_providers),
        email=settings.sends_mail,
        image_bytes_max=IMAGE_BYTES_MAX,
        logo="" if looks.logo is None else logo_file(looks.logo).address,
        icon="" if looks.icon is None else icon_file(looks.icon).address,
        theme=looks.theme,
        pages=looks.page_names,
        terms=looks.terms_version,
        currency=SiteCurrency(**settings.currency.model_dump()),
        languages=list(settings.offered_languages),
        objections=settings.objections == "on",
        trading=settings.takes_orders,
        dispute_minutes=settings.dispute_minutes,
    )
