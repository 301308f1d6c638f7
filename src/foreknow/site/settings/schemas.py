"""The settings of a site as admins see and change them."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.settings import Settings
from foreknow.kernel.site_settings import SITE_SETTINGS, default_of, is_fixed, overlaid, values_of
from foreknow.kernel.units import INT64_MAX
from foreknow.platform.settings.store import StoredSettings

#: The JSON of any setting.
_VALUE = {
    "anyOf": [
        {"type": "string"},
        {"type": "integer"},
        {"type": "array", "items": {"type": "string"}},
        {"type": "object"},
        {"type": "null"},
    ]
}


class SiteSetting(msgspec.Struct, frozen=True):
    """A setting of the site."""

    name: Annotated[str, Meta(description="The variable's name in lower case, without prefix.", examples=["site_name"])]
    value: Annotated[
        Any, Meta(description="What counts, as JSON of its type.", examples=["Club"], extra_json_schema=_VALUE)
    ]
    default: Annotated[
        Any,
        Meta(
            description="What would count if it were not set, beside the other values.",
            examples=["Foreknow"],
            extra_json_schema=_VALUE,
        ),
    ]
    source: Annotated[
        Literal["environment", "site", "default"],
        Meta(description="What sets it; what the environment sets cannot be changed here.", examples=["site"]),
    ]


class SiteSettings(msgspec.Struct, frozen=True):
    """The settings of the site, and their version."""

    version: Annotated[int, Meta(description="One more with each change.", examples=[3])]
    settings: Annotated[list[SiteSetting], Meta(description="All of them.")]


class SiteSettingsChange(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A change of settings."""

    version: Annotated[int, Meta(ge=0, le=INT64_MAX, description="The version that you have seen.", examples=[3])]
    changes: Annotated[
        dict[str, Any],
        Meta(description="Values by name, as JSON of their type; null unsets one.", examples=[{"site_name": "Club"}]),
    ]


def settings_view(given: Settings, found: StoredSettings) -> SiteSettings:
    """Return what is stored beside the environment's settings; `ValidationError`."""
    settings = overlaid(given, found.values)
    shown = [
        SiteSetting(name, value, default_of(settings, name), _source(given, found, name))
        for name, value in values_of(settings).items()
    ]
    return SiteSettings(found.version, shown)


def _source(given: Settings, found: StoredSettings, name: str) -> Literal["environment", "site", "default"]:
    if is_fixed(given, name):
        return "environment"
    return "site" if name in found.values and name in SITE_SETTINGS else "default"
