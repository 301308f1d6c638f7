#!/usr/bin/env python3
"""Write docs/settings.md from the settings themselves: `.venv/bin/python bin/write_settings.py`."""

from __future__ import annotations

from pathlib import Path

from pydantic import BaseModel

from foreknow.kernel.settings import Settings

PAGE = Path(__file__).parent.parent / "docs" / "settings.md"
HEAD = """# Settings

All are environment variables, all have defaults; with none set, everything lives in `./foreknow-data` in SQLite. An
empty variable is unset; an unknown `FOREKNOW_…` stops every command. What the environment leaves out is read from
`foreknow.env` in the data folder, where there is one ([its form](commands.md#init)). `foreknow settings` shows what
holds, and where each comes from.
This page is written by `bin/write_settings.py` from `src/foreknow/kernel/settings.py`; a test holds it to them.

| Variable | Default | Meaning |
|---|---|---|
"""


def page() -> str:
    """Return the page's text."""
    rows = []
    for name, field in Settings.model_fields.items():
        if field.exclude:
            continue
        default = field.get_default(call_default_factory=True, validated_data={})
        hidden = getattr(default, "get_secret_value", None)
        shown = hidden() if hidden else default
        if isinstance(shown, BaseModel):
            shown = shown.model_dump_json()
        spelled = "" if shown is None or shown == "" else f"`{shown}`"
        meaning = (field.description or "").replace("|", "\\|")
        rows.append(f"| `FOREKNOW_{name.upper()}` | {spelled} | {meaning} |")
    return HEAD + "\n".join(rows) + "\n"


if __name__ == "__main__":
    PAGE.write_text(page())
