"""Which ids are missing among the trades seen, and which of those will never come."""

from __future__ import annotations

import random

import pytest

from foreknow.site.feed.gaps import Gap, Gaps


def ranges(gaps: Gaps) -> list[tuple[int, int]]:
    """Return the missing ids as (first, last)."""
    return [(gap.first, gap.last) for gap in gaps.ranges]


def test_ids_that_are_skipped_are_gaps_until_they_come() -> None:
    gaps = Gaps(0)
    gaps.see([1, 2, 6, 10])
    assert (ranges(gaps), gaps.seen, gaps.complete_through) == ([(3, 5), (7, 9)], 10, 2)
    gaps.see([4, 7, 11])
    assert (ranges(gaps), gaps.seen, gaps.complete_through) == ([(3, 3), (5, 5), (8, 9)], 11, 2)
    gaps.see([3, 5, 8, 9])
    assert (ranges(gaps), gaps.seen, gaps.complete_through) == ([], 11, 11)


def test_a_gap_is_given_up_once_every_transaction_of_before_it_was_seen_has_ended() -> None:
    gaps = Gaps(0)
    gaps.see([2])
    gaps.close(1_000)
    assert ranges(gaps) == [(1, 1)], "nothing was noted yet, so nothing is known of who may fill it"
    gaps.set_barrier(50)
    gaps.see([4])
    gaps.close(49)
    assert ranges(gaps) == [(1, 1), (3, 3)]
    gaps.close(50)
    assert ranges(gaps) == [(3, 3)]
    gaps.set_barrier(60)
    gaps.close(60)
    assert (ranges(gaps), gaps.complete_through) == ([], 4)


def test_a_gap_that_is_filled_in_part_keeps_its_barrier() -> None:
    gaps = Gaps(0, [Gap(1, 5, 7)])
    gaps.seen = 9
    gaps.see([3])
    assert gaps.ranges == [Gap(1, 2, 7), Gap(4, 5, 7)]


class MadeUpDatabase:
    """Transactions that draw ids, in any order of beginning, drawing, committing and rolling back."""

    def __init__(self, dice: random.Random) -> None:
        self.dice = dice
        self.next_transaction = 1
        self.next_id = 1
        #: Transaction id → ids it has drawn.
        self.open: dict[int, list[int]] = {}
        self.committed: set[int] = set()

    def begin(self) -> int:
        self.next_transaction += 1
        return self.next_transaction - 1

    def step(self) -> None:
        what = self.dice.random()
        if what < 0.35 or not self.open:
            self.open[self.begin()] = []
            return
        transaction = self.dice.choice(list(self.open))
        if what < 0.7:
            count = self.dice.randint(1, 4)
            self.open[transaction] += range(self.next_id, self.next_id + count)
            self.next_id += count
        else:
            drawn = self.open.pop(transaction)
            if what < 0.9:
                self.committed.update(drawn)

    @property
    def oldest_open(self) -> int:
        return min(self.open, default=self.next_transaction)


@pytest.mark.parametrize("seed", range(200))
def test_every_committed_trade_is_seen_once_however_late(seed: int) -> None:
    """The leader's passes, with other transactions going on between the statements of a pass."""
    dice = random.Random(seed)
    database = MadeUpDatabase(dice)
    gaps, order = Gaps(0), list[int]()

    def one_pass(meanwhile: int) -> None:
        oldest = database.oldest_open
        own = database.begin()
        gaps.set_barrier(own)
        for _ in range(meanwhile):
            database.step()
        missing = {trade_id for gap in gaps.ranges for trade_id in range(gap.first, gap.last + 1)}
        found = sorted(trade_id for trade_id in database.committed if trade_id > gaps.seen or trade_id in missing)
        for _ in range(meanwhile):
            database.step()
        gaps.see(found)
        gaps.close(oldest)
        order.extend(found)

    for _ in range(60):
        for _ in range(dice.randint(0, 6)):
            database.step()
        one_pass(dice.randint(0, 15))
        assert gaps.complete_through <= gaps.seen
    for transaction in list(database.open):
        database.committed.update(database.open.pop(transaction))
    for _ in range(3):
        one_pass(0)

    assert sorted(order) == sorted(database.committed)
    assert len(order) == len(set(order))
    assert gaps.ranges == []
