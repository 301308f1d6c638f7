"""The settings of a command, from the environment and the data folder, each with its source; names that are none."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from foreknow.commands.cli.errors import WrongUsage, explain_settings
from foreknow.commands.init.env_file import EnvFile, EnvFileError, read_env_file
from foreknow.kernel.hosts import without_secrets
from foreknow.kernel.settings import Settings

PREFIX = "FOREKNOW_"
#: Variables of the scripts in deploy/, which share the service's environment file.
OF_SCRIPTS = frozenset({"FOREKNOW_BACKUP_DAYS"})
#: Settings whose values may contain a password.
_URLS = frozenset({"database_url", "replica_url", "image_store_url"})


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as it holds: `value` is its text, without secrets; `source` is "environment", the path of the data
    folder's file, or "default".
    """

    variable: str
    value: str
    source: str


@dataclass(frozen=True, slots=True)
class Configuration:
    """The settings of a command, and the data folder's file, which sets what the environment does not."""

    settings: Settings
    file: EnvFile
    #: The fields that the file sets.
    of_file: frozenset[str]


def configuration(environment: Mapping[str, str]) -> Configuration:
    """Return the settings. `WrongUsage` for a name that is no setting and for an invalid one, with its place."""
    check_names(environment)
    file = env_file(environment)
    places = {field: file.place(name) for name, field in _of_file(file, environment).items()}
    try:
        settings = settings_of({field: file.entries[_variable(field)].value for field in places})
    except ValidationError as failure:
        raise WrongUsage(explain_settings(failure, places)) from None
    return Configuration(settings, file, frozenset(places))


def settings_of(texts: Mapping[str, str]) -> Settings:
    """Return the settings with these texts, by field, and the others of this process's environment.

    `ValidationError`.
    """
    given: dict[str, Any] = {field: text for field, text in texts.items() if text}
    return Settings(**given)


def env_file(environment: Mapping[str, str]) -> EnvFile:
    """Return the settings in the data folder of an environment; `WrongUsage`."""
    folder = data_dir(environment)
    try:
        found = read_env_file(folder)
    except EnvFileError as failure:
        raise WrongUsage(str(failure)) from None
    known = _known()
    for name, entry in found.entries.items():
        if name.startswith(PREFIX) and name not in known:
            raise WrongUsage(f"{_unknown(name, known)}: {found.place(name)}")
        if name == _variable("data_dir") and Path(entry.value).resolve() != folder.resolve():
            raise WrongUsage(f"{name} cannot be set in that folder itself: {found.place(name)}")
    return found


def data_dir(environment: Mapping[str, str]) -> Path:
    """Return the data folder that an environment names."""
    default: Path = Settings.model_fields["data_dir"].default
    return Path(given_by(environment).get("data_dir", default))


def given_by(environment: Mapping[str, str]) -> dict[str, str]:
    """Return the settings that an environment sets, by field. An empty variable is unset."""
    fields = {_variable(field): field for field in _fields()}
    return {fields[name.upper()]: value for name, value in environment.items() if value and name.upper() in fields}


def check_names(environment: Mapping[str, str]) -> None:
    """Raise `WrongUsage` for a variable FOREKNOW_* that is no setting; it names the nearest one."""
    known = _known()
    # Names are read in any case of letters.
    unknown = sorted(name for name in environment if name.upper().startswith(PREFIX) and name.upper() not in known)
    if unknown:
        raise WrongUsage("; ".join(_unknown(name, known) for name in unknown))


def describe(found: Configuration) -> list[Setting]:
    """Return every setting, in the order of docs/settings.md."""
    values = found.settings.model_dump(mode="json")
    return [
        Setting(
            variable=_variable(field),
            value=_text(without_secrets(values[field]) if field in _URLS else values[field]),
            source=_source(found, field),
        )
        for field in _fields()
    ]


def _source(found: Configuration, field: str) -> str:
    if field in found.of_file:
        return str(found.file.path)
    return "environment" if field in found.settings.model_fields_set else "default"


def _of_file(file: EnvFile, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what the file sets and the environment does not: the field of each name."""
    given = given_by(environment)
    wanted = {_variable(field): field for field in _fields() if field not in given and field != "data_dir"}
    return {name: wanted[name] for name in file.entries if name in wanted}


def _known() -> set[str]:
    return {_variable(field) for field in _fields()} | OF_SCRIPTS


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
