"""Stands between SQLite and its files: notes every write and every sync, and fails them on demand.

SQLite reaches its files through a table of functions (its VFS, https://sqlite.org/vfs.html). Ours replaces those that
matter here in the table of each file that is opened in one folder, and calls the ones that were there. It needs the
SQLite that Python itself uses as a shared library, as every Linux distribution has it, and nothing else.

A power cut is then a matter of bookkeeping: what was synced is on the disk; of what was written since, each sector may
be there or not.
"""

from __future__ import annotations

import _sqlite3
import contextlib
import ctypes
import os
import threading
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

#: As SQLite calls EIO of a read; it then takes the file for damaged.
SQLITE_IOERR_CORRUPTFS = 8458
SQLITE_IOERR_FSYNC = 1034
SQLITE_FULL = 13
#: What a disk keeps whole or not at all.
SECTOR_BYTES = 512

_Pointer = ctypes.c_void_p
#: The name as a pointer: SQLite keeps it, and reads on behind it.
_OPEN = ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, _Pointer, _Pointer, ctypes.c_int, _Pointer)
_WRITE = ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, _Pointer, ctypes.c_int, ctypes.c_int64)
_TRUNCATE = ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, ctypes.c_int64)
_SYNC = ctypes.CFUNCTYPE(ctypes.c_int, _Pointer, ctypes.c_int)


class _Methods(ctypes.Structure):
    """sqlite3_io_methods, version 3."""

    _fields_ = (
        ("version", ctypes.c_int),
        *((name, _Pointer) for name in ("close", "read", "write", "truncate", "sync")),
        ("others", _Pointer * 13),
    )


class _Vfs(ctypes.Structure):
    """The beginning of sqlite3_vfs."""

    _fields_ = (
        ("version", ctypes.c_int),
        ("file_bytes", ctypes.c_int),
        ("path_bytes_max", ctypes.c_int),
        ("next", _Pointer),
        ("name", ctypes.c_char_p),
        ("data", _Pointer),
        ("open", _Pointer),
    )


class NoSharedSqlite(RuntimeError):
    """This Python has SQLite built in, where nobody can stand between it and its files."""


@dataclass(frozen=True, slots=True)
class Step:
    """One thing done to a file; its contents where it is a write, its new size where it is cut."""

    file: str
    kind: str
    at_bytes: int = 0
    content: bytes = b""


@dataclass(slots=True)
class Disk:
    """What SQLite does to the files of one folder, in the order of its doing."""

    folder: Path
    steps: list[Step] = field(default_factory=list)
    is_noting: bool = True
    #: What SQLite is answered instead of the truth, by what it asks for.
    errors: dict[str, int] = field(default_factory=dict)

    def note(self, step: Step) -> None:
        """Keep what was done, unless nobody wants to know any more."""
        if self.is_noting:
            self.steps.append(step)


def _library() -> Any:
    # The driver's own SQLite: what it was linked with is found through it.
    library = ctypes.CDLL(_sqlite3.__file__)
    try:
        find = library.sqlite3_vfs_find
    except AttributeError as missing:
        raise NoSharedSqlite("this Python has SQLite built in; use one of a Linux distribution") from missing
    find.restype = ctypes.POINTER(_Vfs)
    find.argtypes = [ctypes.c_char_p]
    return find


class _Between:
    """The functions that are called instead of SQLite's own. They live as long as the process: files stay open."""

    def __init__(self) -> None:
        self.disks: list[Disk] = []
        self._vfs = _library()(None).contents
        self._open = _OPEN(self._vfs.open)
        self._files: dict[int, tuple[Disk, str]] = {}
        self._tables: dict[int, tuple[_Methods, tuple[Any, ...]]] = {}
        self._lock = threading.Lock()
        self._ours = _OPEN(self._opened)
        self._vfs.open = ctypes.cast(self._ours, _Pointer).value

    def _opened(self, vfs: int, name: int | None, file: int, flags: int, out: int) -> int:
        code = int(self._open(vfs, name, file, flags, out))
        self._files.pop(file, None)
        if code or name is None:
            return code
        path = Path(os.fsdecode(ctypes.string_at(name)))
        disk = next((disk for disk in self.disks if disk.folder == path.parent), None)
        if disk is not None:
            self._files[file] = (disk, path.name)
            methods = ctypes.cast(file, ctypes.POINTER(_Pointer))
            table = self._table(methods[0])
            methods[0] = ctypes.addressof(table)
        return code

    def _table(self, original: int) -> _Methods:
        """Return SQLite's table of a file's functions with ours in the place of some."""
        with self._lock:
            if original not in self._tables:
                table = _Methods.from_buffer_copy(ctypes.cast(original, ctypes.POINTER(_Methods)).contents)
                ours = (
                    _WRITE(self._reading(_WRITE(table.read))),
                    _WRITE(self._writing(_WRITE(table.write))),
                    _TRUNCATE(self._cutting(_TRUNCATE(table.truncate))),
                    _SYNC(self._syncing(_SYNC(table.sync))),
                )
                for name, function in zip(("read", "write", "truncate", "sync"), ours, strict=True):
                    setattr(table, name, ctypes.cast(function, _Pointer).value)
                self._tables[original] = (table, ours)
            return self._tables[original][0]

    def _reading(self, original: Any) -> Any:
        def read(file: int, buffer: int, count: int, at_bytes: int) -> int:
            disk, _ = self._files[file]
            return disk.errors.get("read", 0) or int(original(file, buffer, count, at_bytes))

        return read

    def _writing(self, original: Any) -> Any:
        def write(file: int, buffer: int, count: int, at_bytes: int) -> int:
            disk, name = self._files[file]
            code = disk.errors.get("write", 0)
            if code:
                return code
            # Noted before it is done: who sees what was written finds it here, too.
            disk.note(Step(name, "write", at_bytes, ctypes.string_at(buffer, count)))
            return int(original(file, buffer, count, at_bytes))

        return write

    def _cutting(self, original: Any) -> Any:
        def truncate(file: int, size_bytes: int) -> int:
            disk, name = self._files[file]
            disk.note(Step(name, "truncate", size_bytes))
            return int(original(file, size_bytes))

        return truncate

    def _syncing(self, original: Any) -> Any:
        def sync(file: int, flags: int) -> int:
            disk, name = self._files[file]
            began = len(disk.steps)
            code = disk.errors.get("sync", 0) or int(original(file, flags))
            if not code:
                # What other threads wrote meanwhile need not be on the disk: `at_bytes` tells what was there before.
                disk.note(Step(name, "sync", began))
            return code

        return sync


_between: list[_Between] = []


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[Disk]:
    """Yield what SQLite does to the files that are opened in `folder` from now on. Raises `NoSharedSqlite`."""
    if not _between:
        _between.append(_Between())
    disk = Disk(folder.resolve())
    _between[0].disks.append(disk)
    try:
        yield disk
    finally:
        disk.is_noting = False
        disk.errors.clear()
        _between[0].disks.remove(disk)
