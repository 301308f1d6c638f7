"""What a site sets by itself, from the browser: its settings that the database keeps, and the JSON of each.

What the environment names counts, and what is kept under that name rests.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Mapping
from typing import Any

from pydantic import BaseModel, ValidationError
from pydantic_settings import BaseSettings, PydanticBaseSettingsSource

from foreknow.kernel.setting_errors import variable_of, wrong_setting, wrong_type
from foreknow.kernel.settings import Settings

#: By name the type of its JSON, in the order in which they are listed. A list is a text with commas in the environment.
SITE_SETTINGS: Mapping[str, type] = {
    "site_name": str,
    "currency": dict,
    "languages": list,
    "time_zone": str,
    "read": str,
    "sign_up": str,
    "sign_up_domains": list,
    "sign_up_kopecks": int,
    "grants_per_address": int,
    "allowance": dict,
    "creators": str,
    "creator_limit_kopecks": int,
    "creators_trade": str,
    "house_limit_kopecks": int,
    "dispute_minutes": int,
    "objections": str,
    "trading": str,
    "cors_origins": list,
}
#: The values of some settings, as JSON; None: unset.
SiteValues = Mapping[str, Any]


class _Overlaid(Settings):
    """Settings of what is handed over alone: the environment was read before."""

    @classmethod
    def settings_customise_sources(
        cls,
        settings_cls: type[BaseSettings],  # noqa: ARG003 - pydantic names them, here and below
        init_settings: PydanticBaseSettingsSource,
        env_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        dotenv_settings: PydanticBaseSettingsSource,  # noqa: ARG003
        file_secret_settings: PydanticBaseSettingsSource,  # noqa: ARG003
    ) -> tuple[PydanticBaseSettingsSource, ...]:
        """Leave all other sources out."""
        return (init_settings,)


def is_fixed(given: Settings, name: str) -> bool:
    """Return whether the environment names a setting."""
    return name in given.model_fields_set


def overlaid(given: Settings, stored: SiteValues) -> Settings:
    """Return the settings of the environment, and those stored beside them; `ValidationError`."""
    return _build(given, stored, wins=frozenset())


def values_of(settings: Settings) -> dict[str, Any]:
    """Return the value of each as JSON."""
    return {name: _as_json(name, getattr(settings, name)) for name in SITE_SETTINGS}


def default_of(settings: Settings, name: str) -> Any:
    """Return what would count beside the other values if one were not set, as JSON."""
    field = Settings.model_fields[name]
    return _as_json(name, field.get_default(call_default_factory=True, validated_data=settings.__dict__))


def as_texts(stored: SiteValues) -> dict[str, str]:
    """Return what is stored as an environment would spell it."""
    as_set = {name: _as_set(name, value) for name, value in stored.items()}
    return {name: json.dumps(value) if isinstance(value, dict) else str(value) for name, value in as_set.items()}


def faults(given: Settings, stored: SiteValues, changes: SiteValues) -> dict[str, str]:
    """Return what is wrong with changes of what is stored, by name: alone, or together with all else that is set.

    What is wrong without them is left out: of several wrong settings each can be corrected alone.
    """
    found: dict[str, str] = {}
    for name, value in changes.items():
        if name not in SITE_SETTINGS and not (value is None and name in stored):
            found[name] = f"{variable_of(name)} is no setting of a site: {', '.join(SITE_SETTINGS)}"
        elif value is not None and not _is_of_type(name, value):
            found[name] = wrong_type(name, SITE_SETTINGS[name])
    while True:
        left = {name: value for name, value in changes.items() if name not in found}
        try:
            _build(given, {**stored, **left}, wins=left.keys())
        except ValidationError as failure:
            blamed = {
                name: wrong_setting(error) for error in failure.errors() for name in left if _is_about(error, name)
            }
            if not blamed:
                return found
            found |= blamed
        else:
            return found


def _is_about(error: Mapping[str, Any], name: str) -> bool:
    """Return whether an error is one of a setting; one of several together names each."""
    if error["loc"]:
        return bool(error["loc"][0] == name)
    return re.search(rf"{variable_of(name)}\b", wrong_setting(error)) is not None


def _build(given: Settings, stored: SiteValues, wins: Collection[str]) -> Settings:
    """Return the settings with these stored; those that win count though the environment names them."""
    fixed = {name: getattr(given, name) for name in given.model_fields_set if name not in wins}
    own = {name: _as_set(name, value) for name, value in stored.items() if value is not None and name in SITE_SETTINGS}
    return _Overlaid(**{**own, **fixed})


def _is_of_type(name: str, value: Any) -> bool:
    kind = SITE_SETTINGS[name]
    if kind is list:
        return isinstance(value, list) and all(isinstance(one, str) and one.strip() and "," not in one for one in value)
    # JSON has whole numbers as such: 2.0 is none.
    if kind is dict:
        return isinstance(value, dict) and not any(isinstance(one, float) for one in value.values())
    return type(value) is kind


def _as_set(name: str, value: Any) -> Any:
    return ",".join(value) if SITE_SETTINGS[name] is list and isinstance(value, list) else value


def _as_json(name: str, value: Any) -> Any:
    if SITE_SETTINGS[name] is list:
        return [one.strip() for one in value.split(",") if one.strip()]
    return value.model_dump() if isinstance(value, BaseModel) else value
