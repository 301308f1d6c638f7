"""Verdicts: the results that a pool was given, each with its reasons. The last one is the present one."""

from __future__ import annotations

from typing import Any

import msgspec

from foreknow.market.pools.resolutions import DecidedBy, Decision


class Reasons(msgspec.Struct, frozen=True, kw_only=True):
    """Why a result is as it is; "" for what is not said."""

    note: str = ""
    note_ru: str = ""
    #: Where the result stands, an address.
    source_url: str = ""

    def __bool__(self) -> bool:
        """Return whether anything is said."""
        return bool(self.note or self.note_ru or self.source_url)


class Verdict(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """A result that a pool was given, as stored in `pools.verdicts`."""

    #: As `pools.resolution`.
    resolution: dict[str, Any]
    at_ms: int
    #: None of pools that were resolved before this was noted.
    by: DecidedBy | None = None
    #: Whose it is; None of a rule, and where it is not known.
    by_id: int | None = None
    #: Whether who gave it ever traded in the pool; None of a rule.
    decider_trades: bool | None = None
    void_at_ms: int | None = None
    reasons: Reasons = Reasons()

    def filled(self, given: Reasons) -> Verdict:
        """Return the same verdict with what its reasons leave open."""
        own = self.reasons
        reasons = Reasons(
            note=own.note or given.note,
            note_ru=own.note_ru or given.note_ru,
            source_url=own.source_url or given.source_url,
        )
        return msgspec.structs.replace(self, reasons=reasons)


def verdict_of(
    decision: Decision, *, by_id: int | None = None, has_traded: bool = False, reasons: Reasons | None = None
) -> Verdict:
    """Return the verdict of a decision; `has_traded`: whether whose it is (`by_id`) ever traded in the pool."""
    return Verdict(
        resolution=dict(decision.resolution.stored),
        at_ms=decision.at_ms,
        by=decision.by,
        by_id=by_id,
        decider_trades=None if decision.by == "rule" else has_traded,
        void_at_ms=decision.void_at_ms,
        reasons=reasons or Reasons(),
    )
