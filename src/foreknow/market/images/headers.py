"""The format and size that a file's structure states, read before a decoder allocates a pixel.

What follows the image's end is not looked at: cameras put films, previews and marks of their own there, and only pixels
are kept. Sizes are those of the whole canvas, frames of animations included.

Sources: PNG (W3C Recommendation, third edition), sections 5.2 and 11.2.1; JPEG (ITU-T T.81), annex B; the WebP
container (RFC 9649), sections 2.3 to 2.7.
"""

from __future__ import annotations

import enum
import re
import zlib
from dataclasses import dataclass


class NotAnImage(ValueError):
    """The bytes are no image that we take; the text says why, for the sender."""


class ImageFormat(enum.Enum):
    """The formats we take and store, by Pillow's names; the value is the ending of stored objects' names."""

    PNG = "png"
    JPEG = "jpg"
    WEBP = "webp"

    @property
    def media_type(self) -> str:
        """The media type for browsers."""
        return f"image/{self.name.lower()}"


@dataclass(frozen=True, slots=True)
class ImageHeader:
    """A file's format and the size of its picture, in pixels, before any turning."""

    kind: ImageFormat
    width: int
    height: int


_PNG = b"\x89PNG\r\n\x1a\n"
_JPEG = b"\xff\xd8\xff"
_SOI, _EOI, _SOS = 0xD8, 0xD9, 0xDA
_RESTARTS = range(0xD0, 0xD8)
#: Markers that stand alone, without a length.
_ALONE = {0x01, *_RESTARTS}
#: Start of frame, with the size in it; DHT, JPG and DAC share the range.
_FRAMES = set(range(0xC0, 0xD0)) - {0xC4, 0xC8, 0xCC}
_FILLING = re.compile(rb"\xff*")
#: What ends compressed data: a marker that is neither a byte of it nor a restart.
_NEXT_MARKER = re.compile(rb"\xff[^\x00\xd0-\xd7]")
#: Most chunks of a PNG, and most segments of a JPEG. Cameras and editors make some hundreds. Each is looked at while
#: nothing else is done.
PARTS_MAX = 10_000
_TOO_MANY = "The image is in too many parts."
_ENDS_EARLY = "The file ends before its image does."


def read_header(raw: bytes) -> ImageHeader:
    """Tell format and size of a file, or raise `NotAnImage`."""
    if raw.startswith(_PNG):
        return _png(raw)
    if raw.startswith(_JPEG):
        return _jpeg(raw)
    if raw[:4] == b"RIFF" and raw[8:12] == b"WEBP":
        return _webp(raw)
    raise NotAnImage("This is no PNG, JPEG or WebP image.")


def _png(raw: bytes) -> ImageHeader:
    if raw[8:16] != b"\0\0\0\rIHDR":
        raise NotAnImage("The PNG has no header.")
    at, name, parts = len(_PNG), b"", 0
    while name != b"IEND":
        parts = _one_more(parts)
        if at + 12 > len(raw):
            raise NotAnImage(_ENDS_EARLY)
        name = raw[at + 4 : at + 8]
        # The check sum stands behind the chunk's name and bytes, which stand behind their length.
        end = at + 8 + _big(raw, at, 4)
        if zlib.crc32(memoryview(raw)[at + 4 : end]) != _big(raw, end, 4):
            raise NotAnImage("The PNG is damaged.")
        at = end + 4
    return ImageHeader(ImageFormat.PNG, _big(raw, 16, 4), _big(raw, 20, 4))


def _jpeg(raw: bytes) -> ImageHeader:
    size: tuple[int, int] | None = None
    at, parts = 2, 0
    while True:
        parts = _one_more(parts)
        if at + 2 > len(raw):
            raise NotAnImage(_ENDS_EARLY)
        marker = raw[at + 1]
        if raw[at] != 0xFF or marker in {0x00, _SOI}:
            raise NotAnImage("The JPEG is broken.")
        if marker == 0xFF:  # Filling bytes before a marker.
            at = _filled(raw, at)
            continue
        at += 2
        if marker == _EOI:
            break
        if marker in _ALONE:
            continue
        if marker in _FRAMES and size is None:
            size = _big(raw, at + 5, 2), _big(raw, at + 3, 2)
        at += max(2, _big(raw, at, 2))
        if marker == _SOS:
            at = _after_scan(raw, at)
    if size is None:
        raise NotAnImage("The JPEG holds no picture.")
    return ImageHeader(ImageFormat.JPEG, *size)


def _filled(raw: bytes, at: int) -> int:
    """Return where the last of the filling bytes from `at` on is."""
    found = _FILLING.match(raw, at)
    assert found is not None
    return found.end() - 1


def _after_scan(raw: bytes, at: int) -> int:
    """Return where the compressed data from `at` on end: at the next marker that is no restart."""
    found = _NEXT_MARKER.search(raw, at)
    if found is None:
        raise NotAnImage(_ENDS_EARLY)
    return found.start()


def _one_more(parts: int) -> int:
    if parts >= PARTS_MAX:
        raise NotAnImage(_TOO_MANY)
    return parts + 1


def _webp(raw: bytes) -> ImageHeader:
    if 8 + _little(raw, 4, 4) > len(raw):
        raise NotAnImage(_ENDS_EARLY)
    name = raw[12:16]
    if name == b"VP8X":
        return ImageHeader(ImageFormat.WEBP, 1 + _little(raw, 24, 3), 1 + _little(raw, 27, 3))
    if name == b"VP8 ":
        return ImageHeader(ImageFormat.WEBP, _little(raw, 26, 2) & 0x3FFF, _little(raw, 28, 2) & 0x3FFF)
    if name == b"VP8L":
        packed = _little(raw, 21, 4)
        return ImageHeader(ImageFormat.WEBP, 1 + (packed & 0x3FFF), 1 + (packed >> 14 & 0x3FFF))
    raise NotAnImage("The WebP holds no picture.")


def is_lossless(raw: bytes) -> bool:
    """Tell whether a still WebP keeps every pixel as it was."""
    return raw[12:16] == b"VP8L"


def _big(raw: bytes, at: int, size: int) -> int:
    return int.from_bytes(_piece(raw, at, size), "big")


def _little(raw: bytes, at: int, size: int) -> int:
    return int.from_bytes(_piece(raw, at, size), "little")


def _piece(raw: bytes, at: int, size: int) -> bytes:
    if at + size > len(raw):
        raise NotAnImage(_ENDS_EARLY)
    return raw[at : at + size]
