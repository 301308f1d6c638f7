"""What the kinds of rules share: how their JSON is read and described, and what responses show of them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar

import msgspec
from msgspec import Meta

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import to_type, wrong_field

DISPUTE_MINUTES_MAX = 43_200
#: Bounds the memory of rules that were read: one of 100 outcomes takes some 50 KB.
CACHED_MAX = 512
DisputeMinutes = Annotated[int, Meta(ge=0, le=DISPUTE_MINUTES_MAX)]
_Body = TypeVar("_Body", bound=msgspec.Struct)


@dataclass(frozen=True, slots=True, kw_only=True)
class RuleView:
    """What a rule shows in `Pool.resolution`; None where it does not apply."""

    symbol: str | None = None
    source: str | None = None
    #: One interval an outcome, its numbers filled in; None also while they wait for the strike.
    outcomes: list[dict[str, int | float]] | None = None
    #: The observation at publication that the rule or a text refers to: `{price, observed_at, source}`.
    strike: dict[str, Any] | None = None


def read_body(path: str, sent: Mapping[str, Any], kind: type[_Body]) -> _Body:
    """Check what was sent against the fields of a kind; `BadRequest` names a wrong field, beginning with `path`."""
    try:
        return to_type(sent, kind)
    except BadRequest as error:
        ((field, problem),) = error.details["fields"].items()
        raise wrong_field(f"{path}.{field}", problem) from error


def number_or(number: int | None, default: int) -> int:
    """Return a number, or the default where it was left out."""
    return default if number is None else number


def integer_schema(least: int, most: int, description: str, **rest: Any) -> dict[str, Any]:
    """Return the JSON Schema of an integer that may be left out."""
    return {"type": ["integer", "null"], "minimum": least, "maximum": most, "description": description, **rest}


def rule_schema(kind: str, description: str, required: list[str], **fields: Any) -> dict[str, Any]:
    """Return the JSON Schema of a kind of rule with these fields."""
    return {
        "type": "object",
        "description": description,
        "required": ["kind", *required],
        "properties": {"kind": {"const": kind}, **fields, "dispute_minutes": _DISPUTE},
        "additionalProperties": False,
    }


_DISPUTE = integer_schema(
    0,
    DISPUTE_MINUTES_MAX,
    "Minutes in which an admin may correct the decision before it is paid; left out: FOREKNOW_DISPUTE_MINUTES.",
)
