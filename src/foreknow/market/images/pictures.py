"""Decoding pictures and drawing them again: what is stored is our own encoder's work, pixels and nothing else.

Whatever an upload carries besides its pixels (places, names, previews, programs) is left behind. How a camera was held
is applied to the pixels first, and so is a colour profile: sRGB is what remains. Of an animation its first frame stays.
"""

from __future__ import annotations

import asyncio
import io
import struct
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from PIL import Image, ImageCms, ImageOps

from foreknow.kernel.threads import background_threads
from foreknow.market.images.headers import ImageFormat, ImageHeader, NotAnImage, is_lossless, read_header
from foreknow.market.images.names import WIDTHS

#: The contract's bound on an upload: 5 MiB.
IMAGE_BYTES_MAX = 5 * 1024 * 1024
#: What the cameras of telephones make; decoded, 100 MB at four bytes a pixel.
PIXELS_MAX = 25_000_000
#: The most that WebP can hold on one side.
SIDE_PIXELS_MAX = 16_383
PROFILE_BYTES_MAX = 64 * 1024
#: Pillow promises no closed set of exceptions for broken files; these are what its readers of our formats raise.
_BROKEN = (
    OSError,
    ValueError,
    SyntaxError,
    EOFError,
    LookupError,
    ArithmeticError,
    TypeError,
    AttributeError,
    struct.error,
    Image.DecompressionBombError,
)
_HOW_TO_SAVE: dict[ImageFormat, dict[str, Any]] = {
    ImageFormat.PNG: {"format": "PNG"},
    ImageFormat.JPEG: {"format": "JPEG", "quality": 88, "progressive": True},
    ImageFormat.WEBP: {"format": "WEBP", "quality": 88, "method": 3},
}
_NOT_ENCODED = "The image cannot be encoded."
#: How smaller sizes are written.
_SMALL: dict[str, Any] = {"format": "WEBP", "quality": 82, "method": 3}


@dataclass(frozen=True, slots=True)
class Picture:
    """A picture as our own encoder wrote it."""

    kind: ImageFormat
    content: bytes
    #: By width in pixels, the picture as WebP of that width, or of its own where it is narrower.
    sizes: Mapping[int, bytes]


class Transcoder:
    """Draws pictures again, one at a time and beside the event loop: the rest of the machine is for orders."""

    def __init__(self) -> None:
        """Keep one thread."""
        self._thread = background_threads(1, name="images")

    async def draw(self, raw: bytes, about: ImageHeader) -> Picture:
        """See `reencode`."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, reencode, raw, about)

    async def draw_sizes(self, raw: bytes) -> Mapping[int, bytes]:
        """See `smaller_sizes`."""
        return await asyncio.get_running_loop().run_in_executor(self._thread, smaller_sizes, raw)

    async def stop(self) -> None:
        """Finish the picture under way."""
        await asyncio.to_thread(self._thread.shutdown, cancel_futures=True)


def check_header(raw: bytes) -> ImageHeader:
    """Tell cheaply what `raw` says it is; `NotAnImage` where that is nothing we take, or too many pixels."""
    about = read_header(raw)
    if not about.width or not about.height:
        raise NotAnImage("The image has no pixels.")
    if max(about.width, about.height) > SIDE_PIXELS_MAX or about.width * about.height > PIXELS_MAX:
        raise NotAnImage(f"An image has at most {PIXELS_MAX} pixels, and {SIDE_PIXELS_MAX} a side.")
    return about


def reencode(raw: bytes, about: ImageHeader) -> Picture:
    """Decode all of a file that passed `check_header`, and encode its pixels alone in the same format.

    Raises `NotAnImage`. Takes seconds and some hundred megabytes for the largest pictures.
    """
    pixels = _decoded(raw, about)
    content = _encoded(pixels, raw, about.kind)
    try:
        return Picture(about.kind, content, _sizes(pixels))
    except _BROKEN as broken:
        raise NotAnImage(_NOT_ENCODED) from broken


def redrawn(raw: bytes, about: ImageHeader, *, kind: ImageFormat) -> bytes:
    """Do the same, in the format `kind` and without smaller sizes."""
    return _encoded(_decoded(raw, about), raw, kind)


def smaller_sizes(raw: bytes) -> Mapping[int, bytes]:
    """Return the sizes of an image that `reencode` wrote, by width in pixels; `NotAnImage`."""
    return _sizes(_decoded(raw, read_header(raw)))


def _decoded(raw: bytes, about: ImageHeader) -> Image.Image:
    try:
        # Pillow warns of what is broken in metadata, which we do not keep. Filters are the whole process's; nothing
        # else in the service changes them while it serves.
        with (
            warnings.catch_warnings(action="ignore"),
            Image.open(io.BytesIO(raw), formats=[about.kind.name]) as opened,
        ):
            if opened.size != (about.width, about.height):
                raise NotAnImage("The image contradicts itself about its size.")
            return _pixels(opened)
    except NotAnImage:
        raise
    except _BROKEN as broken:
        raise NotAnImage("The image cannot be decoded.") from broken


def _encoded(pixels: Image.Image, raw: bytes, kind: ImageFormat) -> bytes:
    how = _HOW_TO_SAVE[kind]
    if kind is ImageFormat.WEBP and is_lossless(raw):
        how = how | {"lossless": True}
    try:
        return _written(pixels, how)
    except _BROKEN as broken:
        raise NotAnImage(_NOT_ENCODED) from broken


def _sizes(pixels: Image.Image) -> Mapping[int, bytes]:
    """Return each size as WebP; what is narrower than a width keeps its own."""
    sizes: dict[int, bytes] = {}
    # From the largest to the smallest, each from the one before.
    for width in sorted(WIDTHS, reverse=True):
        if pixels.width > width:
            height = max(1, round(pixels.height * width / pixels.width))
            pixels = pixels.resize((width, height), Image.Resampling.LANCZOS, reducing_gap=3.0)
        sizes[width] = _written(pixels, _SMALL)
    return sizes


def _written(pixels: Image.Image, how: Mapping[str, Any]) -> bytes:
    file = io.BytesIO()
    pixels.save(file, **how)
    return file.getvalue()


def _pixels(opened: Image.Image) -> Image.Image:
    """Decode and return grey, RGB or RGBA pixels, upright, in sRGB, with nothing attached."""
    opened.load()
    profile = opened.info.get("icc_profile")
    upright = ImageOps.exif_transpose(opened)
    if upright.mode.startswith("I;16"):
        # Pillow would cut sixteen bits off at 255; the upper eight of them are wanted.
        plain = upright.convert("I").point(lambda value: value * (1 / 257)).convert("L")
    elif upright.has_transparency_data:
        plain = upright.convert("RGBA")
    else:
        plain = upright.convert("L" if upright.mode in {"1", "L"} else "RGB")
    if profile and upright.mode in {"RGB", "RGBA"} and len(profile) <= PROFILE_BYTES_MAX:
        plain = _in_srgb(plain, profile)
    # Encoders write what they find here.
    plain.info.clear()
    return plain


def _in_srgb(pixels: Image.Image, profile: bytes) -> Image.Image:
    """Turn colours of a camera's or screen's own into those that everybody shows; as they are, where that fails."""
    try:
        changed = ImageCms.profileToProfile(pixels, io.BytesIO(profile), ImageCms.createProfile("sRGB"))
    except (ImageCms.PyCMSError, OSError):
        return pixels
    return changed or pixels
