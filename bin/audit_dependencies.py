#!/usr/bin/env python3
"""Ask an advisory database about every version in requirements/dev.txt: `just audit-dependencies`.

What the service runs on (requirements/runtime.txt) is part of that. PyPI's advisories are asked first, then OSV's (at
`--osv-url` where that is given). Exit 0: nothing is known of any of them; 1: something is, a line each; 3: no database
could be asked about all of them, which says nothing about them. (pip-audit by itself would call that clean.)
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
DATABASES = ("pypi", "osv")
NOT_ASKED = 3


def main(arguments: list[str]) -> int:
    """Audit, say what was found, and return the exit status."""
    parser = argparse.ArgumentParser(prog="audit-dependencies", description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--requirements", type=Path, default=ROOT / "requirements" / "dev.txt")
    parser.add_argument("--database", choices=DATABASES, action="append", help="ask this one only")
    parser.add_argument("--osv-url", help="a database that speaks OSV's language")
    options = parser.parse_args(arguments)
    for database in options.database or DATABASES:
        packages = ask(database, options.requirements, osv_url=options.osv_url)
        if not packages or any("skip_reason" in package for package in packages):
            continue
        found = list(findings(packages))
        print(*found, f"{len(packages)} packages, {len(found)} known vulnerabilities ({database})", sep="\n")
        return 1 if found else 0
    tried = " and ".join(options.database or DATABASES)
    print(
        f"Not audited: no advisory database is reachable from here (tried {tried}). Try again online.", file=sys.stderr
    )
    return NOT_ASKED


def ask(database: str, requirements: Path, *, osv_url: str | None) -> list[dict[str, Any]]:
    """Return what pip-audit says of each package; nothing where the database cannot be reached."""
    command = [
        sys.executable,
        "-m",
        "pip_audit",
        "--requirement",
        str(requirements),
        "--vulnerability-service",
        database,
    ]
    command += ["--require-hashes", "--disable-pip", "--format", "json", "--desc", "off", "--progress-spinner", "off"]
    if osv_url is not None:
        command += ["--osv-url", osv_url]
    said = subprocess.run(command, check=False, capture_output=True, text=True).stdout
    try:
        packages: list[dict[str, Any]] = json.loads(said)["dependencies"]
    except ValueError:
        return []
    return packages


def findings(packages: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a line for each known vulnerability."""
    pinned = (ROOT / "requirements" / "runtime.txt").read_text()
    for package in packages:
        name, version = package["name"], package["version"]
        where = "the service runs on it" if f"\n{name}=={version} " in f"\n{pinned}" else "for development only"
        for known in package["vulns"]:
            names = ", ".join([known["id"], *known["aliases"]])
            fixed = ", ".join(known["fix_versions"]) or "no version yet"
            yield f"{name} {version}: {names}; fixed in {fixed} ({where})"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
