#!/usr/bin/env python3
"""Write Swagger UI's files into src/foreknow/web/swagger: `just swagger`, or `just swagger 5.36.0` for another version.

They come from npm's package `swagger-ui-dist`, whose own dependency (telemetry at its installation) is left out. The
version in `source.toml` must be what it was when it was taken: `integrity` is npm's hash of it.
"""

from __future__ import annotations

import base64
import gzip
import hashlib
import subprocess
import sys
import tarfile
import tempfile
import tomllib
from pathlib import Path

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "src" / "foreknow" / "web" / "swagger"
SOURCE = FOLDER / "source.toml"
PACKAGE = "swagger-ui-dist"
LICENCE = "Apache-2.0"
#: What the API page serves, compressed.
SERVED = ("swagger-ui-bundle.js", "swagger-ui.css")
#: What the licences want beside it.
LICENCES = ("LICENSE", "NOTICE", "swagger-ui-bundle.js.LICENSE.txt")
TEXT = """\
# Written by bin/write_swagger.py.
package = "{package}"
version = "{version}"
licence = "{licence}"
integrity = "{integrity}"

# SHA-256 of what each compressed file holds.
[files]
{files}
"""


def main(version: str | None) -> None:
    """Take one version of the package; without one, that of `source.toml`, if it is unchanged."""
    known = tomllib.loads(SOURCE.read_text()) if SOURCE.exists() else {}
    version = version or known["version"]
    with tempfile.TemporaryDirectory(dir=ROOT) as folder:
        subprocess.run(
            [ROOT / "bin" / "npm", "pack", f"{PACKAGE}@{version}"], cwd=folder, check=True, capture_output=True
        )
        (archive,) = Path(folder).glob("*.tgz")
        integrity = "sha512-" + base64.b64encode(hashlib.sha512(archive.read_bytes()).digest()).decode()
        if version == known.get("version") and integrity != known["integrity"]:
            sys.exit(f"{PACKAGE} {version} is not what it was: {integrity} instead of {known['integrity']}")
        contents = read(archive)
    for name in LICENCES:
        (FOLDER / name).write_bytes(contents[name])
    for name in SERVED:
        (FOLDER / f"{name}.gz").write_bytes(gzip.compress(contents[name], compresslevel=9, mtime=0))
    files = "\n".join(f'"{name}" = "{hashlib.sha256(contents[name]).hexdigest()}"' for name in SERVED)
    SOURCE.write_text(TEXT.format(package=PACKAGE, version=version, licence=LICENCE, integrity=integrity, files=files))


def read(archive: Path) -> dict[str, bytes]:
    """Return the files of the package that are wanted."""
    contents = {}
    with tarfile.open(archive) as package:
        for name in SERVED + LICENCES:
            file = package.extractfile(f"package/{name}")
            assert file is not None
            contents[name] = file.read()
    return contents


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else None)
