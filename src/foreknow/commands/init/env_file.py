"""The settings of a site, kept in its data folder: lines NAME=value, which all commands read and `init` writes.

Comments, empty lines and the names of others stay as they are. A value in quotes may have several lines. Nothing in a
value is expanded: `$HOME` is those five characters.
"""

from __future__ import annotations

import contextlib
import fcntl
import io
import os
import re
import stat
import tempfile
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from dotenv.parser import Binding, parse_stream

from foreknow.kernel.private_files import close_file

NAME = "foreknow.env"
#: Larger is none of ours: the settings of a site have some kilobytes.
BYTES_MAX = 1_048_576
#: For whom others' settings may be read: the machine's administrator.
_ROOT = 0
_PLAIN = re.compile(r"[A-Za-z0-9_./:@,+%-]+", re.ASCII)
_HEAD = "# Settings of this site, as `foreknow init` wrote them; what the environment sets counts more.\n"


class EnvFileError(Exception):
    """The file cannot be used; the text names it, and the line where one is wrong."""


@dataclass(frozen=True, slots=True)
class FileSetting:
    """A setting in the file: its name in capitals, its value, and its line, from 1."""

    name: str
    value: str
    line: int


@dataclass(frozen=True, slots=True)
class EnvFile:
    """The file as it was read; one that is missing has no text."""

    path: Path
    text: str = ""

    @property
    def entries(self) -> Mapping[str, FileSetting]:
        """What is set, by name; of a name that stands twice the last counts, and an empty value is none."""
        found = {entry.name: entry for entry in map(_entry, _bindings(self.text)) if entry is not None}
        return {name: entry for name, entry in found.items() if entry.value}

    def place(self, name: str) -> str:
        """Return where a setting stands, for people."""
        return f"{self.path}, line {self.entries[name].line}"

    def changed(self, values: Mapping[str, str]) -> EnvFile:
        """Return the file with these settings; "" leaves one out. All else stays as it was written."""
        lines: list[str] = []
        before, missing = self.entries, {name: value for name, value in values.items() if value}
        for binding in _bindings(self.text):
            entry, written = _entry(binding), binding.original.string
            if entry is None or entry.name not in values:
                lines.append(written)
                continue
            kept = before.get(entry.name)
            missing.pop(entry.name, None)
            if kept == entry and values[entry.name] == entry.value:
                lines.append(written)
            elif kept == entry or (kept is None and values[entry.name]):
                lines.append(_rewritten(binding, entry.name, values[entry.name]))
            else:
                lines.append(_rewritten(binding, entry.name, ""))
        text = "".join(lines) or _HEAD
        return EnvFile(
            self.path, _ended(text) + "".join(f"{name}={_quoted(value)}\n" for name, value in missing.items())
        )


def read_env_file(folder: Path) -> EnvFile:
    """Read the file of a data folder; one that is missing has no settings. `EnvFileError`.

    Permissions of others to read it are taken away. A file that others may have written is not read.
    """
    path = folder / NAME
    try:
        file = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except (FileNotFoundError, NotADirectoryError):
        return EnvFile(path)
    except OSError as failure:
        raise EnvFileError(f"cannot read {path}: {failure.strerror}") from None
    with os.fdopen(file, "rb") as opened:
        _check_owner(path, os.fstat(opened.fileno()))
        raw = opened.read(BYTES_MAX + 1)
    if len(raw) > BYTES_MAX:
        raise EnvFileError(f"{path} has over {BYTES_MAX} bytes")
    close_file(path)
    try:
        found = EnvFile(path, raw.decode("utf-8-sig"))
    except UnicodeDecodeError as failure:
        line = raw[: failure.start].count(b"\n") + 1
        raise EnvFileError(f"{path}, line {line} is not UTF-8") from None
    _check_lines(found)
    return found


def write_env_file(file: EnvFile) -> None:
    """Write the file at once, readable by its owner alone: a reader sees the one before or this one. `OSError`."""
    write_private(file.path, file.text)


def write_private(path: Path, text: str) -> None:
    """Write a file in place of another at once, readable by its owner alone; `OSError`."""
    # A link to a file elsewhere stays one.
    target = path.resolve()
    handle, beside = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="") as written:
            written.write(text)
            written.flush()
            os.fsync(written.fileno())
        Path(beside).replace(target)
    except BaseException:
        Path(beside).unlink(missing_ok=True)
        raise
    with _opened_folder(target.parent) as folder:
        os.fsync(folder)


@contextlib.contextmanager
def alone_in(folder: Path) -> Iterator[None]:
    """Let no other `init` work in a folder while the block runs; `EnvFileError` where one does."""
    with _opened_folder(folder) as opened:
        try:
            fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise EnvFileError(f"another `foreknow init` is at work in {folder}") from None
        yield


@contextlib.contextmanager
def _opened_folder(folder: Path) -> Iterator[int]:
    opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    try:
        yield opened
    finally:
        os.close(opened)


def _check_owner(path: Path, found: os.stat_result) -> None:
    if not stat.S_ISREG(found.st_mode):
        raise EnvFileError(f"{path} is not a file")
    trusted = {_ROOT, os.geteuid()}
    if os.geteuid() == _ROOT:
        # Who owns the folder owns the database, too.
        trusted.add(path.parent.stat().st_uid)
    if found.st_uid not in trusted:
        raise EnvFileError(f"{path} belongs to another user, who could set what this one does")
    if found.st_mode & (stat.S_IWGRP | stat.S_IWOTH):
        raise EnvFileError(f"others may write {path}: look through it, then chmod 600 it")


def _check_lines(file: EnvFile) -> None:
    for binding in _bindings(file.text):
        if binding.error or (binding.key is not None and binding.value is None):
            raise EnvFileError(f"{file.path}, line {_line(binding)} does not have the form NAME=value")
        if "\0" in (binding.value or ""):
            raise EnvFileError(f"{file.path}, line {_line(binding)} has a character that no setting can have")


def _bindings(text: str) -> Iterator[Binding]:
    return parse_stream(io.StringIO(text, newline=""))


def _entry(binding: Binding) -> FileSetting | None:
    if binding.key is None or binding.value is None:
        return None
    # Names are read in any case of letters, as in the environment.
    return FileSetting(binding.key.upper(), binding.value, _line(binding))


def _line(binding: Binding) -> int:
    return binding.original.line + _before(binding).count("\n")


def _before(binding: Binding) -> str:
    """Return the empty lines before a binding, which the parser counts to it."""
    written = binding.original.string
    return written[: len(written) - len(written.lstrip())]


def _rewritten(binding: Binding, name: str, value: str) -> str:
    """Return a line with another value, or without it where that is "", with its comment."""
    before, comment = _before(binding), _comment(binding)
    if not value:
        return f"{before}{comment}\n" if comment else before
    return f"{before}{name}={_quoted(value)}{' ' if comment else ''}{comment}\n"


def _comment(binding: Binding) -> str:
    """Return the comment behind a value, or ""."""
    written = binding.original.string.strip()
    for found in re.finditer(r"(?<=\s)#", written):
        (head, *rest) = _bindings(written[: found.start()])
        if not rest and (head.key, head.value, head.error) == (binding.key, binding.value, False):
            return written[found.start() :]
    return ""


def _quoted(value: str) -> str:
    if _PLAIN.fullmatch(value):
        return value
    escaped = value.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{escaped}'"


def _ended(text: str) -> str:
    return text if text.endswith("\n") else f"{text}\n"
