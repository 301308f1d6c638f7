"""Ids that are missing among the trades seen so far: still under way, or never to come.

Pure bookkeeping for the leader (see `numbering`): ranges of missing ids, and since when nothing new can fill them.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Gap:
    """The ids `first` … `last` are missing.

    `barrier` is a transaction id that was given out after the gap was seen (None: none was noted yet). Whatever may
    still fill the gap was under way when it was seen, so it has a lower transaction id.
    """

    first: int
    last: int
    barrier: int | None = None


class Gaps:
    """The trades seen so far: all ids up to `seen` but for those in `ranges`, which are in ascending order."""

    def __init__(self, seen: int, ranges: Iterable[Gap] = ()) -> None:
        """Start where the ids up to `seen` are known."""
        self.seen = seen
        self.ranges = list(ranges)

    @property
    def complete_through(self) -> int:
        """Up to this id every trade was seen or will never come."""
        return self.ranges[0].first - 1 if self.ranges else self.seen

    def copy(self) -> Gaps:
        """Return another that knows the same."""
        return Gaps(self.seen, self.ranges)

    def note_barrier(self, transaction_id: int) -> None:
        """Note that `transaction_id` was given out after all the present gaps were seen."""
        self.ranges = [Gap(gap.first, gap.last, transaction_id) if gap.barrier is None else gap for gap in self.ranges]

    def see(self, trade_ids: Iterable[int]) -> None:
        """Take ids, in ascending order, out of the gaps they fill; the ids skipped above `seen` are new gaps."""
        for trade_id in trade_ids:
            if trade_id > self.seen:
                if trade_id > self.seen + 1:
                    self.ranges.append(Gap(self.seen + 1, trade_id - 1))
                self.seen = trade_id
            else:
                self._fill(trade_id)

    def close(self, oldest_transaction_id: int) -> None:
        """Forget gaps that nothing can fill any more: no transaction below `oldest_transaction_id` is under way.

        What those transactions committed must have been seen before.
        """
        self.ranges = [gap for gap in self.ranges if gap.barrier is None or gap.barrier > oldest_transaction_id]

    def _fill(self, trade_id: int) -> None:
        for index, gap in enumerate(self.ranges):
            if gap.first <= trade_id <= gap.last:
                around = (Gap(gap.first, trade_id - 1, gap.barrier), Gap(trade_id + 1, gap.last, gap.barrier))
                self.ranges[index : index + 1] = [rest for rest in around if rest.first <= rest.last]
                return
