"""The whole backup: copies that only their owner may read, on disk before they have their names."""

from __future__ import annotations

import contextlib
import fcntl
import os
import re
import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

from foreknow.commands.backup.database import DumpFailed, save
from foreknow.kernel.clock import DAY_MS, SECOND_MS
from foreknow.kernel.private_files import FILE_MODE, FOLDER_MODE


def copy_files(source: Path, pattern: str, target: Path) -> None:
    """Copy those files of a folder that are not in `target` yet; a missing folder has none. `OSError`."""
    for file in source.glob(pattern):
        copied = target / file.relative_to(source)
        if file.is_file() and not copied.exists():
            for folder in reversed(copied.relative_to(target).parents):
                (target / folder).mkdir(mode=FOLDER_MODE, exist_ok=True)
            with contextlib.suppress(FileNotFoundError):
                _copy(file, copied)


def write(target: Path, text: str) -> None:
    """Write a new file; `OSError`."""
    with open(target, "x", encoding="utf-8", opener=_private) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())


def flush_folder(folder: Path) -> None:
    """Put the names in a folder on disk; `OSError`."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)


def size_of(folder: Path) -> int:
    """Return the bytes of all files in a folder."""
    return sum(file.stat().st_size for file in folder.rglob("*") if file.is_file())


def _copy(file: Path, target: Path) -> None:
    partial = target.with_name(f".{target.name}.partial")
    try:
        with file.open("rb") as read, open(partial, "wb", opener=_private) as written:
            shutil.copyfileobj(read, written)
            written.flush()
            os.fsync(written.fileno())
        partial.rename(target)
    finally:
        partial.unlink(missing_ok=True)


def _private(path: str, flags: int) -> int:
    return os.open(path, flags, FILE_MODE)


#: What a backup calls the settings: as the data folder does.
SETTINGS = "foreknow.env"
IMAGES = "images"
LOOKS = "looks"
#: What a folder of looks may hold (docs/own-site.md): it may be one that holds much else.
LOOK_FILES = ("logo.svg", "icon.png", "theme.json", "*.md")
_STAMP = "%Y%m%dT%H%M%SZ"
_NAME = re.compile(r"foreknow-(\d{8}T\d{6}Z)", re.ASCII)


@dataclass(frozen=True, slots=True)
class Saved:
    """What is backed up. `images` and `looks` are folders, None where they are elsewhere or there are none."""

    url: str
    #: The settings that hold, as lines NAME=value.
    settings: str
    images: Path | None
    looks: Path | None


@dataclass(frozen=True, slots=True)
class BackedUp:
    """A finished backup: its folder, and the bytes in it, without images."""

    folder: Path
    size: int


def back_up_site(
    saved: Saved, into: Path, *, keep_days: int, at_ms: int, on_progress: Callable[[int, int], None]
) -> BackedUp:
    """Make a backup in `into`, beside running servers, and delete those over `keep_days` days old.

    Images are kept for ever. Raises `DumpFailed`, `BackupFailed`, `sqlite3.Error` and `OSError`; then no backup is
    there, and none is deleted.
    """
    into.mkdir(mode=FOLDER_MODE, parents=True, exist_ok=True)
    with _alone_in(into):
        folder = _free_folder(into, at_ms)
        partial = into / "partial"
        shutil.rmtree(partial, ignore_errors=True)
        partial.mkdir(mode=FOLDER_MODE)
        try:
            # An image never changes under its name. Those that are deleted while the database is copied must be there
            # before it, those that are uploaded meanwhile after it.
            _copy_images(saved, into)
            save(saved.url, partial, on_progress=on_progress)
            _copy_images(saved, into)
            write(partial / SETTINGS, saved.settings)
            if saved.looks is not None:
                for pattern in LOOK_FILES:
                    copy_files(saved.looks, pattern, partial / LOOKS)
            flush_folder(partial)
            partial.rename(folder)
            flush_folder(into)
        finally:
            shutil.rmtree(partial, ignore_errors=True)
        _delete_old(into, before_ms=at_ms - keep_days * DAY_MS)
    return BackedUp(folder, size_of(folder))


def _free_folder(into: Path, at_ms: int) -> Path:
    """Return the folder of a backup: of the next second that has none, where another was made in this one."""
    while (folder := into / f"foreknow-{_time(at_ms):{_STAMP}}").exists():
        at_ms += SECOND_MS
    return folder


def _copy_images(saved: Saved, into: Path) -> None:
    if saved.images is not None:
        copy_files(saved.images, "**/*", into / IMAGES)


def _delete_old(into: Path, *, before_ms: int) -> None:
    for folder in into.iterdir():
        found = _NAME.fullmatch(folder.name)
        if found is not None and found[1] < f"{_time(before_ms):{_STAMP}}":
            shutil.rmtree(folder)


def _time(at_ms: int) -> datetime:
    return datetime.fromtimestamp(at_ms / 1000, UTC)


@contextlib.contextmanager
def _alone_in(folder: Path) -> Iterator[None]:
    """Make no other backup in a folder while the block runs; `DumpFailed` where one is made."""
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise DumpFailed(f"another backup is being made in {folder}") from None
    finally:
        os.close(opened)
