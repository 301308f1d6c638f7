"""Names of stored objects: an image, and its smaller sizes beside it."""

from __future__ import annotations

import re
import secrets

from foreknow.market.images.headers import ImageFormat

PATH = "/images/"
#: An event's id (of an avatar: `a`), 128 random bits, the ending of the format. They cannot be guessed, and are never
#: given twice, so that browsers may keep what they got permanently.
OBJECT_NAME = re.compile(r"(?:[1-9][0-9]{0,18}|a)-[0-9a-f]{32}\.(png|jpg|webp)", re.ASCII)
#: Widths in pixels that the contract names.
WIDTHS = (160, 640, 1280)


def new_cover_name(event_id: int, kind: ImageFormat) -> str:
    """Draw a name for a new cover image of an event."""
    return f"{event_id}-{secrets.token_hex(16)}.{kind.value}"


def new_avatar_name(kind: ImageFormat) -> str:
    """Draw a name for a new avatar. It tells nothing of its owner: the trade feed shows avatars without ids."""
    return f"a-{secrets.token_hex(16)}.{kind.value}"


def event_of(name: str) -> int | None:
    """Return the id of the event that a cover image was uploaded to; None for an avatar."""
    owner = name.partition("-")[0]
    return int(owner) if owner.isdigit() else None


def size_name(name: str, width: int) -> str:
    """Return the name of an image's smaller size."""
    return f"{name}.{width}.webp"


def objects_of(name: str) -> list[str]:
    """Return the objects that go with a name: the sizes, and last the image where it is one that is named.

    Sizes made later have a row of their own, under the name of the smallest.
    """
    image = name.removesuffix(size_name("", WIDTHS[0]))
    sizes = [size_name(image, width) for width in WIDTHS]
    return [*sizes, name] if image == name else sizes
