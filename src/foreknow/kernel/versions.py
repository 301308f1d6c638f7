"""The version that runs, with the commit that it was made from: two of one number may differ."""

from __future__ import annotations

import functools
from pathlib import Path

from foreknow import __version__

_DIGITS = 12
_PACKAGE = Path(__file__).parent.parent
#: What hatch_build.py puts into a wheel.
_OF_WHEEL = _PACKAGE / "commit.txt"


@functools.cache
def full_version() -> str:
    """Return the version and, after a plus, the commit that this process began with; the version alone without one."""
    commit = _OF_WHEEL.read_text().strip() if _OF_WHEEL.is_file() else commit_of(_PACKAGE.parent.parent)
    return f"{__version__}+{commit[:_DIGITS]}" if commit else __version__


def commit_of(root: Path) -> str:
    """Return the commit of a checkout, in hexadecimal digits; "" for what is none.

    Read from its files: git refuses a checkout of another user, which a release of root's is to the service.
    """
    try:
        return _read(root / ".git")
    except OSError:
        return ""


def _read(git: Path) -> str:
    # Of a work tree, a file that names the folder.
    folder = git.parent / git.read_text().removeprefix("gitdir:").strip() if git.is_file() else git
    head = (folder / "HEAD").read_text().strip()
    if not head.startswith("ref: "):
        return head
    branch = head.removeprefix("ref: ")
    common = folder / "commondir"
    shared = folder / common.read_text().strip() if common.is_file() else folder
    if (shared / branch).is_file():
        return (shared / branch).read_text().strip()
    packed = (line.split(" ") for line in (shared / "packed-refs").read_text().splitlines())
    return next((words[0] for words in packed if words[-1] == branch), "")
