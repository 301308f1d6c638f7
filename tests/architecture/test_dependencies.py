"""What the service runs on is known: what each package is for, its licence, and whether its version is safe."""

from __future__ import annotations

import ast
import gzip
import hashlib
import json
import os
import re
import runpy
import subprocess
import sys
import threading
import tomllib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import packages_distributions
from pathlib import Path
from typing import Any

from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from tests.support.modules import Module, in_modules

ROOT = Path(__file__).parents[2]
#: Nothing listens there, and nothing can: whatever is asked through this proxy is refused at once.
NO_WAY_OUT = "http://127.0.0.1:9"
REQUIREMENTS = """\
msgspec==0.22.0 \\
    --hash=sha256:{zeros}
no-such-tool==1.0 \\
    --hash=sha256:{zeros}
""".format(zeros="0" * 64)
#: Run-time packages that nothing imports, and what uses them.
NOT_IMPORTED = {
    "confusable-homoglyphs": "its file is read",
    "greenlet": "SQLAlchemy",
    "tzdata": "the standard library",
    "uvloop": "uvicorn, by name",
    "zxcvbn": "its file is read",
}
PYPROJECT: dict[str, Any] = tomllib.loads((ROOT / "pyproject.toml").read_text())
PAGE = (ROOT / "docs" / "dependencies.md").read_text()


def named(requirements: list[str]) -> set[str]:
    return {canonicalize_name(Requirement(text).name) for text in requirements}


@in_modules("src")
def imports(module: Module) -> set[str]:
    """Return the names that stand first in what a module imports."""
    plain = {name.name for node in module.all(ast.Import) for name in node.names}
    of_parts = {node.module for node in module.all(ast.ImportFrom) if node.module and not node.level}
    return {name.partition(".")[0] for name in plain | of_parts}


@cache
def imported() -> set[str]:
    """Return the packages that modules of the service import."""
    known = packages_distributions()
    strangers = set(imports.found) - sys.stdlib_module_names - {"foreknow"}
    return {canonicalize_name(name) for module in strangers for name in known[module]}


def rows(section: str) -> set[str]:
    """Return the packages that the first column of a section's table names."""
    text = PAGE.partition(f"## {section}\n")[2].partition("\n## ")[0]
    cells = re.findall(r"^\| ([^|]+) \|", text, flags=re.MULTILINE)[1:]
    return {name.strip(" †") for cell in cells for name in cell.split(",")}


def test_every_package_that_the_service_names_is_used_and_every_one_it_uses_is_named() -> None:
    wanted = named(PYPROJECT["project"]["dependencies"])

    assert wanted == imported() | set(NOT_IMPORTED)
    assert not imported() & set(NOT_IMPORTED)


def test_the_page_of_dependencies_says_what_each_is_for() -> None:
    groups = PYPROJECT["dependency-groups"]
    for_development = named([text for group in groups.values() for text in group if isinstance(text, str)])

    assert rows("At run time") == named(PYPROJECT["project"]["dependencies"])
    assert rows("For development") == for_development


def test_the_page_of_licences_is_current() -> None:
    script = runpy.run_path(str(ROOT / "bin" / "write_licences.py"))

    assert (ROOT / "docs" / "licences.md").read_text() == script["page"](), "run just licences"


def test_every_package_that_the_service_runs_on_has_a_licence() -> None:
    script = runpy.run_path(str(ROOT / "bin" / "write_licences.py"))
    lock = (ROOT / "requirements" / "runtime.txt").read_text()
    page = (ROOT / "docs" / "licences.md").read_text().partition("\n## ")[0]
    rows = [line.split("|") for line in page.splitlines() if line.startswith("| ")][1:]

    assert len(script["pins"]()) == len(re.findall(r"^\S", lock, flags=re.MULTILINE))
    assert {row[1].strip() for row in rows} == set(script["pins"]())
    assert all(row[3].strip() for row in rows)


