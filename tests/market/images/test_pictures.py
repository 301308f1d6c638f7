"""Pictures are encoded again: upright, in sRGB, still, and with nothing in them but pixels."""

from __future__ import annotations

import contextlib
import struct
import time
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from PIL import Image, ImageCms, PngImagePlugin

from foreknow.market.images.headers import NotAnImage
from foreknow.market.images.pictures import PIXELS_MAX, SIDE_PIXELS_MAX, Picture, check_header, reencode
from tests.support.pictures import (
    BLUE,
    RED,
    TRAILERS,
    encoded,
    image,
    near,
    opened,
    png_bomb,
    png_chunk,
    two_colours,
    with_right_sums,
)

SECRET = b"55.7558 N, 37.6173 E"
KINDS = ["PNG", "JPEG", "WEBP"]


def drawn(raw: bytes) -> Picture:
    return reencode(raw, check_header(raw))


@pytest.mark.parametrize("kind", KINDS)
def test_a_picture_keeps_its_format_size_and_colours(kind: str) -> None:
    result = drawn(image(kind))
    picture = opened(result.content)
    assert result.kind.name == kind == picture.format
    assert picture.size == (64, 32)
    assert near(picture.convert("RGB").getpixel((5, 16)), RED)
    assert near(picture.convert("RGB").getpixel((58, 16)), BLUE)


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_every_kind_of_png_is_taken(mode: str) -> None:
    picture = Image.new("I;16", (64, 32), 40_000) if mode == "I;16" else two_colours(mode=mode)
    result = opened(drawn(encoded(picture, "PNG")).content)
    assert result.size == (64, 32)
    if mode == "I;16":
        assert result.getpixel((3, 3)) == 155
    elif mode == "RGBA":
        assert result.getpixel((3, 3)) == (*RED, 255)


def test_transparency_stays() -> None:
    half = two_colours(mode="RGBA")
    half.putalpha(100)
    for kind in ("PNG", "WEBP"):
        pixel = opened(drawn(encoded(half, kind)).content).getpixel((5, 5))
        assert isinstance(pixel, tuple)
        assert pixel[3] == 100
    see_through = encoded(two_colours(mode="P"), "PNG", transparency=0)
    assert opened(drawn(see_through).content).mode == "RGBA"


def test_a_cmyk_photograph_becomes_one_for_screens() -> None:
    result = opened(drawn(encoded(two_colours(mode="CMYK"), "JPEG", quality=95)).content)
    assert result.mode == "RGB"
    assert near(result.getpixel((5, 16)), RED, most=30)


@pytest.mark.parametrize("kind", KINDS)
def test_nothing_but_pixels_is_kept(kind: str) -> None:
    exif = Image.Exif()
    exif[0x010E] = SECRET.decode()
    exif[0x8825] = {1: "N", 2: (55.0, 45.0, 20.88)}
    how: dict[str, Any] = {"exif": exif}
    if kind == "PNG":
        text = PngImagePlugin.PngInfo()
        text.add_text("Comment", SECRET.decode())
        text.add_itxt("XML:com.adobe.xmp", SECRET.decode())
        how["pnginfo"] = text
    elif kind == "JPEG":
        how |= {"comment": SECRET, "xmp": SECRET}
    else:
        how["xmp"] = SECRET
    raw = image(kind, **how)
    assert SECRET in raw

    content = drawn(raw).content
    assert SECRET not in content
    picture = opened(content)
    assert not dict(picture.getexif())
    assert not {"exif", "xmp", "comment", "Comment", "icc_profile"} & picture.info.keys()


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("behind", [*TRAILERS, b"\n", b"\xff", SECRET])
def test_what_a_camera_puts_behind_the_image_is_left_behind(kind: str, behind: bytes) -> None:
    assert drawn(image(kind) + behind) == drawn(image(kind))


def test_of_several_pictures_of_a_camera_the_first_stays() -> None:
    raw = encoded(two_colours(), "MPO", save_all=True, append_images=[two_colours(8, 8)])
    first = raw[: raw.index(b"\xff\xd9\xff\xd8") + 2]
    for whole in (raw, raw + TRAILERS[1], first):
        result = opened(drawn(whole).content)
        assert (result.format, result.size) == ("JPEG", (64, 32))


