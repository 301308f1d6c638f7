"""Expected failures of a command: one line on standard error; exit 1, or 2 for wrong usage."""

from __future__ import annotations

import sqlite3

from cyclopts import CycloptsError
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from foreknow.commands.replay.errors import ReplayFailed
from foreknow.kernel.errors import DomainError, Unavailable
from foreknow.kernel.setting_errors import explain_settings
from foreknow.kernel.startup import CannotServe, WrongSetting
from foreknow.platform.db.engine import IN_DATABASE
from foreknow.platform.db.migrate import DatabaseTooNew, DatabaseTooOld, TableInUse
from foreknow.platform.db.postgres.connections import UNREACHED

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
