"""What may follow what between a pool's first result and its payment, and when: the one place that decides it.

undecided, then decided; objected to, and held where an objection holds; confirmed or replaced; final. Until it is
final each further result begins at decided. By the database's clock (`kernel.clock`), read under the pool's lock.
"""

from __future__ import annotations

import enum

import msgspec

from foreknow.kernel.clock import DAY_MS, MINUTE_MS

#: The least length of the window of a further result.
AGAIN_MINUTES_MIN = 60
#: How long after the end of its window a result is held at most.
HOLD_MS = 7 * DAY_MS
#: How long after the end of the first window a result is final, whatever follows.
LAST_MS = 14 * DAY_MS


class VerdictStage(enum.StrEnum):
    """Where a pool stands."""

    UNDECIDED = "undecided"
    #: It has a result that is not final; no objection is open.
    DECIDED = "decided"
    #: Objections are open, none of which holds.
    OBJECTED = "objected"
    HELD = "held"
    CONFIRMED = "confirmed"
    FINAL = "final"


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """The present result of a pool; times are Unix milliseconds. A result without a window is final from the first."""

    dispute_minutes: int
    #: The number of the present result, from 1; 0 for none.
    number: int = 0
    #: When the first result was given: trading ended.
    first_at_ms: int | None = None
    #: End of the present result's window; None for none.
    window_ends_ms: int | None = None
    #: When it is final unless something happens before; None without a window.
    final_at_ms: int | None = None
    is_confirmed: bool = False
    #: Objections to the present result that are open, and how many of them hold.
    open_objections: int = 0
    holding_objections: int = 0

    @property
    def last_final_ms(self) -> int | None:
        """When a result is final, whatever follows: the end of the first window and `LAST_MS`."""
        if self.first_at_ms is None:
            return None
        return self.first_at_ms + self.dispute_minutes * MINUTE_MS + LAST_MS

    def is_final(self, now_ms: int) -> bool:
        """Return whether it has a result that nothing changes any more."""
        return self.number > 0 and (self.final_at_ms is None or self.final_at_ms <= now_ms)

    def stage(self, now_ms: int) -> VerdictStage:
        """Return where it stands."""
        if not self.number:
            return VerdictStage.UNDECIDED
        if self.is_final(now_ms):
            return VerdictStage.FINAL
        if self.is_confirmed:
            return VerdictStage.CONFIRMED
        if self.holding_objections:
            return VerdictStage.HELD
        return VerdictStage.OBJECTED if self.open_objections else VerdictStage.DECIDED

    def held_until_ms(self, now_ms: int) -> int | None:
        """Return until when objections hold the present result; None where none does."""
        return self.final_at_ms if self.stage(now_ms) is VerdictStage.HELD else None

    def shown_objections(self, now_ms: int) -> int:
        """Return how many objections are open: none to a final result."""
        return 0 if self.is_final(now_ms) else self.open_objections

    def takes_objections(self, number: int, now_ms: int) -> bool:
        """Return whether a result is the present one, and within its window, which a hold does not lengthen."""
        is_within = self.window_ends_ms is not None and now_ms < self.window_ends_ms
        return number == self.number and is_within and not self.is_final(now_ms)

    def decided(self, at_ms: int) -> Standing:
        """Return what it becomes with a result, the first or a further one."""
        if self.first_at_ms is None:
            ends_ms = at_ms + self.dispute_minutes * MINUTE_MS if self.dispute_minutes else None
        else:
            assert self.last_final_ms is not None
            ends_ms = at_ms + max(self.dispute_minutes, AGAIN_MINUTES_MIN) * MINUTE_MS
            ends_ms = min(ends_ms, self.last_final_ms)
        return Standing(
            dispute_minutes=self.dispute_minutes,
            number=self.number + 1,
            first_at_ms=at_ms if self.first_at_ms is None else self.first_at_ms,
            window_ends_ms=ends_ms,
            final_at_ms=ends_ms,
        )

    def objected(self, *, holds: bool) -> Standing:
        """Return what it becomes with another objection, which may hold it."""
        assert self.window_ends_ms is not None
        assert self.last_final_ms is not None
        holding = self.holding_objections + holds
        held_until_ms = min(self.window_ends_ms + HOLD_MS, self.last_final_ms)
        return msgspec.structs.replace(
            self,
            open_objections=self.open_objections + 1,
            holding_objections=holding,
            final_at_ms=held_until_ms if holding else self.final_at_ms,
        )

    def confirmed(self, at_ms: int) -> Standing:
        """Return what it becomes once confirmed: its objections are answered, and nothing holds it."""
        released = self.released(self.holding_objections, at_ms)
        return msgspec.structs.replace(released, is_confirmed=True, open_objections=0)

    def released(self, count: int, at_ms: int) -> Standing:
        """Return what it becomes when some objections hold it no longer: with the last, final as its window ends."""
        holding = self.holding_objections - count
        assert holding >= 0
        change: dict[str, int] = {"holding_objections": holding}
        if count and not holding and self.window_ends_ms is not None:
            change["final_at_ms"] = max(self.window_ends_ms, at_ms)
        return msgspec.structs.replace(self, **change)
