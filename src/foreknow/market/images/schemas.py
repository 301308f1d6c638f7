"""The response body of the endpoint of cover images."""

from __future__ import annotations

from typing import Annotated

import msgspec
from msgspec import Meta

from foreknow.market.events.schemas import IMAGE_URL


class StoredImage(msgspec.Struct, frozen=True):
    """Where the cover image is served: below FOREKNOW_PUBLIC_URL where that is set, else a path of this host."""

    image_url: Annotated[str, Meta(description=IMAGE_URL, examples=["/images/7-0123456789abcdef0123456789abcdef.webp"])]
