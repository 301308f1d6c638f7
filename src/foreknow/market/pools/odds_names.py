"""`metadata.odds` of a pool: what the source of its odds calls its outcomes."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from foreknow.kernel.errors import BadRequest
from foreknow.kernel.text import nfc
from foreknow.kernel.validation.fields import required_text, to_type, wrong_field

#: Limits the name of an outcome at a source.
SOURCE_NAME_MAX = 500
#: Limits the names of one pool: one for each of at most 100 markets.
NAMES_MAX = 100


class _Odds(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    names: Annotated[dict[str, str], Meta(max_length=NAMES_MAX)] | None = None


#: For the API page.
ODDS_SCHEMA: dict[str, Any] = {
    "description": "How the event at external_event_url calls the outcomes, where names differ: {ours: theirs}.",
    "type": ["object", "null"],
    "properties": {
        "names": {
            "type": ["object", "null"],
            "additionalProperties": {"type": "string", "minLength": 1, "maxLength": SOURCE_NAME_MAX},
            "maxProperties": NAMES_MAX,
        }
    },
    "additionalProperties": False,
}


def check_odds(path: str, metadata: Mapping[str, Any], *, our_names: Collection[str]) -> None:
    """Check `metadata.odds` of a new pool; `BadRequest` names the field below `path`.

    `our_names` are the names of its markets in NFC; of a single-market pool its own name, too.
    """
    if metadata.get("odds") is None:
        return
    path = f"{path}.odds"
    try:
        odds = to_type(metadata["odds"], _Odds)
    except BadRequest as error:
        ((field, problem),) = error.details["fields"].items()
        raise wrong_field(path if field == "body" else f"{path}.{field}", problem) from error
    for ours, theirs in (odds.names or {}).items():
        if nfc(ours) not in our_names:
            raise wrong_field(f"{path}.names", "must have the names of this pool's markets as keys")
        required_text(f"{path}.names.{ours}", theirs, most=SOURCE_NAME_MAX)


def given_names(metadata: Mapping[str, Any]) -> Mapping[str, str]:
    """Return `metadata.odds.names` of a stored pool; empty where there is none, or where it is older than its rules."""
    odds = metadata.get("odds")
    names = odds.get("names") if isinstance(odds, dict) else None
    if not isinstance(names, dict):
        return {}
    return {ours: theirs for ours, theirs in names.items() if isinstance(theirs, str)}


def names_as_sent(metadata: Mapping[str, Any]) -> list[str]:
    """Return `metadata.market_names` of a stored pool, with placeholders not filled; empty where there are none."""
    names = metadata.get("market_names")
    return [name for name in names if isinstance(name, str)] if isinstance(names, list) else []
