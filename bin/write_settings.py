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
holds, and where each comes from. Some may be kept in the database instead, and change while the site runs
([own site](own-site.md)).
This page is written by `bin/write_settings.py` from `src/foreknow/kernel/settings.py`; a test holds it to them.
"""
TABLE = """| Variable | Default | Meaning |
|---|---|---|
"""
#: The groups, in the order of the page, with the beginnings of their settings' names; a setting belongs to the first
#: that has one. What belongs to none is listed last but one.
GROUPS = {
    "The first month": (
        *("site_name", "public_url", "currency", "sign_up", "read", "smtp_url", "email_from", "site_dir"),
        *("admin_email", "admin_password", "admin_name", "operator_alert_urls", "backup_days", "token_secret"),
    ),
    "Members and creators": (
        *("grants_per_address", "allowance", "passwords", "oidc_", "email_verification", "creator", "house_limit"),
        *("dispute_", "trading"),
    ),
    "Prices and odds from elsewhere": ("asset_", "rate_providers", "admin_price", "odds_"),
    "Limits": ("rate_limits", "limit_", "sockets_", "connections_", "memory_"),
    "The service": (),
    "Tests and trials": ("token", "test_clock", "trial", "password_cost"),
}
REST = "The service"


def page() -> str:
    """Return the page's text."""
    rows: dict[str, list[str]] = {group: [] for group in GROUPS}
    for name in Settings.model_fields:
        if not Settings.model_fields[name].exclude:
            rows[group_of(name)].append(row(name))
    parts = [f"## {group}\n\n{TABLE}" + "\n".join(found) + "\n" for group, found in rows.items()]
    return "\n".join([HEAD, *parts])


def group_of(name: str) -> str:
    """Return the group of a setting."""
    return next((group for group, starts in GROUPS.items() if name.startswith(starts)), REST)


def row(name: str) -> str:
    """Return a setting's line of the table."""
    field = Settings.model_fields[name]
    default = field.get_default(call_default_factory=True, validated_data={})
    hidden = getattr(default, "get_secret_value", None)
    shown = hidden() if hidden else default
    if isinstance(shown, BaseModel):
        shown = shown.model_dump_json()
    spelled = "" if shown is None or shown == "" else f"`{shown}`"
    meaning = (field.description or "").replace("|", "\\|")
    return f"| `FOREKNOW_{name.upper()}` | {spelled} | {meaning} |"


if __name__ == "__main__":
    PAGE.write_text(page())