def test_the_files_of_swagger_ui_are_those_of_the_pinned_version_with_their_licence() -> None:
    script = runpy.run_path(str(ROOT / "bin" / "write_swagger.py"))
    folder: Path = script["FOLDER"]
    source = tomllib.loads((folder / "source.toml").read_text())
    licences = set(script["LICENCES"])

    assert {path.name for path in folder.iterdir()} == {
        *(f"{name}.gz" for name in source["files"]),
        *licences,
        "source.toml",
    }
    for name, digest in source["files"].items():
        content = gzip.decompress((folder / f"{name}.gz").read_bytes())
        assert hashlib.sha256(content).hexdigest() == digest, f"{name}: run just swagger"
    in_wheel = {ROOT / name for name in PYPROJECT["project"]["license-files"]}
    assert {folder / name for name in licences} <= in_wheel
    assert all(path.is_file() for path in in_wheel)


def audit(tmp_path: Path, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    requirements = tmp_path / "requirements.txt"
    requirements.write_text(REQUIREMENTS)
    command = [sys.executable, str(ROOT / "bin" / "audit_dependencies.py"), "--requirements", str(requirements)]
    given = {name: value for name, value in os.environ.items() if not name.lower().endswith("_proxy")} | environment
    return subprocess.run([*command, *arguments], check=False, capture_output=True, text=True, env=given)


@contextmanager
def advisories(known: dict[str, list[dict[str, Any]]]) -> Iterator[str]:
    """A database of advisories on this machine that speaks OSV's language."""

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            body = json.dumps({"vulns": known.get(asked["package"]["name"], [])}).encode()
            self.send_response(200)
            self.send_header("content-type", "application/json")
            self.send_header("content-length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}/v1/query"
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def advisory(name: str, version: str) -> dict[str, Any]:
    ranges = [{"type": "ECOSYSTEM", "events": [{"introduced": "0"}, {"fixed": version}]}]
    affected = [{"package": {"name": name, "ecosystem": "PyPI"}, "ranges": ranges}]
    return {
        "id": "PYSEC-2026-1",
        "aliases": ["CVE-2026-1"],
        "summary": "It leaks.",
        "modified": "2026-01-01T00:00:00Z",
        "affected": affected,
    }


def test_where_no_advisory_database_is_reachable_it_says_so_in_one_line_and_clears_no_version(tmp_path: Path) -> None:
    tried = audit(tmp_path, HTTPS_PROXY=NO_WAY_OUT, HTTP_PROXY=NO_WAY_OUT, ALL_PROXY=NO_WAY_OUT)

    assert tried.returncode == 3
    assert tried.stdout == ""
    assert tried.stderr.splitlines() == [
        "Not audited: no advisory database is reachable from here (tried pypi and osv). Try again online."
    ]


def test_versions_that_nothing_is_known_of_pass(tmp_path: Path) -> None:
    with advisories({}) as url:
        tried = audit(tmp_path, "--database", "osv", "--osv-url", url)

    assert (tried.returncode, tried.stderr) == (0, "")
    assert tried.stdout.splitlines() == ["2 packages, 0 known vulnerabilities (osv)"]


def test_a_vulnerable_version_is_named_with_the_version_that_fixes_it(tmp_path: Path) -> None:
    with advisories(
        {"msgspec": [advisory("msgspec", "99.0")], "no-such-tool": [advisory("no-such-tool", "2.0")]}
    ) as url:
        tried = audit(tmp_path, "--database", "osv", "--osv-url", url)

    assert tried.returncode == 1
    msgspec, tool, summary = tried.stdout.splitlines()
    assert msgspec.startswith("msgspec 0.22.0: ")
    assert "CVE-2026-1" in msgspec
    assert msgspec.endswith("fixed in 99.0 (the service runs on it)")
    assert tool.endswith("fixed in 2.0 (for development only)")
    assert summary == "2 packages, 2 known vulnerabilities (osv)"
