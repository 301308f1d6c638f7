"""Reads the folder FOREKNOW_SITE_DIR, once, at the start of a process: colours, pages in Markdown, logo and icon."""

from __future__ import annotations

import io
from pathlib import Path
from xml.etree import ElementTree as ET

import msgspec
from PIL import Image

from foreknow.kernel.site_theme import SiteTheme
from foreknow.kernel.startup import WrongSetting
from foreknow.site.looks.parts import (
    LANGUAGES,
    NAMES,
    PAGE_BYTES_MAX,
    PICTURE_BYTES_MAX,
    SIDES,
    LogoFile,
    Looks,
    check_theme,
)

SETTING = "FOREKNOW_SITE_DIR"
SVG_BYTES_MAX = 64 * 1024
THEME_BYTES_MAX = 4096


def read_looks(folder: Path | None) -> Looks:
    """Read a folder; None: nothing was set. Raises `WrongSetting`, naming the file and what is wrong with it."""
    if folder is None:
        return Looks()
    if not folder.is_dir():
        raise WrongSetting(SETTING, f"there is no folder {folder}")
    texts = {
        name: {
            language: text for language in LANGUAGES if (text := _page(folder / f"{name}.{language}.md")) is not None
        }
        for name in NAMES
    }
    return Looks(
        logo=_logo(folder / "logo.svg"),
        icon=_icon(folder / "icon.png"),
        theme=_theme(folder / "theme.json"),
        texts={name: by_language for name, by_language in texts.items() if by_language},
    )


def _read(path: Path, most: int) -> bytes | None:
    try:
        content = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as failure:
        raise WrongSetting(SETTING, f"{path} cannot be read: {failure.strerror}") from failure
    if len(content) > most:
        raise WrongSetting(SETTING, f"{path} has over {most:,} bytes")
    return content


def _logo(path: Path) -> LogoFile | None:
    content = _read(path, SVG_BYTES_MAX)
    if content is None:
        return None
    if b"<!ENTITY" in content:
        raise WrongSetting(SETTING, f"{path} declares entities")
    try:
        root = ET.fromstring(content)  # noqa: S314 # the operator's own, without entities, 64 KiB at most
    except ET.ParseError as failure:
        raise WrongSetting(SETTING, f"{path} is no SVG: {failure}") from failure
    if root.tag not in {"svg", "{http://www.w3.org/2000/svg}svg"}:
        raise WrongSetting(SETTING, f"{path} is no SVG")
    return LogoFile(content, "svg")


def _icon(path: Path) -> bytes | None:
    content = _read(path, PICTURE_BYTES_MAX)
    if content is None:
        return None
    try:
        with Image.open(io.BytesIO(content), formats=["PNG"]) as picture:
            width, height = picture.size
            picture.verify()
    except (OSError, SyntaxError, ValueError, Image.DecompressionBombError) as failure:
        raise WrongSetting(SETTING, f"{path} is no PNG") from failure
    if width != height or width not in SIDES:
        raise WrongSetting(SETTING, f"{path} has {width} × {height} pixels; an icon is square, 16 to 1,024")
    return content


def _theme(path: Path) -> SiteTheme | None:
    content = _read(path, THEME_BYTES_MAX)
    if content is None:
        return None
    try:
        theme = msgspec.json.decode(content, type=SiteTheme)
        check_theme(theme)
    except ValueError as failure:
        # msgspec's errors are ValueErrors, too.
        raise WrongSetting(SETTING, f"{path}: {failure}") from failure
    return theme


def _page(path: Path) -> str | None:
    content = _read(path, PAGE_BYTES_MAX)
    if content is None:
        return None
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError as failure:
        raise WrongSetting(SETTING, f"{path} is not UTF-8") from failure
