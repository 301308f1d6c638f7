"""Whether places in one order agree with real time: what ended before another began comes before it.

Each operation stands at one of the slots that its answer allows, the least that real time leaves (any later one would
only leave less to the others), so one walk through time decides whether there is an order at all. The walk is repeated
only where operations that the service numbers (`chain`) come out in another order than their numbers.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass, field

from faults.history.made import FRESH_NS, Operation

#: Slots from … through …, in ascending order, that do not overlap.
Ranges = Sequence[tuple[int, int]]
END = 2**62


@dataclass(slots=True)
class Placed:
    """An operation and where it may stand."""

    operation: Operation
    allowed: Ranges
    is_public: bool = False
    #: Whether its process made the change of its slot, and so shows it at once.
    is_change: bool = False
    #: The service's number: operations with numbers stand in their order.
    chain: int | None = None
    #: Where it stands.
    slot: int = -1
    #: The least slot by those before it in the chain.
    floor: int = 0


def first_allowed(allowed: Ranges, floor: int) -> int | None:
    """Return the least allowed slot that is not below `floor`."""
    for least, most in allowed:
        if most >= floor:
            return max(least, floor)
    return None


def contradictions(placed: Sequence[Placed]) -> list[str]:
    """Give each operation a slot, and return what has none that agrees with real time."""
    events = sorted(
        [(one.operation.began_ns, 1, number) for number, one in enumerate(placed)]
        + [(one.operation.ended_ns, 0, number) for number, one in enumerate(placed)]
    )
    chain = sorted((one for one in placed if one.chain is not None), key=lambda one: one.chain or 0)
    while True:
        wrong = _walk(placed, events)
        if wrong or not _raise_floors(chain):
            return wrong


def _raise_floors(chain: Sequence[Placed]) -> bool:
    reached, is_changed = 0, False
    for one in chain:
        if one.slot < reached:
            one.floor, is_changed = reached, True
        reached = max(reached, one.slot)
    return is_changed


@dataclass(slots=True)
class _Passed:
    """The greatest slot of all that had ended, by the time, and of the changes that each process made."""

    times: list[int] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    by_process: defaultdict[int, int] = field(default_factory=lambda: defaultdict(int))

    def end(self, one: Placed) -> None:
        if one.slot > (self.slots[-1] if self.slots else 0):
            self.times.append(one.operation.ended_ns)
            self.slots.append(one.slot)
        if not one.is_change:
            return
        process = one.operation.process
        self.by_process[process] = max(self.by_process[process], one.slot)

    def before(self, one: Placed) -> int:
        began_ns, process = one.operation.began_ns, one.operation.process
        if one.is_public:
            return max(self._at(began_ns - FRESH_NS), self.by_process[process])
        return self._at(began_ns)

    def _at(self, time_ns: int) -> int:
        passed = bisect_left(self.times, time_ns)
        return self.slots[passed - 1] if passed else 0


def _walk(placed: Sequence[Placed], events: Sequence[tuple[int, int, int]]) -> list[str]:
    passed, wrong = _Passed(), list[str]()
    for _, is_begin, number in events:
        one = placed[number]
        if not is_begin:
            passed.end(one)
            continue
        floor = max(passed.before(one), one.floor)
        slot = first_allowed(one.allowed, floor)
        if slot is None:
            slot = one.allowed[-1][1]
            who = f"{one.operation.kind} of user {one.operation.user_id}"
            wrong.append(f"{who} stands at {slot}, and began when what stands at {floor} had ended")
        one.slot = slot
    return wrong


def overlap(ranges: Ranges, least: int, most: int) -> Ranges:
    """Return what of `ranges` lies between two slots, both included."""
    starts = [start for start, _ in ranges]
    first = max(0, bisect_right(starts, least) - 1)
    return [(max(start, least), min(end, most)) for start, end in ranges[first:] if start <= most and end >= least]
