"""Changes of events and pools as requested: their fields validated, by the rules of `drafts`."""

from __future__ import annotations

from typing import Any

from foreknow.kernel.validation.fields import optional_name, optional_text, optional_utc_ms, required_text, wrong_field
from foreknow.market.events.schemas import NAME_MAX, RULES_MAX, EditPoolBody


def pool_changes(body: EditPoolBody) -> dict[str, Any]:
    """Return the changes of a pool, by the names of its row's fields and `market_names`; only those that were sent.

    `BadRequest` names the first wrong field.
    """
    found: dict[str, Any] = {
        "name": None if body.name is None else optional_name("name", body.name, most=NAME_MAX),
        "name_ru": None if body.name_ru is None else optional_name("name_ru", body.name_ru, most=NAME_MAX),
        "rules": None if body.rules is None else optional_text("rules", body.rules, most=RULES_MAX),
        "market_names": body.market_names
        and [required_text(f"market_names[{i}]", name, most=NAME_MAX) for i, name in enumerate(body.market_names)],
        "live_at_ms": optional_utc_ms("live_at", body.live_at),
        "finish_at_ms": optional_utc_ms("finish_at", body.finish_at),
    }
    check_times(found["live_at_ms"], found["finish_at_ms"])
    return {name: value for name, value in found.items() if value is not None}


def check_times(live_at_ms: int | None, finish_at_ms: int | None) -> None:
    """Raise `BadRequest` unless a pool ends after it goes live."""
    if live_at_ms is not None and finish_at_ms is not None and finish_at_ms <= live_at_ms:
        raise wrong_field("finish_at", "must be after live_at")