@pytest.mark.parametrize("kind", KINDS)
def test_how_the_camera_was_held_is_applied_first(kind: str) -> None:
    exif = Image.Exif()
    # The camera lay on its side: rotate by 90 degrees clockwise to see it upright.
    exif[0x0112] = 6
    picture = opened(drawn(image(kind, exif=exif)).content).convert("RGB")
    assert picture.size == (32, 64)
    assert near(picture.getpixel((16, 5)), RED)
    assert near(picture.getpixel((16, 58)), BLUE)


def test_a_colour_profile_is_applied_where_it_can_be() -> None:
    profile = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
    same = opened(drawn(image("PNG", icc_profile=profile)).content)
    assert near(same.getpixel((5, 5)), RED, most=2)
    assert "icc_profile" not in same.info
    broken = opened(drawn(image("PNG", icc_profile=b"no profile" * 20)).content)
    assert broken.getpixel((5, 5)) == RED


def test_of_an_animation_the_first_frame_stays() -> None:
    first, later = two_colours(), Image.new("RGB", (64, 32), "green")
    for kind in ("PNG", "WEBP"):
        raw = encoded(first, kind, save_all=True, append_images=[later] * 5, duration=50)
        assert getattr(opened(raw), "n_frames", 1) > 1
        picture = opened(drawn(raw).content)
        assert getattr(picture, "n_frames", 1) == 1
        assert near(picture.convert("RGB").getpixel((5, 16)), RED)


def test_an_animation_of_thousands_of_frames_costs_one() -> None:
    frames = [Image.new("RGB", (400, 400), (n % 256, n // 8 % 256, 9)) for n in range(60)]
    raw = encoded(two_colours(400, 400), "PNG", save_all=True, append_images=frames)
    began = time.thread_time()
    drawn(raw)
    assert time.thread_time() - began < 1


def test_a_bomb_is_refused_before_a_pixel_is_decoded() -> None:
    bomb = png_bomb(16_000, 16_000)
    assert len(bomb) < 100_000
    began = time.thread_time()
    with pytest.raises(NotAnImage, match="pixels"):
        check_header(bomb)
    assert time.thread_time() - began < 0.1


@pytest.mark.parametrize(
    ("width", "height", "taken"),
    [
        (5_000, 5_000, True),
        (5_001, 5_000, False),
        (SIDE_PIXELS_MAX, 1, True),
        (SIDE_PIXELS_MAX + 1, 1, False),
        (0, 10, False),
        (2**31 - 1, 2**31 - 1, False),
    ],
)
def test_pixels_are_bounded(width: int, height: int, taken: bool) -> None:
    header = png_chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
    raw = b"\x89PNG\r\n\x1a\n" + header + png_chunk(b"IEND", b"")
    assert (width * height <= PIXELS_MAX) or not taken
    if taken:
        assert check_header(raw).width == width
    else:
        with pytest.raises(NotAnImage):
            check_header(raw)


def test_a_text_that_unpacks_to_gigabytes_is_not_unpacked() -> None:
    import zlib

    packed = zlib.compress(bytes(80 * 1024 * 1024), 9)
    raw = image("PNG")
    bomb = raw[:33] + png_chunk(b"zTXt", b"Comment\0\0" + packed) + raw[33:]
    began = time.thread_time()
    with contextlib.suppress(NotAnImage):
        drawn(bomb)
    assert time.thread_time() - began < 1


def test_damaged_pixels_are_refused() -> None:
    png, jpeg, webp = (bytearray(encoded(Image.effect_noise((300, 200), 90), kind)) for kind in KINDS)
    png[len(png) // 2] ^= 1
    frame = jpeg.index(b"\xff\xc0")
    # Sampling factors of zero; a first partition of no bytes.
    jpeg[frame + 11] = 0
    webp[20:23] = bytes(3)
    for damaged in (png, jpeg, webp):
        with pytest.raises(NotAnImage):
            drawn(bytes(damaged))


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.sampled_from(KINDS), st.data())
def test_whatever_is_sent_is_drawn_or_refused(kind: str, data: st.DataObject) -> None:
    raw = bytearray(image(kind, exif=Image.Exif()))
    for _ in range(data.draw(st.integers(1, 6))):
        raw[data.draw(st.integers(0, len(raw) - 1))] = data.draw(st.integers(0, 255))
    try:
        result = drawn(with_right_sums(bytes(raw)) if kind == "PNG" else bytes(raw))
    except NotAnImage:
        return
    assert opened(result.content).format == result.kind.name
