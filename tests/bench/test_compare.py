"""`python -m bench compare` measures this checkout against another commit, each with its own environment."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from bench.spread import Spread
from bench.trees import HERE, NotBuilt, tree_of
from tests.support.lengths import LONG, length

ROOT = Path(__file__).parents[2]
#: What to compare, with a load of it.
COMPARED = length(
    short=[("bets", "bets, 8 connections")],
    long=[("bets", "bets, 8 connections"), ("latency", "offered"), ("reads", "market chart"), ("signed", "balance")],
)
#: Makes an environment that says which commit it belongs to, and how often it was made.
SETUP = """#!/bin/sh
set -eu
[ "$*" = runtime ] && [ "$FOREKNOW_WEB" = off ]
mkdir -p .venv/bin
cat NUMBER >>.venv/bin/python
"""

needs_git = pytest.mark.skipif(shutil.which("git") is None, reason="commits are read with git")


def git(repository: Path, *arguments: str) -> str:
    identity = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org"]
    done = subprocess.run(["git", *identity, *arguments], cwd=repository, check=True, capture_output=True, text=True)
    return done.stdout.strip()


@pytest.fixture
def repository(tmp_path: Path) -> Path:
    """Return a repository with two commits and an uncommitted change."""
    folder = tmp_path / "repository"
    (folder / "bin").mkdir(parents=True)
    (folder / "bin/setup").write_text(SETUP)
    (folder / "bin/setup").chmod(0o755)
    git(folder, "init", "--quiet")
    for number in ("1", "2"):
        (folder / "NUMBER").write_text(number)
        git(folder, "add", ".")
        git(folder, "commit", "--quiet", "--message", f"Commit {number}")
    (folder / "NUMBER").write_text("3")
    return folder


@needs_git
def test_a_commit_is_built_as_it_was_committed_by_its_own_setup(repository: Path, tmp_path: Path) -> None:
    old, new = (tree_of(commit, repository=repository, cache=tmp_path / "cache") for commit in ("HEAD~1", "HEAD"))

    assert [(tree.folder / "NUMBER").read_text() for tree in (old, new)] == ["1", "2"]
    assert [Path(tree.python).read_text() for tree in (old, new)] == ["1", "2"]
    assert old.server[1:] == ("-m", "bench.server")


@needs_git
def test_a_commit_that_was_built_is_kept(repository: Path, tmp_path: Path) -> None:
    first = tree_of("HEAD~1", repository=repository, cache=tmp_path / "cache")
    (first.folder / "kept").touch()

    again = tree_of(git(repository, "rev-parse", "HEAD~1"), repository=repository, cache=tmp_path / "cache")

    assert again.folder == first.folder
    assert (again.folder / "kept").exists()
    assert [folder.name for folder in (tmp_path / "cache").iterdir()] == [first.folder.name]


@needs_git
@pytest.mark.parametrize("commit", ["no-such-branch", "", "--all", "HEAD~7"])
def test_what_is_no_commit_is_refused(repository: Path, tmp_path: Path, commit: str) -> None:
    with pytest.raises(NotBuilt, match="no such commit"):
        tree_of(commit, repository=repository, cache=tmp_path / "cache")


@needs_git
def test_a_commit_whose_setup_fails_is_refused(repository: Path, tmp_path: Path) -> None:
    (repository / "bin/setup").write_text("#!/bin/sh\nexit 1\n")
    git(repository, "commit", "--quiet", "--all", "--message", "Fail")

    with pytest.raises(NotBuilt, match="bin/setup of HEAD failed"):
        tree_of("HEAD", repository=repository, cache=tmp_path / "cache")


def test_ratios_are_taken_round_by_round() -> None:
    ratio = Spread.of_ratios([110, 240, 330], [100, 200, 300])

    assert ratio.median == pytest.approx(1.1)
    assert str(ratio) == "1.10 (1.10–1.20)"
    assert str(Spread([9_310.2, 12.34])) == "4,661 (12.3–9,310)"


@LONG
@pytest.mark.slow
@pytest.mark.parametrize(("what", "load"), COMPARED)
def test_a_table_shows_each_figure_of_both_with_its_ratio(what: str, load: str) -> None:
    command = [sys.executable, "-m", "bench", "compare", HERE, what, "--only", load]
    more = ["--rounds", length(short="1", long="2"), "--seconds", "0.3", "--connections", "8"]
    done = subprocess.run([*command, *more], cwd=ROOT, check=False, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    rows = [line.strip() for line in done.stdout.splitlines() if line.startswith("  ")]
    figures = [row.split("  ")[0] for row in rows if row.endswith(")")]
    expected = ["server CPU, µs each", "rate, a second", "p50, ms", "p99, ms"]
    assert figures[:4] == expected
    assert ("rate ÷ bare" in figures) == (what == "bets")


def test_a_load_that_is_not_there_is_refused() -> None:
    command = [sys.executable, "-m", "bench", "compare", HERE, "kindness"]
    done = subprocess.run(command, cwd=ROOT, check=False, capture_output=True, text=True)

    assert done.returncode == 2
    assert "latency" in done.stderr
