"""Commits with long subjects are refused by a hook."""

from __future__ import annotations

import runpy
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    ("message", "code"),
    [("Add polls\n\n" + "why " * 40, 0), ("x" * 72 + "\n", 0), ("x" * 73 + "\n", 1), ("ё" * 72, 0)],
)
def test_a_long_subject_is_refused_and_a_long_body_is_not(message: str, code: int, tmp_path: Path) -> None:
    (hook,) = [hook for hook in hooks() if hook["stages"] == ["commit-msg"]]
    file = tmp_path / "COMMIT_EDITMSG"
    file.write_text(message, encoding="utf-8")

    script = ROOT / str(hook["entry"]).split()[-1]
    ended = subprocess.run([sys.executable, script, file], capture_output=True, text=True, check=False)

    assert ended.returncode == code, ended.stderr
    assert ("72 at most" in ended.stderr) == bool(code)


def test_the_hook_is_installed_with_the_others() -> None:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())

    assert config["default_install_hook_types"] == ["pre-commit", "commit-msg"]
    assert runpy.run_path(str(ROOT / "bin" / "check_subject.py"))["SUBJECT_MAX"] == 72


def hooks() -> list[dict[str, object]]:
    config = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())
    return [hook for hook in config["repos"][0]["hooks"] if "stages" in hook]
