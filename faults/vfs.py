"""A layer between SQLite and its files: records every write and sync, and fails them on demand.

SQLite reaches its files through a table of functions (its VFS, https://sqlite.org/vfs.html). This module
replaces some of them for each file that is opened in one folder; the replacements call the originals. It only needs a
Python whose SQLite is a shared library, as in every Linux distribution.

A power cut is then computed: synced data is on the disk; of later writes each sector may be there or not.
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

#: SQLite's code for an EIO of a read; it then treats the file as damaged.
SQLITE_IOERR_CORRUPTFS = 8458
SQLITE_IOERR_FSYNC = 1034
SQLITE_FULL = 13
#: Smallest unit that a disk writes completely or not at all.
SECTOR_BYTES = 512

_Pointer = ctypes.c_void_p
#: The name is a pointer: SQLite stores it, and reads the URI parameters behind it.
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
    """SQLite is linked into this Python statically, so its files cannot be intercepted."""


@dataclass(frozen=True, slots=True)
class Step:
    """One operation on a file: a write with its content, a truncation with the new size, or a sync."""

    file: str
    kind: str
    at_bytes: int = 0
    content: bytes = b""


@dataclass(slots=True)
class Disk:
    """The operations of SQLite on the files of one folder, in order."""

    folder: Path
    steps: list[Step] = field(default_factory=list)
    is_noting: bool = True
    #: Whether the machine's disk is synced, too; a cut that is computed needs the steps alone.
    is_real: bool = True
    #: Error codes to return to SQLite, by operation.
    errors: dict[str, int] = field(default_factory=dict)

    def note(self, step: Step) -> None:
        """Record an operation, unless the recording has ended."""
        if self.is_noting:
            self.steps.append(step)


def _library() -> Any:
    # The SQLite that Python's driver is linked with.
    library = ctypes.CDLL(_sqlite3.__file__)
    try:
        find = library.sqlite3_vfs_find
    except AttributeError as missing:
        raise NoSharedSqlite("this Python has SQLite built in; use one of a Linux distribution") from missing
    find.restype = ctypes.POINTER(_Vfs)
    find.argtypes = [ctypes.c_char_p]
    return find


class _VfsHook:
    """The functions that SQLite calls instead of its own, until the process ends, since files may stay open."""

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
        """Return SQLite's table of functions for a file, with some replaced."""
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
            # Recorded before the write: a reader of the file must find the step, too.
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
            code = disk.errors.get("sync", 0) or (int(original(file, flags)) if disk.is_real else 0)
            if not code:
                # Concurrent writes may be missing on the disk: `at_bytes` is the number of steps before the sync.
                disk.note(Step(name, "sync", began))
            return code

        return sync


_hook: list[_VfsHook] = []


@contextlib.contextmanager
def watched(folder: Path) -> Iterator[Disk]:
    """Record the operations of SQLite on files that are opened in `folder` from now on. Raises `NoSharedSqlite`."""
    if not _hook:
        _hook.append(_VfsHook())
    disk = Disk(folder.resolve())
    _hook[0].disks.append(disk)
    try:
        yield disk
    finally:
        disk.is_noting = False
        disk.errors.clear()
        _hook[0].disks.remove(disk)
