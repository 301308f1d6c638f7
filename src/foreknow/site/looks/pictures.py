"""Logos and icons that are sent: drawn again as covers are, within their bounds; and the mark of link previews."""

from __future__ import annotations

import io

from PIL import Image, ImageOps

from foreknow.market.images.errors import InvalidImage
from foreknow.market.images.headers import ImageFormat, ImageHeader, NotAnImage
from foreknow.market.images.pictures import check_header, redrawn
from foreknow.site.looks.parts import SIDES, LogoFile, Looks

#: Bounds the mark in link previews, pixels of the picture that is drawn twice as large.
MARK_WIDTH_MAX, MARK_HEIGHT = 240, 72


def drawn_logo(raw: bytes) -> LogoFile:
    """Return a logo as our own encoder writes it; `InvalidImage`."""
    about = _checked(raw)
    return LogoFile(_drawn(raw, about, about.kind), about.kind.value)


def drawn_icon(raw: bytes) -> bytes:
    """Return an icon as PNG, whatever it was sent as: home screens want that. `InvalidImage`."""
    about = _checked(raw)
    if about.width != about.height:
        raise InvalidImage("An icon is square.")
    return _drawn(raw, about, ImageFormat.PNG)


def _checked(raw: bytes) -> ImageHeader:
    """Return format and size, before a pixel is decoded."""
    try:
        about = check_header(raw)
    except NotAnImage as wrong:
        raise InvalidImage(str(wrong)) from wrong
    if about.kind is ImageFormat.JPEG:
        raise InvalidImage("Send PNG or WebP.")
    if about.width not in SIDES or about.height not in SIDES:
        raise InvalidImage("Its sides have 16 to 1,024 pixels.")
    return about


def _drawn(raw: bytes, about: ImageHeader, kind: ImageFormat) -> bytes:
    try:
        return redrawn(raw, about, kind=kind)
    except NotAnImage as wrong:
        raise InvalidImage(str(wrong)) from wrong


def mark_of(looks: Looks) -> bytes:
    """Return what link previews draw before the site's name, as PNG: its logo, else its icon; b"" without.

    Nothing here draws SVG.
    """
    for content in (looks.logo.content if looks.logo is not None and looks.logo.ending != "svg" else None, looks.icon):
        if content is not None:
            with Image.open(io.BytesIO(content)) as picture:
                mark = ImageOps.contain(picture.convert("RGBA"), (MARK_WIDTH_MAX, MARK_HEIGHT))
            file = io.BytesIO()
            mark.save(file, "PNG")
            return file.getvalue()
    return b""
