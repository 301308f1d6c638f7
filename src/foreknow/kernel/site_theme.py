"""The colours of a site of one's own."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta


class SiteTheme(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The accent colour as `#rrggbb`, on a light and on a dark ground."""

    accent_light: Annotated[str, Meta(description="On a light ground.", examples=["#00606c"])]
    accent_dark: Annotated[str, Meta(description="On a dark ground.", examples=["#63cbd6"])]
