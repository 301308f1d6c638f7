"""What keeps a checkout from being released (docs/releasing.md) is found."""

from __future__ import annotations

import json
import re
import runpy
import shutil
import subprocess
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).parents[2]
PROJECT = """
[project]
version = "1.2.0"
[project.urls]
Source = "{url}"
"""
UNRELEASED = "# Changelog\n\n## [Unreleased]\n\n"


def problems(root: Path) -> list[str]:
    found: list[str] = list(runpy.run_path(str(ROOT / "bin" / "check_release.py"))["problems"](root))
    return found


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    """A checkout that may be released."""
    if shutil.which("git") is None:
        pytest.skip("a release is made with git")
    (tmp_path / "docs").mkdir()
    (tmp_path / "pyproject.toml").write_text(PROJECT.format(url="https://forge.invalid/foreknow"))
    (tmp_path / "SECURITY.md").write_text("Report to security@forge.invalid.\n")
    (tmp_path / "README.md").write_text("pip install foreknow-1.2.0-py3-none-any.whl\n")
    (tmp_path / "CHANGELOG.md").write_text(UNRELEASED + "## [1.2.0] - 2026-12-01\n")
    (tmp_path / "docs" / "openapi.json").write_text(json.dumps({"info": {"version": "1.2.0"}}))
    for command in (["init", "--quiet"], ["add", "."], ["commit", "--quiet", "--message", "All"]):
        who = ["-c", "user.name=Ann", "-c", "user.email=ann@example.org", "-c", "commit.gpgsign=false"]
        subprocess.run(["git", *who, *command], cwd=tmp_path, check=True)
    return tmp_path


def test_a_checkout_that_fits_is_released(checkout: Path) -> None:
    assert problems(checkout) == []


def test_each_thing_that_does_not_fit_is_named(checkout: Path) -> None:
    (checkout / "pyproject.toml").write_text(PROJECT.format(url="https://foreknow.example/source"))
    (checkout / "SECURITY.md").write_text("Report to security@foreknow.example.\n")
    (checkout / "README.md").write_text("pip install foreknow-1.1.0-py3-none-any.whl\n")
    (checkout / "CHANGELOG.md").write_text("# Changelog\n\n## [1.1.0] - 2026-11-01\n")
    (checkout / "docs" / "openapi.json").write_text(json.dumps({"info": {"version": "1.1.0"}}))

    assert problems(checkout) == [
        "pyproject.toml: the address Source is a placeholder (docs/releasing.md): https://foreknow.example/source",
        "SECURITY.md: the address for reports is a placeholder (docs/releasing.md): security@foreknow.example",
        "README.md: installs another wheel than that of 1.2.0",
        "CHANGELOG.md: no section Unreleased at the top",
        "CHANGELOG.md: no section [1.2.0] with a date",
        "docs/openapi.json: version 1.1.0, not 1.2.0: run just openapi",
        "the checkout has changes that are not committed",
    ]


def test_the_versions_that_were_tested_are_those_of_the_lock_without_what_builds() -> None:
    script = runpy.run_path(str(ROOT / "bin" / "make_release.py"))
    lines = script["constraints"]().splitlines()
    names = {line.partition("==")[0] for line in lines if not line.startswith("#")}
    lock = (ROOT / "requirements" / "runtime.txt").read_text()
    locked = set(re.findall(r"^([\w.-]+)(?:\[\S+\])?==", lock, flags=re.MULTILINE))
    assert names == locked - script["BUILDS"]
    assert script["BUILDS"] < locked
    assert Requirement(lines[1]).name in locked
