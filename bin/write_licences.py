#!/usr/bin/env python3
"""Write docs/licences.md from what the packages of requirements/runtime.txt say: `just licences`."""

from __future__ import annotations

import re
import tomllib
from importlib.metadata import PackageMetadata, metadata
from pathlib import Path

ROOT = Path(__file__).parent.parent
PAGE = ROOT / "docs" / "licences.md"
LOCK = ROOT / "requirements" / "runtime.txt"
HEAD = """# Licences

What the service runs on, as [requirements/runtime.txt](../requirements/runtime.txt) pins it, with the licence that each
package's own metadata names. This page is written by `bin/write_licences.py`; a test holds it to the lock. Foreknow
itself is under the [MIT licence](../LICENSE).

| Package | Version | Licence |
|---|---|---|
"""
CONTAINED = """
## In the package itself

| What | Version | Licence |
|---|---|---|
| [{package}](../src/foreknow/web/swagger) | {version} | [{licence}](../src/foreknow/web/swagger/LICENSE) |
| [Golos Text](../src/foreknow/site/previews/fonts) | | [OFL-1.1](../src/foreknow/site/previews/fonts/OFL.txt) |
"""
SWAGGER = ROOT / "src" / "foreknow" / "web" / "swagger" / "source.toml"
#: What is not installed on this system, or names no licence that a machine can read.
READ_BY_HAND = {"httpx2-jsfetch": "BSD-3-Clause", "tzdata": "Apache-2.0"}
#: Longer than any name of a licence.
_NAME_LENGTH_MAX = 60
_CLASSIFIER = "License :: "


def pins() -> dict[str, tuple[str, str]]:
    """Return the version of each package of the lock, and under which condition it is installed ("" where always)."""
    found = re.findall(r"^(\S+?)(?:\[\S+\])?==(\S+)(?: ; (.*?))? \\$", LOCK.read_text(), flags=re.MULTILINE)
    return {name: (version, condition) for name, version, condition in found}


def licence(about: PackageMetadata) -> str:
    """Return the licence that a package's metadata names, "" where it names none."""
    expressions = about.get_all("License-Expression")
    if expressions:
        return str(expressions[0])
    named = str((about.get_all("License") or [""])[0]).strip()
    if named and "\n" not in named and len(named) <= _NAME_LENGTH_MAX:
        return named
    classifiers = about.get_all("Classifier") or []
    return " OR ".join(
        one.rpartition(" :: ")[2] for one in classifiers if one.startswith(_CLASSIFIER) and one.count(" :: ") > 1
    )


def page() -> str:
    """Return the page's text. Raises `LookupError` where a package names no licence."""
    rows = []
    for name, (version, condition) in pins().items():
        said = READ_BY_HAND.get(name) or licence(metadata(name))
        if not said:
            raise LookupError(f"{name} {version} names no licence: read it and say so in READ_BY_HAND")
        where = f" ({condition})" if condition else ""
        rows.append(f"| {name} | {version}{where} | {said} |")
    return HEAD + "\n".join(rows) + "\n" + CONTAINED.format(**tomllib.loads(SWAGGER.read_text()))


if __name__ == "__main__":
    PAGE.write_text(page())
