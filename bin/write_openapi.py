"""Writes docs/openapi.json: what a service of this checkout serves at /openapi.json (`just openapi`)."""

from __future__ import annotations

import tempfile
import urllib.request
from pathlib import Path

from foreknow.kernel.settings import Settings
from foreknow.platform.db.migrate import migrate
from foreknow.service.server import running

TARGET = Path(__file__).parents[1] / "docs" / "openapi.json"


def main() -> None:
    """Serve from an empty database for a moment, and keep the document."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings(database_url=f"sqlite:///{folder}/empty.sqlite3", data_dir=Path(folder))
        migrate(settings.resolved_database_url)
        with running(settings) as url, urllib.request.urlopen(f"{url}/openapi.json") as answer:  # noqa: S310 - our own
            TARGET.write_bytes(answer.read())
    print(TARGET)


if __name__ == "__main__":
    main()
