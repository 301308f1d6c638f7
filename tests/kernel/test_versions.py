"""The commit of a checkout, as git says it."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from foreknow.kernel.versions import commit_of

pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="git makes what is read")


def git(folder: Path, *arguments: str) -> str:
    given = ["git", "-C", str(folder), "-c", "user.name=A", "-c", "user.email=a@example.org", *arguments]
    return subprocess.run(given, check=True, capture_output=True, text=True).stdout.strip()


def test_it_is_read_of_a_branch_a_packed_one_a_work_tree_and_a_commit_alone(tmp_path: Path) -> None:
    root, tree = tmp_path / "root", tmp_path / "tree"
    root.mkdir()
    git(root, "init", "--quiet")
    git(root, "commit", "--quiet", "--allow-empty", "--message=One")
    first = git(root, "rev-parse", "HEAD")
    assert commit_of(root) == first
    git(root, "pack-refs", "--all")
    assert commit_of(root) == first
    git(root, "worktree", "add", "--quiet", "-b", "other", str(tree))
    git(tree, "commit", "--quiet", "--allow-empty", "--message=Two")
    assert commit_of(tree) == git(tree, "rev-parse", "HEAD") != first
    git(tree, "checkout", "--quiet", "--detach", first)
    assert commit_of(tree) == first


def test_a_folder_that_is_no_checkout_has_none(tmp_path: Path) -> None:
    assert commit_of(tmp_path) == ""
