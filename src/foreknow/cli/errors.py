"""Expected failures of a command: one line on standard error; exit 1, or 2 for wrong usage."""

from __future__ import annotations

from cyclopts import CycloptsError
from pydantic import ValidationError
from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from foreknow.db.compatibility import DatabaseTooNew
from foreknow.db.connections import UNREACHED
from foreknow.db.migrate import TableInUse
from foreknow.kernel.errors import DomainError, Unavailable
from foreknow.kernel.startup import CannotServe
from foreknow.replay.errors import ReplayFailed

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
    TableInUse,
    DBAPIError,
    PoolTimeout,
    OSError,
)


def explain(failure: BaseException) -> tuple[int, str]:
    """Return the exit code and the line for an expected failure."""
    if isinstance(failure, CycloptsError):
        return WRONG_USAGE, _one_line(str(failure))
    if isinstance(failure, ValidationError):
        return WRONG_USAGE, _settings(failure)
    if isinstance(failure, WrongUsage):
        return WRONG_USAGE, str(failure)
    if isinstance(failure, Unavailable) and failure.__cause__ is not None:
        return explain(failure.__cause__)
    if isinstance(failure, DBAPIError):
        return FAILED, f"the database says: {_one_line(str(failure.orig))}"
    if isinstance(failure, PoolTimeout):
        return FAILED, "the database does not answer"
    if isinstance(failure, OSError):
        return FAILED, _unreached(failure) or _one_line(str(failure))
    return FAILED, _one_line(str(failure))


def _settings(failure: ValidationError) -> str:
    # Without the values: some are secrets.
    wrong = (f"FOREKNOW_{str(error['loc'][0]).upper()}: {error['msg']}" for error in failure.errors())
    return "; ".join(wrong)


def _unreached(failure: OSError) -> str:
    """Return which database is unreachable and where its address is set; "" where the failure is another."""
    notes = (note for note in getattr(failure, "__notes__", ()) if note.startswith(UNREACHED))
    note = next(notes, None)
    if note is None:
        return ""
    why = _one_line(failure.strerror or str(failure)) or "it does not answer"
    return f"cannot reach {note}: {why}; is it running, and is its address right (FOREKNOW_DATABASE_URL, or --to)?"


def _one_line(text: str) -> str:
    return " ".join(text.split())
