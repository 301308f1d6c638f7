"""A copy of the checkout in which mutants take their places one after the other."""

from __future__ import annotations

import contextlib
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final, Literal, Protocol

from tests.mutants.entries import ROOT
from tests.mutants.forks import import_packages, run_pytest, used_s

#: What `bin/setup` makes and git does not know: copied, or only linked to.
_BUILT: Final = (Path("src/foreknow/site/client/dist"),)
_LINKED: Final = (Path(".venv"),)
#: The lists, and tests that try no behaviour: what these say changes nothing of what the others do.
_WITHOUT: Final = ("tests/mutants/", "tests/architecture/")
#: A line of pytest's summary: a test, and why it failed.
_FAILED: Final = re.compile(r"^(?:FAILED|ERROR) (\S+::[^\[\s]+(?:\[.*?\])?)(?: - (.*))?$", re.MULTILINE)
#: pytest's own exit codes.
_PASSED, _FAILED_SOME = 0, 1

Fate = Literal["killed", "survived", "timed out"]


class Change(Protocol):
    """A mutant."""

    @property
    def path(self) -> Path:
        """The changed file, from the root of the checkout."""
        ...

    def applied(self, source: str) -> str:
        """Return the source of its file with the change; `NotApplicable`."""
        ...


class Unusable(Exception):
    """Tests did not run; the text is what they said."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What tests made of a mutant, and how many CPU seconds that took."""

    fate: Fate
    cpu_s: float
    #: The first test that failed, and why.
    killed_by: str = ""
    because: str = ""


class Scratch:
    """The copy; `python` finds its `foreknow`, not that of the checkout."""

    def __init__(self, root: Path, digest: str) -> None:
        """`digest` tells the source and the tests in `root` from others."""
        self._root = root
        self.digest = digest
        #: Of the files that mutants change, as copied. Later copies are newer: bytecode is known by its time.
        self._time_s = int(max(path.stat().st_mtime for path in (root / "src").rglob("*.py"))) + 1

    def get_ready(self) -> None:
        """Import what runs of tests share; raise `Unusable` where tests in the copy would try the checkout's code."""
        command = [sys.executable, "-c", "import foreknow, tests; print(foreknow.__file__, *tests.__path__)"]
        ended = subprocess.run(
            command, cwd=self._root, env=self._environment(), check=False, capture_output=True, text=True
        )
        found = ended.stdout.split()
        if ended.returncode or not all(name.startswith(f"{self._root}/") for name in found):
            raise Unusable(f"The copy in {self._root} imports {found}. {ended.stderr}")
        import_packages(self._root, self._environment())

    def try_tests(self, tests: Sequence[str], *, limit_s: float) -> Outcome:
        """Run tests as they are; `Unusable` where they do not run."""
        used_before_s = used_s()
        with tempfile.TemporaryFile("w+") as output:
            status = run_pytest(
                ["-x", "-q", "-p", "no:cacheprovider", *tests],
                root=self._root,
                environment=self._environment(),
                output=output,
                limit_s=limit_s,
            )
            output.seek(0)
            said = output.read()
        cpu_s = used_s() - used_before_s
        if status is None:
            return Outcome("timed out", cpu_s)
        if status == _PASSED:
            return Outcome("survived", cpu_s)
        failed = _FAILED.search(said)
        if status != _FAILED_SOME or failed is None:
            raise Unusable(said[-4_000:])
        return Outcome("killed", cpu_s, failed[1], failed[2] or "")

    @contextlib.contextmanager
    def with_mutant(self, mutant: Change) -> Iterator[None]:
        """Have the change of a mutant in the copy; `NotApplicable`."""
        path = self._root / mutant.path
        source = path.read_text()
        changed = mutant.applied(source)
        try:
            self._write(path, changed)
            yield
        finally:
            self._write(path, source)

    def _write(self, path: Path, text: str) -> None:
        path.write_text(text)
        self._time_s += 1
        os.utime(path, (self._time_s, self._time_s))

    def _environment(self) -> dict[str, str]:
        folders = [self._root / "src", self._root / "clients/python/src"]
        return {
            **os.environ,
            "PYTHONPATH": ":".join(map(str, folders)),
            # Servers of tests that were cut off leave their files behind.
            "TMPDIR": str(self._root / "tmp"),
            # As much of a line as it takes to see why a test failed.
            "COLUMNS": "300",
        }


@contextlib.contextmanager
def scratch() -> Iterator[Scratch]:
    """Copy the checkout as it is, with what is not committed; throw the copy away at the end."""
    with tempfile.TemporaryDirectory(prefix="foreknow-mutants-", ignore_cleanup_errors=True) as name:
        root = Path(name).resolve()
        # PostgreSQL, which does not run as root, has its files below.
        root.chmod(0o711)
        listed = subprocess.run(
            ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"],
            cwd=ROOT,
            check=True,
            capture_output=True,
            text=True,
        )
        files = sorted({Path(one) for one in listed.stdout.split("\0") if one and (ROOT / one).is_file()})
        digest = hashlib.sha256()
        for file in files:
            copied = root / file
            copied.parent.mkdir(parents=True, exist_ok=True)
            shutil.copy2(ROOT / file, copied)
            if file.parts[0] in {"src", "tests"} and not file.as_posix().startswith(_WITHOUT):
                digest.update(f"{file}\n".encode() + copied.read_bytes())
        for folder in _BUILT:
            shutil.copytree(ROOT / folder, root / folder)
        for folder in _LINKED:
            (root / folder).symlink_to(ROOT / folder)
        (root / "tmp").mkdir()
        (root / "tmp").chmod(0o711)
        made = Scratch(root, digest.hexdigest())
        made.get_ready()
        yield made
