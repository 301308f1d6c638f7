"""`python -m bench lighthouse URL …`: what Lighthouse says of pages of a running service, as on a phone.

Lighthouse comes from npm when it is first run; the browser comes from bin/setup.
"""

from __future__ import annotations

import json
import os
import subprocess
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from tests.support.browser import chromium, node

ROOT = Path(__file__).parents[1]
PACKAGE = "lighthouse@13.5.0"
ROUNDS = 3
CATEGORIES = ("performance", "accessibility", "best-practices", "seo")
METRICS = {
    "first-contentful-paint": "FCP",
    "largest-contentful-paint": "LCP",
    "total-blocking-time": "TBT",
    "cumulative-layout-shift": "CLS",
    "total-byte-weight": "weight",
}


def main(arguments: list[str]) -> None:
    """Print the scores of each page, medians of the rounds, and what costs points."""
    for url in arguments or ["http://127.0.0.1:8000/"]:
        reports = [report(url) for _ in range(ROUNDS)]
        scores = {name: [round(one["categories"][name]["score"] * 100) for one in reports] for name in CATEGORIES}
        print(url, *(f"{name} {median(found):.0f} {found}" for name, found in scores.items()), sep="\n  ")
        for key, name in METRICS.items():
            print(f"  {name}: {', '.join(one['audits'][key].get('displayValue', '?') for one in reports)}")
        for line in sorted({line for one in reports for line in failings(one)}):
            print(f"  - {line}")


def report(url: str) -> dict[str, Any]:
    """Run Lighthouse once, with its usual throttling of a phone."""
    path, environment = chromium()
    given = {name: str(value) for name, value in environment.items()} | {"CHROME_PATH": path}
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "report.json"
        command = [
            *(str(ROOT / "bin" / "npm"), "exec", "--yes", f"--package={PACKAGE}", "--", "lighthouse", url),
            *("--quiet", "--output=json", f"--output-path={written}"),
            "--chrome-flags=--headless --no-sandbox --disable-dev-shm-usage --accept-lang=en-US",
        ]
        subprocess.run(
            command, check=True, cwd=ROOT / "web", env=given | {"PATH": f"{node().parent}:{os.environ['PATH']}"}
        )
        found: dict[str, Any] = json.loads(written.read_text())
    return found


def failings(found: dict[str, Any]) -> list[str]:
    """Name the audits that cost points."""
    weights = {
        audit["id"]: (name, audit["weight"])
        for name in CATEGORIES
        for audit in found["categories"][name]["auditRefs"]
        if audit["weight"]
    }
    return [
        f"{weights[key][0]}: {audit['title']} {audit.get('displayValue', '')}".rstrip()
        for key, audit in found["audits"].items()
        if key in weights and audit["score"] is not None and audit["score"] < 0.9
    ]
