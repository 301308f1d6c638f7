"""What people do and when, and where the process or the power is cut; drawn from a seed, and made smaller."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from random import Random

#: Acts of one plan, at most; the time in which they begin.
ACTS = (4, 14)
SPAN_S = 1.0
#: Callbacks between the start of a process and its cut.
CUT_AFTER = (20, 300)
CUTS_MAX = 2
KINDS = (
    *["bet"] * 6,
    *["partner bet"] * 4,
    *["limit"] * 6,
    *["sale"] * 3,
    *["cancel"] * 2,
    *["basket"] * 2,
    *["split", "resolve", "notify"],
)


@dataclass(frozen=True, slots=True)
class Act:
    """What a client does; the numbers choose of what there is then."""

    at_s: float
    kind: str
    who: int
    where: int
    amount: int
    is_yes: bool
    is_buy: bool


@dataclass(frozen=True, slots=True)
class Disaster:
    """The end of a process, some callbacks after its start: a SIGKILL, or with the power of the machine."""

    after: int
    is_power: bool


@dataclass(frozen=True, slots=True)
class Plan:
    """All that a seed decides before anything runs."""

    seed: int
    acts: tuple[Act, ...]
    cuts: tuple[Disaster, ...]

    def smaller(self) -> Iterator[Plan]:
        """Yield this plan without some of its cuts, then of its acts: halves first, then one at a time."""
        for place in range(len(self.cuts)):
            yield replace(self, cuts=(*self.cuts[:place], *self.cuts[place + 1 :]))
        size = max(1, len(self.acts) // 2)
        while size:
            for start in range(0, len(self.acts), size):
                yield replace(self, acts=(*self.acts[:start], *self.acts[start + size :]))
            size //= 2


def draw(seed: int) -> Plan:
    """Return the plan of a seed."""
    chance = Random(seed)
    acts = [
        Act(
            at_s=round(chance.random() * SPAN_S, 4),
            kind=chance.choice(KINDS),
            who=chance.randrange(1_000),
            where=chance.randrange(1_000),
            amount=chance.randrange(1, 2_000),
            is_yes=chance.random() < 0.6,
            is_buy=chance.random() < 0.7,
        )
        for _ in range(chance.randint(*ACTS))
    ]
    cuts = [Disaster(chance.randint(*CUT_AFTER), chance.random() < 0.5) for _ in range(chance.randint(0, CUTS_MAX))]
    return Plan(seed, tuple(sorted(acts, key=lambda act: act.at_s)), tuple(cuts))
