"""Missing ids among the trades seen so far: of open transactions, or rolled back.

Pure bookkeeping for the leader (see `sequencer`): ranges of missing ids, and when they can no longer be filled.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gap:
    """The ids `first` … `last` are missing.

    `barrier` is a transaction id assigned after the gap was seen (None: not known yet). Any transaction that may fill
    the gap was open when it was seen, so its id is lower.
    """

    first: int
    last: int
    barrier: int | None = None


class Gaps:
    """The trades seen so far: all ids up to `seen` except those in `ranges`, which are ascending."""

    def __init__(self, seen: int, ranges: Iterable[Gap] = ()) -> None:
        """Start with the ids up to `seen`, without `ranges`."""
        self.seen = seen
        self.ranges = list(ranges)

    @property
    def complete_through(self) -> int:
        """Up to this id, every trade was seen or was rolled back."""
        return self.ranges[0].first - 1 if self.ranges else self.seen

    def copy(self) -> Gaps:
        """Return a copy."""
        return Gaps(self.seen, self.ranges)

    def set_barrier(self, transaction_id: int) -> None:
        """Set the barrier of gaps without one to `transaction_id`, which was assigned after they were seen."""
        self.ranges = [Gap(gap.first, gap.last, transaction_id) if gap.barrier is None else gap for gap in self.ranges]

    def see(self, trade_ids: Iterable[int]) -> None:
        """Remove ascending ids from the gaps they fill; ids skipped above `seen` are new gaps."""
        for trade_id in trade_ids:
            if trade_id > self.seen:
                if trade_id > self.seen + 1:
                    self.ranges.append(Gap(self.seen + 1, trade_id - 1))
                self.seen = trade_id
            else:
                self._fill(trade_id)

    def close(self, oldest_transaction_id: int) -> None:
        """Drop gaps that can no longer be filled: no transaction below `oldest_transaction_id` is open.

        Call it after seeing all that those transactions committed.
        """
        self.ranges = [gap for gap in self.ranges if gap.barrier is None or gap.barrier > oldest_transaction_id]

    def _fill(self, trade_id: int) -> None:
        for index, gap in enumerate(self.ranges):
            if gap.first <= trade_id <= gap.last:
                around = (Gap(gap.first, trade_id - 1, gap.barrier), Gap(trade_id + 1, gap.last, gap.barrier))
                self.ranges[index : index + 1] = [rest for rest in around if rest.first <= rest.last]
                return
