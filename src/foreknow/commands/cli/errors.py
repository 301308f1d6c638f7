"""Expected failures of a command: one line on standard error; exit 1, or 2 for wrong usage."""

from __future__ import annotations

import sqlite3
from collections.abc import Mapping
from typing import Any

from cyclopts import CycloptsError
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from foreknow.commands.replay.errors import ReplayFailed
from foreknow.kernel.errors import DomainError, Unavailable
from foreknow.kernel.startup import CannotServe, WrongSetting
from foreknow.platform.db.compatibility import DatabaseTooNew, DatabaseTooOld
from foreknow.platform.db.connections import IN_DATABASE, UNREACHED
from foreknow.platform.db.migrate import TableInUse

FAILED = 1
WRONG_USAGE = 2


class CommandFailed(Exception):
    """The command failed; the text says why."""


class WrongUsage(Exception):
    """An option or a setting is invalid; the text says which."""


#: Failures that are reported in one line. Any other is a bug and prints its traceback.
EXPECTED = (
    CommandFailed,
    WrongUsage,
    CycloptsError,
    ValidationError,
    DomainError,
    ReplayFailed,
    CannotServe,
    DatabaseTooNew,
    DatabaseTooOld,
    TableInUse,
    DBAPIError,
    sqlite3.Error,
    PoolTimeout,
    OSError,
)


def explain(failure: BaseException) -> tuple[int, str]:
    """Return the exit code and the line for an expected failure."""
    if isinstance(failure, CycloptsError):
        return WRONG_USAGE, _one_line(str(failure))
    if isinstance(failure, ValidationError):
        return WRONG_USAGE, explain_settings(failure, {})
    if isinstance(failure, WrongUsage | WrongSetting):
        return WRONG_USAGE, str(failure)
    if isinstance(failure, Unavailable) and failure.__cause__ is not None:
        for note in getattr(failure, "__notes__", ()):
            failure.__cause__.add_note(note)
        return explain(failure.__cause__)
    if isinstance(failure, DBAPIError | sqlite3.Error):
        said = failure.orig if isinstance(failure, DBAPIError) else failure
        return FAILED, f"the database{_note(failure, IN_DATABASE, ' ')} says: {_one_line(str(said))}"
    if isinstance(failure, PoolTimeout):
        return FAILED, f"the database{_note(failure, IN_DATABASE, ' ')} does not answer"
    if isinstance(failure, OSError):
        return FAILED, _unreached(failure) or _one_line(str(failure))
    return FAILED, _one_line(str(failure))


def explain_settings(failure: ValidationError, places: Mapping[str, str]) -> str:
    """Return what is wrong with settings; `places` are those of a file, by field, with where they stand."""
    # Without the values: some are secrets.
    return "; ".join(
        _wrong_setting(error) + (f" ({place})" if (place := places.get(str(next(iter(error["loc"]), "")))) else "")
        for error in failure.errors()
    )


def _wrong_setting(error: Mapping[str, Any]) -> str:
    # An error of several settings together names them itself.
    return f"{_setting(error['loc'])} {_what_is_wrong(error)}" if error["loc"] else str(error["ctx"]["error"])


def why_wrong(error: Mapping[str, Any]) -> str:
    """Return what a right value is, as a sentence about "it"."""
    return str(error["ctx"]["error"]) if error["type"] == "value_error" else f"it {_what_is_wrong(error)}"


def _setting(loc: tuple[int | str, ...]) -> str:
    """Return a setting's name, with the place inside of it: FOREKNOW_ASSET_PROVIDERS[0].url."""
    inside = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc[1:])
    return f"FOREKNOW_{str(loc[0]).upper()}{inside}"


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


def _note(failure: BaseException, start: str, before: str) -> str:
    """Return what a note that begins with `start` says, after `before`; "" where there is none."""
    notes = (note for note in getattr(failure, "__notes__", ()) if note.startswith(start))
    note = next(notes, None)
    return "" if note is None else f"{before}{note.removeprefix(start)}"


def _unreached(failure: OSError) -> str:
    """Return which database is unreachable and where its address is set; "" where the failure is another."""
    address = _note(failure, UNREACHED, "")
    if not address:
        return ""
    why = _one_line(failure.strerror or str(failure)) or "it does not answer"
    return (
        f"cannot reach {UNREACHED}{address}: {why}; is it running, and is its address right "
        "(FOREKNOW_DATABASE_URL, or --to)?"
    )


def _one_line(text: str) -> str:
    return " ".join(text.split())
