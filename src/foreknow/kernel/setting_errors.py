"""What is wrong with settings, as sentences that name each: for who runs the server, and for who asks in a browser."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError


def variable_of(field: str) -> str:
    """Return the name of a setting's variable."""
    return f"FOREKNOW_{field.upper()}"


def explain_settings(failure: ValidationError, places: Mapping[str, str]) -> str:
    """Return what is wrong with settings; `places` are those of a file, by field, with where they stand."""
    # Without the values: some are secrets.
    return "; ".join(
        wrong_setting(error) + (f" ({place})" if (place := places.get(str(next(iter(error["loc"]), "")))) else "")
        for error in failure.errors()
    )


def wrong_setting(error: Mapping[str, Any]) -> str:
    """Return what one of the errors says."""
    # An error of several settings together names them itself.
    return f"{_setting(error['loc'])} {_what_is_wrong(error)}" if error["loc"] else str(error["ctx"]["error"])


def wrong_type(field: str, kind: type) -> str:
    """Return that a setting's JSON is of another type than `kind`."""
    return f"{variable_of(field)} {_WRONG[_TYPES[kind]]}"


def why_wrong(error: Mapping[str, Any]) -> str:
    """Return what a right value is, as a sentence about "it"."""
    return str(error["ctx"]["error"]) if error["type"] == "value_error" else f"it {_what_is_wrong(error)}"


def _setting(loc: tuple[int | str, ...]) -> str:
    """Return a setting's name, with the place inside of it: FOREKNOW_ASSET_PROVIDERS[0].url."""
    inside = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc[1:])
    return f"{variable_of(str(loc[0]))}{inside}"


def _what_is_wrong(error: Mapping[str, Any]) -> str:
    kind, about = error["type"], error.get("ctx", {})
    if kind == "value_error":
        return f"is wrong: {about['error']}"
    text = _WRONG.get(kind)
    return "is not valid (docs/settings.md)" if text is None else text.format(**about)


#: What a setting is instead, by pydantic's types of errors; {…} are of the error.
_WRONG = {
    "literal_error": "is {expected}",
    "missing": "is missing",
    "extra_forbidden": "is no field of it",
    "bool_parsing": "is true or false",
    "int_parsing": "is a whole number",
    "int_type": "is a whole number",
    "int_from_float": "is a whole number",
    "int_parsing_size": "is a smaller number",
    "float_parsing": "is a number",
    "float_type": "is a number",
    "finite_number": "is a number",
    "decimal_parsing": "is a number",
    "greater_than_equal": "is at least {ge}",
    "greater_than": "is over {gt}",
    "less_than_equal": "is at most {le}",
    "less_than": "is under {lt}",
    "string_too_short": "has at least {min_length} characters",
    "string_too_long": "has at most {max_length} characters",
    "string_type": "is a text",
    "list_type": "is a list",
    "dict_type": "is a JSON object",
    "too_short": "has at least {min_length} entries",
    "too_long": "has at most {max_length} entries",
}
#: Those of the types that JSON has.
_TYPES = {str: "string_type", int: "int_type", list: "list_type", dict: "dict_type"}
