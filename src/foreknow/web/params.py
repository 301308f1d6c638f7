"""Parameters of paths and queries: frozen classes whose fields say how each text is read and what the API page shows.

    @parameters
    class QuotePath:
        market_id: int = path_id(InvalidMarketId)

    @parameters
    class QuoteQuery:
        side: Literal["yes", "no"] = required(SIDE)
        shares: int | None = optional(SHARES)

mypy checks that a field has the type its parameter reads.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Annotated, Any, Generic, Protocol, TypeVar, cast, dataclass_transform

import msgspec
from msgspec import Meta

from foreknow.kernel.clock import EPOCH
from foreknow.kernel.errors import BadRequest, DomainError, InvalidCursor, InvalidLimit
from foreknow.kernel.pagination import LIMIT_DEFAULT, LIMIT_MAX
from foreknow.kernel.schema_types import TIME_EXAMPLE
from foreknow.kernel.units import INT64_MAX
from foreknow.kernel.validation.fields import natural_int, positive_int, with_seconds

T = TypeVar("T")
Text = TypeVar("Text", bound=str)

_PARAM = "foreknow.param"


@dataclass(frozen=True, slots=True)
class Param(Generic[T]):
    """One parameter: its name in the request, how its text is read, and its JSON schema for the API page."""

    name: str
    read: Callable[[str], T]
    schema: Mapping[str, Any]
    description: str = ""
    #: Raised by `read`, and for a required parameter that is missing; the API page lists it.
    error: type[DomainError] = BadRequest


@dataclass(frozen=True, slots=True)
class PathParam(Generic[T]):
    """One segment of a path. Broken UTF-8 is read as NUL, which no parameter may hold."""

    read: Callable[[str], T]
    schema: Mapping[str, Any]
    #: Empty for an id, which the API page describes by its name.
    description: str = ""
    #: An id's error, which the API page lists; other texts' errors stand in the endpoint's row.
    error: type[DomainError] | None = None


def required(param: Param[T]) -> T:
    """Declare a field of a query that must be given."""
    return cast("T", dataclasses.field(metadata={_PARAM: param}))


def optional(param: Param[T]) -> T | None:
    """Declare a field of a query that is None where it is not given."""
    return cast("T | None", dataclasses.field(default=None, metadata={_PARAM: param}))


def defaulted(param: Param[T], default: T) -> T:
    """Declare a field of a query with a default, which the API page shows."""
    shown = dataclasses.replace(param, schema={**param.schema, "default": default})
    # mypy's own signature of `field` says that it returns the default's type.
    return dataclasses.field(default=default, metadata={_PARAM: shown})


_ID_SCHEMA = {"type": "integer", "format": "int64", "minimum": 1, "maximum": INT64_MAX, "examples": [7]}


def path_id(error: type[DomainError]) -> int:
    """Declare a field of a path that is an id; `error` for any other text."""

    def read(text: str) -> int:
        number = positive_int(text)
        if number is None:
            raise error
        return number

    return cast("int", dataclasses.field(metadata={_PARAM: PathParam(read, _ID_SCHEMA, error=error)}))


def path_text(read: Callable[[str], T], schema: Mapping[str, Any], description: str) -> T:
    """Declare a field of a path that `read` makes of its text."""
    return cast("T", dataclasses.field(metadata={_PARAM: PathParam(read, schema, description)}))


@dataclass_transform(
    kw_only_default=True, frozen_default=True, field_specifiers=(required, optional, defaulted, path_id, path_text)
)
def parameters(kind: type[T]) -> type[T]:
    """Make a class of a path's or a query's parameters: frozen, its fields given by name."""
    return dataclass(frozen=True, slots=True, kw_only=True)(kind)


@dataclass(frozen=True, slots=True)
class QueryField:
    """A parameter of a query with the field it becomes."""

    field: str
    param: Param[Any]
    is_required: bool


@dataclass(frozen=True, slots=True)
class PathField:
    """A parameter of a path with the field it becomes, which has its name."""

    field: str
    param: PathParam[Any]


def query_fields(kind: type | None) -> tuple[QueryField, ...]:
    """Return the parameters of a query class in their order, which is the order of their checks."""
    return tuple(
        QueryField(field.name, field.metadata[_PARAM], is_required=field.default is dataclasses.MISSING)
        for field in _fields(kind)
    )


def path_fields(kind: type | None) -> tuple[PathField, ...]:
    """Return the parameters of a path class in their order."""
    return tuple(PathField(field.name, field.metadata[_PARAM]) for field in _fields(kind))


def _fields(kind: Any) -> tuple[dataclasses.Field[Any], ...]:
    return () if kind is None else dataclasses.fields(kind)


def choice(name: str, allowed: tuple[Text, ...], description: str) -> Param[Text]:
    """Describe a parameter with a closed set of values."""
    values = {str(value): value for value in allowed}

    def read(text: str) -> Text:
        value = values.get(text)
        if value is None:
            raise BadRequest(f"{name} is one of {', '.join(values)}.")
        return value

    return Param(name, read, {"type": "string", "enum": list(values)}, description)


def whole_number(
    name: str, description: str, *, most: int, least: int = 1, error: type[DomainError] = BadRequest
) -> Param[int]:
    """Describe an integer parameter of `least` … `most`."""

    def read(text: str) -> int:
        number = natural_int(text)
        if number is None or not least <= number <= most:
            raise error(f"{name} is a whole number from {least} to {most}.")
        return number

    return Param(name, read, {"type": "integer", "minimum": least, "maximum": most}, description, error)


def moment_ms(name: str, description: str) -> Param[int]:
    """Describe a time with its offset, read as Unix milliseconds; a finer one as the next whole one."""

    def read(text: str) -> int:
        try:
            moment = msgspec.convert(with_seconds(text), Annotated[datetime, Meta(tz=True)])
        except msgspec.ValidationError as error:
            raise BadRequest(f"{name} is a time with its offset, such as 2026-03-01T18:00:00Z (+ as %2B).") from error
        until_epoch: timedelta = EPOCH - moment
        return -(until_epoch // timedelta(milliseconds=1))

    return Param(name, read, {"type": "string", "format": "date-time", "examples": [TIME_EXAMPLE]}, description)


def _read_limit(text: str) -> int:
    limit = positive_int(text)
    if limit is None or limit > LIMIT_MAX:
        raise InvalidLimit
    return limit


def _read_cursor(text: str) -> str:
    if not text:
        raise InvalidCursor
    return text


LIMIT = Param(
    "limit",
    _read_limit,
    {"type": "integer", "minimum": 1, "maximum": LIMIT_MAX},
    "How many rows a page has at most.",
    InvalidLimit,
)
CURSOR = Param("cursor", _read_cursor, {"type": "string"}, "The next_cursor of the page before.", InvalidCursor)


class Paged(Protocol):
    """A query with `limit` and `cursor`."""

    @property
    def limit(self) -> int:
        """How many rows the page has at most."""
        ...

    @property
    def cursor(self) -> str | None:
        """Where the page begins; None for the first."""
        ...


@parameters
class PageQuery:
    """The query of a list without filters."""

    limit: int = defaulted(LIMIT, LIMIT_DEFAULT)
    cursor: str | None = optional(CURSOR)
