"""What a pool's results should be and when, written from the contract alone, for `test_standing.py`."""

from __future__ import annotations

from dataclasses import dataclass, field

MINUTE_MS = 60_000
DAY_MS = 24 * 60 * MINUTE_MS


@dataclass
class Said:
    """An objection to a result."""

    verdict: int
    who: int
    proposal: int | None
    holds: bool
    state: str = "open"


@dataclass
class Model:
    """A pool with a dispute window, and what people and admins did about its result."""

    minutes: int
    winners: list[int] = field(default_factory=list)
    first_end_ms: int = 0
    window_end_ms: int = 0
    final_ms: int = 0
    confirmed: set[int] = field(default_factory=set)
    said: list[Said] = field(default_factory=list)
    gone: set[int] = field(default_factory=set)

    @property
    def number(self) -> int:
        """The number of the present result."""
        return len(self.winners)

    def is_final(self, now_ms: int) -> bool:
        """Return whether nothing changes it any more."""
        return bool(self.winners) and now_ms >= self.final_ms

    def holding(self) -> list[Said]:
        """Return the objections that hold the present result."""
        return [one for one in self.said if one.verdict == self.number and one.state == "open" and one.holds]

    def state_of(self, now_ms: int) -> str:
        """Return the name of where it stands."""
        if not self.winners:
            return "undecided"
        if self.is_final(now_ms):
            return "final"
        if self.number in self.confirmed:
            return "confirmed"
        if self.holding():
            return "held"
        return "objected" if self.open_now(now_ms) else "decided"

    def open_now(self, now_ms: int) -> int:
        """Return how many objections are open."""
        return 0 if self.is_final(now_ms) else sum(one.state == "open" for one in self.said)

    def decide(self, now_ms: int, winner: int, *, by_admin: bool, involved: bool) -> str:
        """Give a result; return the code of its error, or ""."""
        if self.winners and winner == self.winners[-1]:
            return ""
        if self.winners and by_admin and involved:
            return "own_event"
        if self.winners and not by_admin and not self.is_final(now_ms):
            return "forbidden"
        if self.is_final(now_ms):
            return "already_resolved"
        again = bool(self.winners)
        for one in self.said:
            if one.state == "open":
                one.state = "upheld" if one.proposal in {None, winner} else "rejected"
        self.winners.append(winner)
        minutes = max(self.minutes, 60) if again else self.minutes
        self.window_end_ms = now_ms + minutes * MINUTE_MS
        if not again:
            self.first_end_ms = self.window_end_ms
        self.window_end_ms = self.final_ms = min(self.window_end_ms, self.first_end_ms + 14 * DAY_MS)
        return ""

    def object(self, now_ms: int, who: int, verdict: int, proposal: int | None) -> str:
        """Object to a result; return the code of its error, or ""."""
        if who in self.gone:
            return "unauthorized"
        if any(one.who == who and one.verdict == verdict for one in self.said):
            return ""
        if verdict != self.number or not self.winners or now_ms >= self.window_end_ms or self.is_final(now_ms):
            return "invalid_state"
        if proposal == self.winners[-1]:
            return "bad_request"
        answers = [one.state for one in self.said if one.who == who and one.state in {"upheld", "rejected"}]
        last_upheld = max((at for at, state in enumerate(answers) if state == "upheld"), default=-1)
        holds = self.number not in self.confirmed and len(answers) - 1 - last_upheld < 3
        self.said.append(Said(verdict, who, proposal, holds))
        if holds:
            self.final_ms = min(self.window_end_ms + 7 * DAY_MS, self.first_end_ms + 14 * DAY_MS)
        return ""

    def confirm(self, now_ms: int, verdict: int, *, seen_all: bool, involved: bool) -> str:
        """Confirm a result; return the code of its error, or ""."""
        if self.winners and involved:
            return "own_event"
        if verdict == self.number and verdict in self.confirmed:
            return ""
        if self.is_final(now_ms):
            return "already_resolved"
        if not self.winners or verdict != self.number or not seen_all:
            return "invalid_state"
        was_held = bool(self.holding())
        for one in self.said:
            if one.state == "open":
                one.state = "rejected"
        self.confirmed.add(verdict)
        if was_held:
            self.final_ms = max(self.window_end_ms, now_ms)
        return ""

    def leave(self, now_ms: int, who: int) -> None:
        """Let someone go: what they alone held is held no more."""
        self.gone.add(who)
        if self.is_final(now_ms):
            return
        was_held = bool(self.holding())
        for one in self.said:
            if one.who == who:
                one.holds = False
        if was_held and not self.holding():
            self.final_ms = max(self.window_end_ms, now_ms)
