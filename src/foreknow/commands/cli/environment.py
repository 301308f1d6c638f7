"""The environment that a command is run in: names that are no setting, and where each setting comes from."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from foreknow.commands.cli.errors import WrongUsage
from foreknow.kernel.hosts import without_secrets
from foreknow.kernel.settings import Settings

PREFIX = "FOREKNOW_"
#: Variables of the scripts in deploy/, which share the service's environment file.
OF_SCRIPTS = frozenset({"FOREKNOW_BACKUP_DAYS"})
#: Settings whose values may contain a password.
_URLS = frozenset({"database_url", "replica_url", "image_store_url"})


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as it holds: `value` is its text, without secrets; `source` is "environment" or "default"."""

    variable: str
    value: str
    source: str


def check_names(environment: Mapping[str, str]) -> None:
    """Raise `WrongUsage` for a variable FOREKNOW_* that is no setting; it names the nearest one."""
    known = {_variable(field) for field in _fields()} | OF_SCRIPTS
    # Names are read in any case of letters.
    unknown = sorted(name for name in environment if name.upper().startswith(PREFIX) and name.upper() not in known)
    if unknown:
        raise WrongUsage("; ".join(_unknown(name, known) for name in unknown))


def describe(settings: Settings) -> list[Setting]:
    """Return every setting, in the order of docs/settings.md."""
    values = settings.model_dump(mode="json")
    return [
        Setting(
            variable=_variable(field),
            value=_text(without_secrets(values[field]) if field in _URLS else values[field]),
            source="environment" if field in settings.model_fields_set else "default",
        )
        for field in _fields()
    ]


def _unknown(name: str, known: set[str]) -> str:
    nearest = difflib.get_close_matches(name.upper(), known, n=1, cutoff=0)
    return f"{name} is no setting; the nearest is {nearest[0]} (docs/settings.md lists all)"


def _fields() -> Iterator[str]:
    return (name for name, field in Settings.model_fields.items() if not field.exclude)


def _variable(field: str) -> str:
    return f"{PREFIX}{field.upper()}"


def _text(value: object) -> str:
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False) if value else ""
    return "" if value is None else str(value)
