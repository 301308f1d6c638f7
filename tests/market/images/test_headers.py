"""A file is recognised by its structure alone: what it is, how large, and where its image ends."""

from __future__ import annotations

import contextlib
import io
import zipfile
import zlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from foreknow.market.images.headers import ImageFormat, NotAnImage, read_header
from tests.support.pictures import HTML, SVG, TRAILERS, encoded, image, png_bomb, two_colours


def archive() -> bytes:
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w") as zipped:
        zipped.writestr("evil.class", b"program")
    return file.getvalue()


SAMPLES = {
    "PNG": image("PNG"),
    "PNG, interlaced modes": encoded(two_colours(mode="P"), "PNG"),
    "JPEG": image("JPEG"),
    "JPEG, progressive": image("JPEG", progressive=True),
    "JPEG with restarts": image("JPEG", restart_marker_rows=1),
    "WebP": image("WEBP"),
    "WebP, lossless": image("WEBP", lossless=True),
    "WebP, extended": encoded(two_colours(mode="RGBA"), "WEBP", exif=b"Exif\0\0MM\0*\0\0\0\x08\0\0"),
}


@pytest.mark.parametrize("name", SAMPLES)
def test_format_and_size_are_recognised(name: str) -> None:
    found = read_header(SAMPLES[name])
    assert found.kind is {"P": ImageFormat.PNG, "J": ImageFormat.JPEG, "W": ImageFormat.WEBP}[name[0]]
    assert (found.width, found.height) == (64, 32)


@pytest.mark.parametrize("name", SAMPLES)
@pytest.mark.parametrize("behind", [archive(), HTML, b"\n", b"\xff", b"\0" * 9, image("JPEG", 8, 8)[:-9], *TRAILERS])
def test_what_follows_the_image_is_not_looked_at(name: str, behind: bytes) -> None:
    assert read_header(SAMPLES[name] + behind) == read_header(SAMPLES[name])


@pytest.mark.parametrize("name", SAMPLES)
def test_an_image_that_was_cut_off_is_refused(name: str) -> None:
    whole = SAMPLES[name]
    for end in {*range(0, len(whole), 7), len(whole) - 1}:
        with pytest.raises(NotAnImage):
            read_header(whole[:end])


@pytest.mark.parametrize(
    "raw",
    [
        b"",
        b"\xff\xd8\xff",
        b"\xff\xd8\xff\xd9",
        b"\xff\xd8\xff\xe0\0\x02\xff\xd9",
        b"RIFF\x04\0\0\0WEBP",
        b"\x89PNG\r\n\x1a\n",
        SVG,
        b"<?xml version='1.0'?>" + SVG,
        HTML,
        b"GIF89a" + bytes(60),
        encoded(two_colours(), "GIF"),
        encoded(two_colours(), "BMP"),
        encoded(two_colours(), "TIFF"),
        encoded(two_colours(), "ICO"),
        encoded(two_colours(), "PDF"),
        encoded(two_colours(), "EPS"),
        b"\x89PNG\r\n\x1a\n" + HTML,
        HTML + image("PNG"),
        b" " + image("JPEG"),
    ],
)
def test_anything_else_is_refused(raw: bytes) -> None:
    with pytest.raises(NotAnImage):
        read_header(raw)


_EMPTY_CHUNK = b"\0\0\0\0tEXt" + zlib.crc32(b"tEXt").to_bytes(4, "big")


@pytest.mark.parametrize(
    "raw",
    [
        b"\xff\xd8" + b"\xff\x01" * 20_000,
        b"\xff\xd8" + b"\xff\xe0\0\2" * 20_000,
        SAMPLES["PNG"][:33] + _EMPTY_CHUNK * 20_000,
    ],
)
def test_a_file_in_very_many_parts_is_refused(raw: bytes) -> None:
    """All of them would be looked at while every order waits."""
    with pytest.raises(NotAnImage, match="too many parts"):
        read_header(raw)


def test_large_sizes_are_read_without_decoding() -> None:
    found = read_header(png_bomb(16_000, 20_000))
    assert (found.width, found.height) == (16_000, 20_000)


@given(st.sampled_from(sorted(SAMPLES)), st.data())
def test_damaged_files_are_recognised_or_refused_and_nothing_else(name: str, data: st.DataObject) -> None:
    raw = bytearray(SAMPLES[name])
    for _ in range(data.draw(st.integers(1, 8))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    with contextlib.suppress(NotAnImage):
        read_header(bytes(raw))
