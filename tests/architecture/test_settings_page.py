"""The page of settings says what the settings are."""

from __future__ import annotations

import runpy
from pathlib import Path

from tests.support.proofs import proves

ROOT = Path(__file__).parent.parent.parent


@proves("decisions: …), all listed on one page of the docs.")
def test_the_page_of_settings_is_current() -> None:
    script = runpy.run_path(str(ROOT / "bin" / "write_settings.py"))

    assert (ROOT / "docs" / "settings.md").read_text() == script["page"](), "run .venv/bin/python bin/write_settings.py"


def test_every_setting_says_what_it_means() -> None:
    lines = (ROOT / "docs" / "settings.md").read_text().splitlines()
    rows = [line for line in lines if line.startswith("| `FOREKNOW_")]

    assert rows
    assert not [row for row in rows if row.endswith("|  |")]
