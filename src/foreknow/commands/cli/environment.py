"""The settings of a command, from the environment and the data folder, each with its source; names that are none."""

from __future__ import annotations

import difflib
import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from foreknow.commands.cli.errors import WrongUsage
from foreknow.commands.init.env_file import EnvFile, EnvFileError, read_env_file
from foreknow.kernel.hosts import without_secrets
from foreknow.kernel.setting_errors import explain_settings
from foreknow.kernel.settings import Settings
from foreknow.kernel.site_settings import SiteValues, is_fixed, overlaid

PREFIX = "FOREKNOW_"
#: Settings whose values may contain a password.
_URLS = frozenset({"database_url", "replica_url", "image_store_url"})
_NONE: SiteValues = {}


@dataclass(frozen=True, slots=True)
class Setting:
    """A setting as it holds: `value` is its text, without secrets; `source` is "environment", the path of the data
    folder's file, "site" or "default".
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


def describe(found: Configuration, stored: SiteValues = _NONE) -> list[Setting]:
    """Return every setting, in the order of their fields; `stored` is what the site has set in its database."""
    values = overlaid(found.settings, stored).model_dump(mode="json")
    return [
        Setting(
            variable=_variable(field),
            value=_text(without_secrets(values[field]) if field in _URLS else values[field]),
            source=_source(found, stored, field),
        )
        for field in _fields()
    ]


def written_settings(environment: Mapping[str, str]) -> str:
    """Return what the data folder's file and an environment set, as one such file; `WrongUsage`."""
    given = {_variable(field): text for field, text in given_by(environment).items() if field != "data_dir"}
    return env_file(environment).changed(given).text


def _source(found: Configuration, stored: SiteValues, field: str) -> str:
    if field in found.of_file:
        return str(found.file.path)
    if is_fixed(found.settings, field):
        return "environment"
    return "site" if field in stored else "default"


def _of_file(file: EnvFile, environment: Mapping[str, str]) -> dict[str, str]:
    """Return what the file sets and the environment does not: the field of each name."""
    given = given_by(environment)
    wanted = {_variable(field): field for field in _fields() if field not in given and field != "data_dir"}
    return {name: wanted[name] for name in file.entries if name in wanted}


def _known() -> set[str]:
    return {_variable(field) for field in _fields()}


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
