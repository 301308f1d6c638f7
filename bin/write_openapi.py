"""Writes docs/openapi.json: what a service of this checkout serves at /openapi.json (`just openapi`).

The Python client's modules that follow from it are written, too.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import urllib.request
from pathlib import Path

from foreknow.db.migrate import migrate
from foreknow.server import running
from foreknow.settings import Settings

ROOT = Path(__file__).parents[1]
TARGET = ROOT / "docs" / "openapi.json"


def main() -> None:
    """Serve from an empty database for a moment, and keep the document."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database_url=f"sqlite:///{folder}/empty.sqlite3", data_dir=Path(folder))
        migrate(settings.resolved_database_url)
        with running(settings) as url, urllib.request.urlopen(f"{url}/openapi.json") as answer:  # noqa: S310 - our own
            TARGET.write_bytes(answer.read())
    print(TARGET, flush=True)
    subprocess.run([sys.executable, "-m", "clients.python.generator"], cwd=ROOT, check=True)


if __name__ == "__main__":
    main()
