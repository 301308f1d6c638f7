#!/usr/bin/env python3
"""Say what keeps this checkout from being released (docs/releasing.md): `.venv/bin/python bin/check_release.py`."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).parent.parent


def problems(root: Path) -> Iterator[str]:
    """Yield a line for each thing that does not fit."""
    project = tomllib.loads((root / "pyproject.toml").read_text())["project"]
    version = project["version"]
    for name, url in project["urls"].items():
        if str(urlsplit(url).hostname).endswith(".example"):
            yield f"pyproject.toml: the address {name} is a placeholder (docs/releasing.md): {url}"
    for address in re.findall(r"\S+@\S+\.example\b", (root / "SECURITY.md").read_text()):
        yield f"SECURITY.md: the address for reports is a placeholder (docs/releasing.md): {address}"
    if f"foreknow-{version}-" not in (root / "README.md").read_text():
        yield f"README.md: installs another wheel than that of {version}"
    changelog = (root / "CHANGELOG.md").read_text()
    heads = re.findall(r"^## \[(.+?)\](?: - (\d{4}-\d\d-\d\d))?$", changelog, flags=re.MULTILINE)
    if heads[:1] != [("Unreleased", "")]:
        yield "CHANGELOG.md: no section Unreleased at the top"
    if not any(name == version and date for name, date in heads):
        yield f"CHANGELOG.md: no section [{version}] with a date"
    documented = json.loads((root / "docs" / "openapi.json").read_text())["info"]["version"]
    if documented != version:
        yield f"docs/openapi.json: version {documented}, not {version}: run just openapi"
    changed = subprocess.run(["git", "status", "--porcelain"], cwd=root, capture_output=True, text=True, check=False)  # noqa: S607
    if changed.returncode or changed.stdout:
        yield "the checkout has changes that are not committed"


if __name__ == "__main__":
    found = list(problems(ROOT))
    print("\n".join(found) or "Nothing keeps this checkout from being released.")
    sys.exit(bool(found))
