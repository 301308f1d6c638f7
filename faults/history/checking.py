"""The check of one pool's history: one order of its steps explains every answer and agrees with real time."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field

from faults.history.allowed import Places
from faults.history.made import WRITES, FinalPool, Operation
from faults.history.realtime import Placed, contradictions
from faults.history.sequence import Contradiction, PoolOrder


@dataclass(slots=True)
class Findings:
    """What was checked, and what does not agree."""

    operations: Counter[str] = field(default_factory=Counter)
    #: Those that have a place in an order, or places between steps.
    placed: int = 0
    refused: int = 0
    #: Those whose answer never came, and of these the executed ones.
    unknown: int = 0
    executed: int = 0
    trades: int = 0
    wrong: list[str] = field(default_factory=list)

    def add(self, other: Findings) -> None:
        """Add those of another pool."""
        self.operations.update(other.operations)
        self.placed += other.placed
        self.refused += other.refused
        self.unknown += other.unknown
        self.executed += other.executed
        self.trades += other.trades
        self.wrong += other.wrong


def check(final: FinalPool, operations: Sequence[Operation]) -> Findings:
    """Check the operations on one pool. Each of a user's began after the one before had ended."""
    findings = Findings(Counter(one.kind for one in operations), trades=len(final.trades))
    try:
        order = PoolOrder(final, operations)
        places = Places(order, final, operations)
    except Contradiction as wrong:
        findings.wrong.append(str(wrong))
        return findings
    placed: list[Placed] = []
    for one in sorted(operations, key=lambda one: one.ended_ns):
        findings.refused += one.status is not None and not one.is_done
        findings.unknown += one.status is None and one.kind in WRITES
        try:
            found = places.place(one) if one.status is not None else None
        except Contradiction as wrong:
            findings.wrong.append(str(wrong))
        else:
            placed += [found] if found else []
    # Once it is known which steps have an answer.
    for one in operations:
        if one.status is None and one.kind in WRITES:
            found = places.unknown(one)
            placed += [found] if found else []
            findings.executed += found is not None
    findings.placed = len(placed)
    findings.wrong += [*places.unclaimed(), *contradictions(placed)]
    return findings
