"""A line in which households take turns: one that sends a thousand waits for its own thousand, the others do not."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Generic, TypeVar

Item = TypeVar("Item")


class FairQueue(Generic[Item]):
    """A bounded fair queue: round robin over households, first come first served within each.

    A full line takes the newest item of the household with the most, if the newcomer's has fewer (longest queue drop,
    as in fair queueing of packets): whoever fills the line keeps nobody else out of it.
    """

    def __init__(self, *, household_max: int, total_max: int) -> None:
        """Hold so many items of one household, and so many in all."""
        self._household_max = household_max
        self._total_max = total_max
        #: None of them is empty; in the order of their turns.
        self._lines: OrderedDict[str, deque[Item]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        """Return how many wait."""
        return self._size

    def put(self, rate_limit_key: str, item: Item) -> Item | None:
        """Let an item wait. Return the one that has to go for it: another one, itself, or None."""
        waiting = len(self._lines.get(rate_limit_key, ()))
        if waiting >= self._household_max:
            return item
        displaced: Item | None = None
        if self._size >= self._total_max:
            # Looked for only where a thousand wait: some 30 µs where each is another household's.
            longest = max(self._lines, key=lambda one: len(self._lines[one]))
            if len(self._lines[longest]) <= waiting + 1:
                return item
            # It has two at least, so its line is not empty now.
            displaced = self._lines[longest].pop()
            self._size -= 1
        self._lines.setdefault(rate_limit_key, deque()).append(item)
        self._size += 1
        return displaced

    def take(self) -> Item | None:
        """Return the next item, whose household then goes to the end of the line; None where nobody waits."""
        if not self._lines:
            return None
        rate_limit_key, line = next(iter(self._lines.items()))
        item = line.popleft()
        self._size -= 1
        if line:
            self._lines.move_to_end(rate_limit_key)
        else:
            del self._lines[rate_limit_key]
        return item

    def leave(self, rate_limit_key: str, item: Item) -> None:
        """Let an item go that waits no more, if it is still there."""
        line = self._lines.get(rate_limit_key)
        if line is None or item not in line:
            return
        line.remove(item)
        self._size -= 1
        if not line:
            del self._lines[rate_limit_key]
