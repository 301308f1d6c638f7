#!/usr/bin/env python3
"""Write docs/images/home.webp, the README's picture, from a running demo: `.venv/bin/python bin/write_picture.py`.

It takes the demo's address where that is not http://127.0.0.1:8000.
"""

from __future__ import annotations

import io
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page

ROOT = Path(__file__).parent.parent
PICTURE = ROOT / "docs" / "images" / "home.webp"
BYTES_MAX = 200_000
#: The demo's traders make some 12 trades a minute.
TRADES_MS = 120_000


def main(origin: str) -> None:
    """Take the picture."""
    sys.path.insert(0, str(ROOT))
    from tests.support.browser import Look, new_context, running_browser  # noqa: PLC0415 - found by the line above

    with running_browser() as browser:
        page = new_context(browser, origin, Look(1440, "en", "light")).new_page()
        shot = _shot(page)
    file = io.BytesIO()
    Image.open(io.BytesIO(shot)).convert("RGB").save(file, format="WEBP", quality=82, method=6)
    assert file.tell() <= BYTES_MAX, f"the picture has {file.tell()} bytes"
    PICTURE.parent.mkdir(exist_ok=True)
    PICTURE.write_bytes(file.getvalue())


def _shot(page: Page) -> bytes:
    page.goto("/")
    page.locator("main article").first.wait_for()
    # The rail shows trades from now on.
    page.locator("aside li").nth(4).wait_for(timeout=TRADES_MS)
    page.wait_for_function("() => [...document.images].every((image) => image.complete)")
    return page.screenshot()


if __name__ == "__main__":
    main(*(sys.argv[1:] or ["http://127.0.0.1:8000"]))
