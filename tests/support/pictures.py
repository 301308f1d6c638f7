"""Pictures for tests, drawn here, and files that only look like one."""

from __future__ import annotations

import io
import struct
import zlib
from typing import Any

from PIL import Image

RED, BLUE = (220, 30, 30), (20, 40, 210)
#: What cameras write behind an image: a film (Motion Photo), and Samsung's notes with their index.
TRAILERS = (
    b"\0\0\0\x18ftypmp42\0\0\0\0isommp42\0\0\0\x08mdat",
    b"\0\0\x01\x0a\x0e\0\0\0Image_UTC_Data1700000000000SEFH\x6b\0\0\0\x01\0\0\0SEFT",
)


def two_colours(width: int = 64, height: int = 32, mode: str = "RGB") -> Image.Image:
    """Draw a picture whose left half is red and whose right half is blue."""
    drawn = Image.new("RGB", (width, height), RED)
    drawn.paste(BLUE, (width // 2, 0, width, height))
    return drawn.convert(mode)


def encoded(picture: Image.Image, kind: str, **how: Any) -> bytes:
    """Encode as PNG, JPEG, WEBP or whatever else Pillow writes."""
    file = io.BytesIO()
    picture.save(file, format=kind, **how)
    return file.getvalue()


def image(kind: str = "PNG", width: int = 64, height: int = 32, **how: Any) -> bytes:
    """Return a file with the two colours."""
    return encoded(two_colours(width, height), kind, **how)


def opened(raw: bytes) -> Image.Image:
    """Decode a file wholly."""
    picture = Image.open(io.BytesIO(raw))
    picture.load()
    return picture


def near(pixel: Any, colour: tuple[int, int, int], *, most: int = 12) -> bool:
    """Tell whether a pixel has a colour, but for what compression does to it."""
    return all(abs(have - want) <= most for have, want in zip(pixel[:3], colour, strict=True))


def png_chunk(name: bytes, content: bytes) -> bytes:
    """Spell one chunk of a PNG."""
    return struct.pack(">I", len(content)) + name + content + struct.pack(">I", zlib.crc32(name + content))


def png_bomb(width: int, height: int) -> bytes:
    """Return a small PNG that says it is large, and is: one bit a pixel, all of them black."""
    header = struct.pack(">IIBBBBB", width, height, 1, 0, 0, 0, 0)
    rows = zlib.compress(bytes((width + 7) // 8 + 1) * height, 9)
    chunks = png_chunk(b"IHDR", header) + png_chunk(b"IDAT", rows) + png_chunk(b"IEND", b"")
    return b"\x89PNG\r\n\x1a\n" + chunks


def with_right_sums(raw: bytes) -> bytes:
    """Correct the check sums of a PNG's chunks, so that what is wrong in them reaches the decoder."""
    corrected, at = bytearray(raw), 8
    while at + 12 <= len(corrected):
        end = at + 8 + int.from_bytes(corrected[at : at + 4], "big")
        if end + 4 > len(corrected):
            break
        corrected[end : end + 4] = struct.pack(">I", zlib.crc32(corrected[at + 4 : end]))
        at = end + 4
    return bytes(corrected)


SVG = b'<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"><script>alert(1)</script></svg>'
HTML = b"<!doctype html><script>alert(1)</script>"
