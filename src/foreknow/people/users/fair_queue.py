"""A fair queue: a client with a thousand items delays its own, not those of others."""

from __future__ import annotations

from collections import OrderedDict, deque
from typing import Generic, TypeVar

Item = TypeVar("Item")


class FairQueue(Generic[Item]):
    """A bounded queue: round robin over keys, first in first out within a key.

    A full queue drops the newest item of the longest key in favour of a key with fewer items (longest queue drop, as
    in fair queueing of packets), so that one key cannot keep the others out.
    """

    def __init__(self, *, per_key_max: int, total_max: int) -> None:
        """Hold at most `per_key_max` items per key and `total_max` in all."""
        self._per_key_max = per_key_max
        self._total_max = total_max
        #: Never empty; in the order of their turns.
        self._queues: OrderedDict[str, deque[Item]] = OrderedDict()
        self._size = 0

    def __len__(self) -> int:
        """Return the number of items."""
        return self._size

    def put(self, key: str, item: Item) -> Item | None:
        """Add an item. Return the item dropped for it: another one, itself, or None."""
        waiting = len(self._queues.get(key, ()))
        if waiting >= self._per_key_max:
            return item
        dropped: Item | None = None
        if self._size >= self._total_max:
            # Some 30 µs in a full queue of 1,000 keys.
            longest = max(self._queues, key=lambda other: len(self._queues[other]))
            if len(self._queues[longest]) <= waiting + 1:
                return item
            # It has at least two items, so its queue does not become empty.
            dropped = self._queues[longest].pop()
            self._size -= 1
        self._queues.setdefault(key, deque()).append(item)
        self._size += 1
        return dropped

    def take(self) -> Item | None:
        """Remove the next item and move its key to the end; None if empty."""
        if not self._queues:
            return None
        key, queue = next(iter(self._queues.items()))
        item = queue.popleft()
        self._size -= 1
        if queue:
            self._queues.move_to_end(key)
        else:
            del self._queues[key]
        return item

    def discard(self, key: str, item: Item) -> None:
        """Remove an item if it is still there."""
        queue = self._queues.get(key)
        if queue is None or item not in queue:
            return
        queue.remove(item)
        self._size -= 1
        if not queue:
            del self._queues[key]
