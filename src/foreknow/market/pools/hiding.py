"""`metadata.forecasts` of a pool: from whom others' forecasts of it are hidden."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any, Literal

import msgspec
from msgspec import Meta

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.validation.fields import to_type, utc_ms, wrong_field

#: Shown to who has one that stands or stood.
OWN = "own"
_HIDDEN = "hidden"
_KEY = "forecasts"


class _Sent(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    hidden: str


class _Until(msgspec.Struct, frozen=True):
    hidden: Annotated[datetime, Meta(tz=True)]


#: For the API page.
FORECASTS_SCHEMA: dict[str, Any] = {
    "description": "From whom others' forecasts and the crowd are hidden until the first result: `own`, from who has "
    "said none; or a time, until then from everyone (not in an event that recurs).",
    "type": ["object", "null"],
    "properties": {_HIDDEN: {"type": "string", "examples": [OWN, "2026-12-01T12:00:00Z"]}},
    "required": [_HIDDEN],
    "additionalProperties": False,
}


def check_forecasts(path: str, metadata: Mapping[str, Any], *, recurs: bool) -> None:
    """Check `metadata.forecasts` of a new pool; `BadRequest` names the field below `path`.

    `recurs`: its event does, so that no time can be one of every instance.
    """
    sent = metadata.get(_KEY)
    if sent is None:
        return
    path = f"{path}.{_KEY}"
    if _read(path, sent) != OWN and recurs:
        raise wrong_field(f"{path}.{_HIDDEN}", "must not be a time in an event that recurs")


def hiding_of(metadata: Mapping[str, Any]) -> Literal["own"] | int | None:
    """Return what hides forecasts of a stored pool: "own", or the time up to which it does, Unix milliseconds.

    None where nothing does, or where it is older than these rules.
    """
    sent = metadata.get(_KEY)
    if sent is None:
        return None
    try:
        return _read(_KEY, sent)
    except BadRequest:
        return None


def _read(path: str, sent: Any) -> Literal["own"] | int:
    try:
        if to_type(sent, _Sent).hidden == OWN:
            return "own"
        return utc_ms(f"{path}.{_HIDDEN}", to_type(sent, _Until).hidden)
    except BadRequest as error:
        ((field, problem),) = error.details["fields"].items()
        if field.startswith(path):
            raise
        raise wrong_field(path if field == "body" else f"{path}.{field}", problem) from error
